"""How much is measured in one visit: when pairs are taken in blocks, and when there are enough of them. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection

    from truelap.policy import Time
    from truelap.workers.cases import Timed
    from truelap.workers.parameters import Values

BLOCK = 3
"""Pairs between two setups, as asv sets up anew for about 10 ms of calls. Odd, or one side would have more cold samples."""

ENOUGH_PAIRS = 4
ENOUGH_LONG_PAIRS = 2
PATIENCE = 10
"""So many times `max_pair_s` of wall time end a visit whatever the reason."""

MOST_FOR_SHORT = 4
"""So many times more pairs are taken of samples that cannot be made long enough."""


def one_call(case: Timed, time: Time) -> bool:
    """Whether each call of a case has a setup of its own: asv_runner 0.3 has it so wherever there is a setup."""
    return time.setup == "before_calls" and case.benchmark.has_setup


@dataclass(frozen=True)
class Plan:
    """How much to measure in one visit. Times are seconds.

    Attributes:
        max_pair_s: after this long a visit is content with fewer pairs; a pair that is longer is not taken in blocks.
        limit_s: longest wait for one setup, or for one sample.
        values: the benchmark's parameters, as an earlier worker of base had them; None where nobody compares them.
        vary: whether calls get other inputs than the benchmark's own.
        one_call: whether each call is to have a setup of its own, whatever the suite says.
    """

    sample_s: float
    pairs: int
    max_pair_s: float
    limit_s: float
    values: Values | None = None
    vary: bool = False
    one_call: bool = False

    def pairs_in_block(self, number: int, calls: Collection[int], pair_ns: int) -> int:
        """Pairs between two setups.

        Args:
            number: calls that a setup is good for, as the suite says; 0 where it does not.
            calls: in one sample, of each side.
            pair_ns: what one pair lasts.
        """
        if BLOCK * pair_ns > self.max_pair_s * 1e9:
            return 1
        if not number:
            return BLOCK
        return BLOCK if min(number // made for made in calls) >= BLOCK else 1

    def needed(self, pair_ns: int, *, spent_ns: int, wall_ns: int) -> int:
        """Pairs that are enough.

        Args:
            pair_ns: what one pair lasts.
            spent_ns: on setups, and on pairs by what they should last.
            wall_ns: on pairs, by the clock on the wall.
        """
        limit_ns = self.max_pair_s * 1e9
        if wall_ns > PATIENCE * limit_ns:
            return ENOUGH_LONG_PAIRS
        # Not by the clock: on a crowded machine a visit takes longer, and needs its pairs all the more.
        if spent_ns > limit_ns:
            return min(self.pairs, ENOUGH_LONG_PAIRS if pair_ns > limit_ns else ENOUGH_PAIRS)
        # A suite that allows few calls a setup makes short samples: more of them.
        short = 2e9 * self.sample_s / max(1, pair_ns)
        return round(self.pairs * max(1.0, min(MOST_FOR_SHORT, short / 2)))
