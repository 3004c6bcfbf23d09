"""What can be told on a machine, from visits of identical code: the smallest change that timing finds, by its own decision. Pure.

A change is put into recorded visits by dividing the candidate's times, and groups of them are decided on as in a run.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from functools import partial
from statistics import median
from typing import TYPE_CHECKING, Any

from truelap.checks.timing.decide import decide
from truelap.checks.timing.proof import goes_on, prove
from truelap.model import Frozen

if TYPE_CHECKING:
    from collections.abc import Sequence
    from random import Random

    from truelap.checks.timing.evidence import Decision, Side, Visit
    from truelap.policy import Time

POWER = 0.9
GROUPS = 100
_MOST = 0.5
_STEP = 0.0025
_STEPS = 1 + int(math.log1p(_MOST) / _STEP)


class Noise(Frozen):
    """What identical code shows on this machine.

    Attributes:
        resolves: the smallest change, as a share, that is found in nine of ten cases whichever its direction; None for none up to 50 %.
        margin: the policy's.
        visits: that confirm a change at least, by the policy.
        spread: median distance of a visit's ratio from one, as a share.
        wrong: share of decisions on identical code that see a change.
        taken: visits of identical code.
        seconds: that they took.
        slot: the cores, as `Slot.as_data`.
    """

    resolves: float | None
    margin: float
    visits: int
    spread: float
    wrong: float
    taken: int
    seconds: float
    slot: dict[str, Any]

    @property
    def told(self) -> str:
        """In one line."""
        if self.resolves is None:
            found = f"no change up to {_MOST:.0%} is told reliably"
        else:
            found = f"changes of {self.resolves:.1%} and more are told, in {POWER:.0%} of cases"
        return (
            f"Noise: {found} ({self.visits} visits, margin {self.margin:.0%}); visits of identical code differ by"
            f" {self.spread:.2%}, and {self.wrong:.1%} of decisions on it see a change ({self.taken} visits in {self.seconds:.0f} s)."
        )

    def as_data(self) -> dict[str, Any]:
        """For `--json`."""
        return self.model_dump(mode="json")


def resolve(taken: Sequence[Visit], rules: Time, draw: Random) -> tuple[float | None, float]:
    """The smallest change that is told, and the share of decisions that are wrong where there is none.

    Args:
        taken: visits of identical code.
        rules: the policy's.
        draw: picks the groups.
    """
    groups = [
        draw.choices(range(len(taken)), k=1 + max(rules.visits, rules.max_visits)) for _ in range(GROUPS)
    ]
    wrong = 1 - _share(taken, groups, rules, "same")
    told = partial(_is_told, taken, groups, rules)
    # The larger a change, the more often it is found.
    step = bisect_left(range(_STEPS), 1, key=told)
    return (math.expm1(step * _STEP) if step < _STEPS else None), wrong


def _is_told(taken: Sequence[Visit], groups: Sequence[Sequence[int]], rules: Time, step: int) -> bool:
    up, down = ([shifted(visit, sign * step * _STEP) for visit in taken] for sign in (1, -1))
    return min(_share(up, groups, rules, "faster"), _share(down, groups, rules, "slower")) >= POWER


def spread(taken: Sequence[Visit]) -> float:
    """Median distance from one of what visits of identical code say."""
    return math.expm1(median(abs(visit.effect.log_ratio) for visit in taken))


def _share(
    visits: Sequence[Visit], groups: Sequence[Sequence[int]], rules: Time, decision: Decision
) -> float:
    found = [_decided([visits[number] for number in group], rules) for group in groups]
    return found.count(decision) / len(found)


def _decided(visits: Sequence[Visit], rules: Time) -> Decision:
    """As a run decides on its only benchmark: it looks again as long as that could change anything, and as often as it may."""
    for count in range(1, len(visits) + 1):
        seen = visits[:count]
        (proof,) = prove([seen], (), rules)
        if not goes_on(seen, proof, rules):
            break
    return decide(seen, proof, rules.margin)[0]


def shifted(visit: Visit, change: float) -> Visit:
    """The visit as it would be if the candidate were so much faster.

    Args:
        visit: of identical code.
        change: log ratio; negative for slower.
    """
    return visit.model_copy(update={"candidate": _scaled(visit.candidate, math.exp(-change))})


def _scaled(side: Side, factor: float) -> Side:
    times = ("cpu_per_call", "wall_per_call", "elapsed_per_call")
    return side.model_copy(
        update={name: tuple(factor * value for value in getattr(side, name)) for name in times}
    )
