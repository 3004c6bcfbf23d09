"""Whether a gain is one for other inputs than the benchmark's own as well. Pure.

The benchmark is timed again with inputs that are close to its own and never the same twice. A gain that is work saved is
there as well; one that comes of knowing the answer is not.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Literal

from truelap.checks.timing.telling import seconds_of, usual_seconds
from truelap.model import Frozen

if TYPE_CHECKING:
    from collections.abc import Mapping

    from truelap.checks.timing.evidence import CaseResult, Visit
    from truelap.workers.venue import Name

LATE = "the time for all benchmarks was used up"

Borne = Literal["borne_out", "own_input_only", "not_tried"]

LIKE = 2.0
"""Base may take so many times as long for the other inputs, or as little: beyond that they are another question."""

SHARE = 0.5
"""So much of the logarithm of a gain must be there for the other inputs."""


class OwnInput(Frozen):
    """What came out for one benchmark.

    Attributes:
        status: `own_input_only` takes the gain away.
        reason: why it was not tried, or what was found.
        expected: the gain that is to be seen where the same time is saved in each call, as a log ratio.
        found: what was seen, visit by visit.
    """

    status: Borne
    reason: str | None = None
    expected: float | None = None
    found: tuple[float, ...] = ()

    def as_data(self) -> dict[str, Any]:
        """For timing.json."""
        return self.model_dump(mode="json")


def held(result: CaseResult, visits: tuple[Visit, ...], margin: float) -> OwnInput:
    """What visits with other inputs say of a gain.

    Args:
        result: of the benchmark's own input; faster.
        visits: with other inputs, at least one.
        margin: the policy's, as a share.
    """
    expected = min(_expected(result, visit) for visit in visits)
    found = tuple(visit.effect.elapsed if result.waits else visit.effect.log_ratio for visit in visits)
    if why := _why_not(result, visits, expected, margin):
        return OwnInput(status="not_tried", reason=why, expected=expected, found=found)
    if any(ratio >= SHARE * expected for ratio in found):
        return OwnInput(status="borne_out", expected=expected, found=found)
    reason = f"x{math.exp(max(found)):.2f} for inputs close to its own, where x{math.exp(expected):.2f} was to be seen"
    return OwnInput(status="own_input_only", reason=reason, expected=expected, found=found)


def undelivered(why: Mapping[Name, str], before: OwnInput | None = None) -> OwnInput:
    """What comes of a visit with other inputs that a side did not deliver.

    Base decides whether it counts at all: where base has no time left, one look that did not show the gain takes none away.
    What only the candidate does not deliver would hide what it gains there.

    Args:
        why: by side.
        before: what an earlier visit said.
    """
    known = before or OwnInput(status="not_tried")
    if "base" not in why:
        status, reason = "own_input_only", f"the candidate does not run other inputs: {why['candidate']}"
    else:
        again = " again" if known.found else ""
        status, reason = "not_tried", f"not looked at{again}: {why['base']}"
    return known.model_copy(update={"status": status, "reason": reason})


def _why_not(result: CaseResult, visits: tuple[Visit, ...], expected: float, margin: float) -> str | None:
    own = usual_seconds(result, "base")
    times = [seconds_of(result, visit, "base") / own for visit in visits]
    if not all(1 / LIKE <= ratio <= LIKE for ratio in times):
        return f"base takes {times[-1]:.2f} times as long for them as for its own input"
    return "the gain is too small to be looked for there" if SHARE * expected <= math.log1p(margin) else None


def _expected(result: CaseResult, visit: Visit) -> float:
    """Changing inputs takes time as well, on both sides: what is saved is a smaller share then."""
    own = result.log_ratio or 0.0
    saved = usual_seconds(result, "base") - usual_seconds(result, "candidate")
    base = seconds_of(result, visit, "base")
    return own if saved >= base else min(own, math.log(base / (base - saved)))


def without_gain(result: CaseResult, found: OwnInput, *, credit: bool = False) -> CaseResult:
    """The result, without its gain where that is for the benchmark's own input alone, unless the policy credits it."""
    if found.status != "own_input_only":
        return result.model_copy(update={"own_input": found})
    decision = result.decision if credit else "same"
    reason = f"own input only: {found.reason}"
    return result.model_copy(update={"own_input": found, "decision": decision, "reason": reason})
