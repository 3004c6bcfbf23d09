"""Times base and candidate in pairs, by the judge's own clocks.

evidence.py   what was measured, and timing.json
visit.py      one benchmark, both sides in turns
amount.py     how much of it is enough
campaign.py   all benchmarks, in rounds
control.py    base beside itself
betting.py    evidence as winnings
proof.py      visits to what they prove
decide.py     what they prove to a decision
interval.py   how far off a ratio may be
record.py     what timing.json holds
other_inputs.py  what is faster once more, with other inputs
clocks.py     whether a worker's own clock tells the same
own_input.py  whether a gain is there as well
outside.py    what gains take outside of the timed calls
moved.py      whether they are paid for there
value_result.py  numbers that are no times, and what they mean
values.py     asks for them
findings.py   decisions to findings
"""

from truelap.checks.timing.evidence import TimingEvidence
from truelap.checks.timing.findings import judge
from truelap.checks.timing.gather import NEEDS, gather

__all__ = ["NEEDS", "TimingEvidence", "gather", "judge"]
