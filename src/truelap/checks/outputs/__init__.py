"""Holds what base's benchmarks compute on the candidate against what they compute on base.

evidence.py   what was compared, and outputs.json
asking.py     one case on one worker: what it is asked for
campaign.py   all cases, three workers: base, base once more, the candidate
siblings.py   calls beside a benchmark's own
ruling.py     what is told, held against base's
findings.py   rulings to findings
"""

from truelap.checks.outputs.evidence import OutputEvidence
from truelap.checks.outputs.findings import judge
from truelap.checks.outputs.gather import NEEDS, gather

__all__ = ["NEEDS", "OutputEvidence", "gather", "judge"]
