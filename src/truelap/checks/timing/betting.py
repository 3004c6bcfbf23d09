"""Evidence as winnings: bets on visits, how much must be won among many benchmarks, and what chance may be taken to do. Pure.

Whoever stakes a share of what he has on an event that happens with a chance of at most `chance`, at odds that are fair for it, wins nothing in
the mean; the chance that he ever has n times what he began with is at most 1 in n, whenever he stops (Ville). What he has is an e-value
(Waudby-Smith and Ramdas, Estimating means of bounded random variables by betting, 2024).
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from truelap.model import Frozen

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from truelap.stats import Leaning

BET = 0.5
"""Share of what there is that is staked on each visit. A larger one wins faster, and loses more where a change is near the margin."""

RULED_OUT = 0.05
"""A chance is ruled out by so many hits of base beside itself that they would come in fewer cases than this."""


class Proof(Frozen):
    """What the confirmation of one benchmark has shown.

    Attributes:
        faster: e-value against "not faster".
        slower: likewise.
        visits: that they come from.
        least: visits that it takes at least.
        needed: e-value that it takes among all benchmarks of the task; None where none would do.
        noisy: whether more than the policy's margin had to be shown, since base beside itself changes too often.
    """

    faster: float = 1.0
    slower: float = 1.0
    visits: int = 0
    least: int = 1
    needed: float | None = None
    noisy: bool = False

    @property
    def claim(self) -> Leaning:
        """What is established. A loss goes first: computing and waiting may lose what the CPU clock gains."""
        if self.needed is None or self.visits < self.least:
            return "same"
        if self.slower >= self.needed:
            return "slower"
        return "faster" if self.faster >= self.needed else "same"

    @property
    def best(self) -> float:
        """The larger e-value."""
        return max(self.faster, self.slower)


class Bar(NamedTuple):
    """What a visit must show, and how often one does with nothing to show, in one direction."""

    margin: float
    chance: float


def winnings(hits: Iterable[bool], chance: float) -> float:
    """What 1 has become after a bet on each visit.

    Args:
        hits: visit by visit, whether it shows what was staked on.
        chance: of a hit where there is nothing to be shown, at most.

    >>> winnings([True, True, True], 0.05), winnings([True, False], 0.05)
    (1157.625, 5.25)
    """
    return math.prod(1 + BET * (hit / chance - 1) for hit in hits)


def needed(evidence: Sequence[float], level: float) -> float | None:
    """The e-value from which hypotheses are rejected, so that of all rejections a share of `level` is wrong in the mean (e-BH).

    Wang and Ramdas, False discovery rate control with e-values, 2022. It holds however the hypotheses hang together.

    Args:
        evidence: e-values of all hypotheses, those included that nobody looked at again (1).
        level: share of false discoveries that is borne.

    >>> needed([300.0, 1.0], 0.05), needed([30.0, 25.0, 1.0], 0.05), needed([30.0, 1.0], 0.05)
    (40.0, None, None)
    """
    among = len(evidence) / level
    counts = [
        count for count, value in enumerate(sorted(evidence, reverse=True), 1) if value * count >= among
    ]
    return among / max(counts) if counts else None


def borne_chance(chances: Sequence[float], hits: int, visits: int) -> float | None:
    """The smallest of some chances that hits among visits of base beside itself do not rule out; None where they rule out all.

    Args:
        chances: of a hit in one direction; each visit has two.
        hits: visits beyond the margin in either direction.
        visits: all.

    >>> borne_chance([0.05, 0.1, 0.2], 1, 3), borne_chance([0.05, 0.1, 0.2], 2, 3), borne_chance([0.05, 0.1, 0.2], 5, 5)
    (0.05, 0.1, None)
    """
    return next(
        (one for one in sorted(chances) if at_least(hits, visits, min(1.0, 2 * one)) > RULED_OUT), None
    )


def at_least(hits: int, visits: int, chance: float) -> float:
    """The probability of so many hits or more.

    >>> at_least(1, 2, 0.5), at_least(0, 0, 0.5)
    (0.75, 1.0)
    """
    return math.fsum(
        math.comb(visits, count) * chance**count * (1 - chance) ** (visits - count)
        for count in range(hits, visits + 1)
    )
