"""FormulaCode: its trials' artifact folders in, our verdict out; and our results in the files that its graders read.

`grade` reads a folder of ours (it holds verdict.json) or of an older FormulaCode task. It runs nothing.
"""

from __future__ import annotations

from truelap.peers.formulacode.grading import grade
from truelap.peers.formulacode.layout import write_layout

__all__ = ["grade", "write_layout"]
