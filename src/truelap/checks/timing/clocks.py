"""Whether a worker's own clock tells what the judge's clocks tell. Pure.

The worker says how long each sample took by the clock that a benchmark would use. Nothing is decided by that; but a clock that was
made to run slow, to stand still or to jump gives away who made it (TIM-01 and TIM-02 of the attack catalogue).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from truelap.checks.timing.evidence import Side, Visit

LEAST = 0.7
"""Of what was computed and waited, as a share of base's own worst: below that a claim is too small."""

MOST = 1.02
"""Of the judge's wall time, which is read around the worker's: above that a claim is too large."""

SLACK_S = 0.0005
"""For a sample so short that the conversation is most of it."""


def clock_lie(visits: Sequence[Visit]) -> str | None:
    """What is wrong with the candidate's clock in every visit, None where it is right in one of them.

    Args:
        visits: of one benchmark; sides that claim nothing say nothing.
    """
    lies = [_lie(visit) for visit in visits]
    return next(iter(lies), None) if all(lies) else None


def _lie(visit: Visit) -> str | None:
    bound = LEAST * min((1.0, *(_share(*one) for one in _samples(visit.base))))
    samples = list(_samples(visit.candidate))
    slow = [one for one in samples if one[0] < bound * (one[1] - SLACK_S)]
    fast = [one for one in samples if one[0] > MOST * one[2] + SLACK_S]
    wrong = max(slow, fast, key=len)
    # Most of them: the machine may come between two readings once.
    if not samples or 2 * len(wrong) <= len(samples):
        return None
    claimed, _, wall = wrong[0]
    return f"its own clock says {claimed:.2g} s where the judge's says {wall:.2g} s"


def _samples(side: Side) -> list[tuple[float, float, float]]:
    """Of each sample in seconds: what is claimed, computing and waiting, and wall."""
    elapsed = side.elapsed_per_call or side.wall_per_call
    return [
        (side.calls * claimed, side.calls * took, side.calls * wall)
        for claimed, took, wall in zip(side.claimed_per_call, elapsed, side.wall_per_call, strict=False)
    ]


def _share(claimed: float, took: float, _: float) -> float:
    return claimed / took if took > 0 else 1.0
