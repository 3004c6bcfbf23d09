"""Whether a worker's own clock tells what the judge's clocks tell. Pure.

The worker says how long each sample took by the clock that a benchmark would use. Nothing is decided by that; but a clock that was
made to run slow, to stand still or to jump gives away who made it (TIM-01 and TIM-02 of the attack catalogue).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from truelap.model import Frozen

if TYPE_CHECKING:
    from collections.abc import Sequence

    from truelap.checks.timing.evidence import Visit

LEAST = 0.7
"""Of what was computed and waited: below that a claim is too small."""

MOST = 1.02
"""Of the judge's wall time, which is read around the worker's: above that a claim is too large."""

SLACK_S = 0.0005
"""For a sample so short that the conversation is most of it."""

LONG_S = 0.1
"""How long a sample must last that an accusation rests on."""

LONG_SLACK_S = 0.02
"""For a thread of the product that is busy: it keeps the interpreter for 5 ms before the worker can answer."""


class Reading(NamedTuple):
    """One sample, in seconds: what the worker claims, computing and waiting by the judge, and his wall time."""

    claimed_s: float
    took_s: float
    wall_s: float


class ClockCheck(Frozen):
    """A long sample, taken because the short ones were in doubt. Seconds."""

    claimed_s: float
    took_s: float
    wall_s: float

    @property
    def lie(self) -> str | None:
        """What is wrong with the clock; None where it is right, or the sample too short to say."""
        few = self.claimed_s < LEAST * (self.took_s - LONG_SLACK_S)
        many = self.claimed_s > MOST * self.wall_s + SLACK_S
        if self.took_s < LONG_S / 2 or not (few or many):
            return None
        return f"its own clock says {self.claimed_s:.2g} s where the judge's says {self.wall_s:.2g} s"


def doubtful(base: Sequence[Reading], candidate: Sequence[Reading]) -> bool:
    """Whether most of a visit's samples are off: the machine may come between two readings once.

    Args:
        base: what its own clock is off by is nobody's fault.
        candidate: at least one.
    """
    bound = LEAST * min((1.0, *(one.claimed_s / one.took_s for one in base if one.took_s > 0)))
    few = sum(one.claimed_s < bound * (one.took_s - SLACK_S) for one in candidate)
    many = sum(one.claimed_s > MOST * one.wall_s + SLACK_S for one in candidate)
    return 2 * max(few, many) > len(candidate)


def clock_lie(visits: Sequence[Visit]) -> str | None:
    """What is wrong with the candidate's clock in every visit, None where it is right in one of them.

    Args:
        visits: of one benchmark, at least one.
    """
    lies = [visit.clock.lie if visit.clock else None for visit in visits]
    return lies[0] if all(lies) else None
