"""Whether a gain is work that is done outside of what is timed: in setup, in teardown, or when modules are imported; or memory. Pure.

TIM-11 of the attack catalogue. What the timed calls save may not be paid for, in the same run, where no clock ran.
"""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING, Any, Literal

from truelap.checks.timing.telling import seconds_of, usual_seconds
from truelap.model import Frozen
from truelap.stats import log_ratio

if TYPE_CHECKING:
    from truelap.checks.timing.evidence import CaseResult, Visit
    from truelap.policy import Time

SHARE = 0.5
"""So much of what a call saves may be paid elsewhere."""

NOISE_S = 0.0003
NOISE_SHARE = 0.1
"""A setup counts as dearer from both together on. The same setup in two processes of an idle two-core machine, twelve times: the median of
three differed by up to 0.13 ms of 1.4 ms and 1.0 ms of 24 ms, one alone by up to 0.23 ms of 0.5 ms and 2.2 ms of 24 ms."""


class Outside(Frozen):
    """What one side takes around a benchmark's calls, in seconds of CPU of its whole sandbox; one number a process.

    Attributes:
        load_s: importing the modules of the suite, and all that they import.
        setup_s: the first setup in a new process.
        first_s: the first call in a new process.
        again_s: another setup in the same process.
        peak_bytes: the most memory that its processes held meanwhile; no time.
    """

    load_s: tuple[float, ...]
    setup_s: tuple[float, ...]
    first_s: tuple[float, ...]
    again_s: tuple[float, ...]
    peak_bytes: tuple[int, ...] = ()


class Moved(Frozen):
    """What came out for one benchmark.

    Attributes:
        status: `moved` takes the gain away.
        reason: why it was not looked at, or what was found.
        base: what base takes outside of its calls; None where it was not looked at.
        candidate: likewise.
    """

    status: Literal["kept", "moved", "not_tried"]
    reason: str | None = None
    base: Outside | None = None
    candidate: Outside | None = None

    @property
    def first_call(self) -> float | None:
        """The log ratio of the first calls in new processes."""
        if self.base is None or self.candidate is None:
            return None
        return log_ratio(median(self.base.first_s), median(self.candidate.first_s))

    def as_data(self) -> dict[str, Any]:
        """For timing.json."""
        return {**self.model_dump(mode="json"), "first_call_log_ratio": self.first_call}


def weighed(result: CaseResult, base: Outside, candidate: Outside, time: Time) -> Moved:
    """Hold what a gain saves against what is paid for it elsewhere.

    Setup may not take back half of what one call saves: a setup and a call must be quicker together than they were. A first setup
    in a process may in addition bring something once, such as a module that is imported when it is needed.

    Args:
        result: faster.
        base: what base takes.
        candidate: what the candidate takes.
        time: the policy's thresholds.
    """
    saved = usual_seconds(result, "base") - usual_seconds(result, "candidate")
    again, before = median(candidate.again_s), median(base.again_s)
    grown = again - before
    if grown > max(SHARE * saved, NOISE_S + NOISE_SHARE * before):
        reason = f"each setup takes {grown:.2g} s more ({again:.2g} s), a call {saved:.2g} s less"
        return Moved(status="moved", reason=reason, base=base, candidate=candidate)
    once = median(candidate.setup_s) - median(base.setup_s)
    if once > SHARE * saved + time.once_s + NOISE_SHARE * median(base.setup_s):
        reason = f"the first setup takes {once:.2g} s more, a call {saved:.2g} s less"
        return Moved(status="moved", reason=reason, base=base, candidate=candidate)
    return Moved(status="kept", base=base, candidate=candidate)


def put_off(result: CaseResult) -> str | None:
    """Why what the calls of the visits save was computed by the same sandboxes all the same, between or after them; None where it was not.

    The rule of conservation of CPU: what many short calls save shows here, where one call's share would be lost in the noise.
    """
    extra = median(visit.candidate.outside_s - visit.base.outside_s for visit in result.judged)
    noise = median(visit.base.outside_s for visit in result.judged) * NOISE_SHARE + NOISE_S
    saved = median(_saved_s(result, visit) for visit in result.judged)
    if extra <= max(SHARE * saved, noise):
        return None
    return f"outside of its samples a visit takes {extra:.2g} s more, in them {saved:.2g} s less"


def _saved_s(result: CaseResult, visit: Visit) -> float:
    each = seconds_of(result, visit, "base") - seconds_of(result, visit, "candidate")
    return each * visit.candidate.calls * len(visit.candidate.cpu_per_call)


def import_growth(base: Outside, candidate: Outside, time: Time) -> str | None:
    """Why importing costs too much more than before; None where it does not."""
    before, now = median(base.load_s), median(candidate.load_s)
    if now - before <= max(time.import_s, before):
        return None
    return f"importing the suite takes {now:.2g} s, at base {before:.2g} s"


def memory_growth(base: Outside, candidate: Outside, time: Time) -> str | None:
    """Why the processes hold too much more memory than before; None where they do not."""
    before, now = (median(side.peak_bytes or (0,)) for side in (base, candidate))
    if now - before <= max(time.peak_bytes, before):
        return None
    return f"it holds {now / 1e6:.0f} MB of memory, at base {before / 1e6:.0f} MB"


def without_moved(result: CaseResult, found: Moved, *, credit: bool = False) -> CaseResult:
    """The result, without its gain where that is work done elsewhere, unless the policy credits it."""
    if found.status != "moved":
        return result.model_copy(update={"moved": found})
    decision = result.decision if credit else "same"
    reason = f"moved: {found.reason}"
    return result.model_copy(update={"moved": found, "decision": decision, "reason": reason})
