"""Times base and candidate in pairs, by the judge's own clocks.

evidence.py   what was measured, and timing.json
suite.py      base's benchmarks, and which to time
discovery.py  asks base for them
worker.py     one live worker: what is asked of it, what it cost by the kernel's clocks
track.py      where both workers live
visit.py      one benchmark, both sides in turns
campaign.py   all benchmarks, in rounds
decide.py     visits to a decision
findings.py   decisions to findings
"""

from truelap.checks.timing.evidence import TimingEvidence
from truelap.checks.timing.findings import judge
from truelap.checks.timing.gather import NEEDS, gather

__all__ = ["NEEDS", "TimingEvidence", "gather", "judge"]
