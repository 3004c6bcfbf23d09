"""From visits and failures to a decision per benchmark. Pure."""

from __future__ import annotations

import math
from statistics import median
from typing import TYPE_CHECKING

from truelap.checks.timing.evidence import CaseResult, pair_ratios
from truelap.stats import borne_out, leaning, loses_time, median_interval, stray_limit_s

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from truelap.checks.timing.evidence import Decision, Visit
    from truelap.workers.cases import Timed
    from truelap.workers.venue import Name
    from truelap.workers.worker import Undelivered

WAITS = "it takes longer than its CPU time shows"

_WHO: Mapping[Name, str] = {"base": "base", "candidate": "the candidate"}
_LATE = "the time for all benchmarks was used up"

ASLEEP_S = 0.0005
"""CPU that a stopped sandbox may seem to use: none but what two readings of a clock differ by."""


def decide(
    visits: Sequence[Visit], margin: float, without: frozenset[str] = frozenset()
) -> tuple[Decision, str | None]:
    """What all visits say together, with the reason where they say less than they seem to.

    Faster or slower takes every visit beyond the margin in the same direction. What takes longer by computing and waiting
    together is slower, whatever its CPU clock says. A gain is disputed, and then is no gain,
    when the second clock does not bear it out, or when the candidate's sandbox worked outside its samples.

    Args:
        visits: at least one.
        margin: share of the time, 0.05 for 5 %.
        without: defences that the policy switches off.
    """
    effects = [visit.effect for visit in visits]
    decision = leaning(effects, margin)
    if "floor" not in without and any(visit.impossible for visit in visits):
        return "same", "impossible: its calls cost less than calls of an empty function"
    if "waiting" not in without and waits(visits, margin):
        # The clock that decides otherwise is told of where it shows as much.
        waiting = median(e.elapsed for e in effects) < median(e.log_ratio for e in effects) - math.log1p(
            margin
        )
        return "slower", WAITS if waiting else None
    if decision == "same":
        return decision, "the visits disagree" if leaning(effects[:1], margin) != "same" else None
    if "second_clock" not in without and not borne_out(effects, margin):
        return "same", "disputed: CPU and wall time tell different stories"
    doubt = _stray(visits) if decision == "faster" and "stray" not in without else None
    return ("same", f"disputed: {doubt}") if doubt else (decision, None)


def waits(visits: Sequence[Visit], margin: float) -> bool:
    """Whether time is lost that another clock need not show: in every visit beyond the margin, and in nearly all pairs of samples."""
    if not loses_time([visit.effect for visit in visits], margin):
        return False
    _, high = median_interval([ratio for visit in visits for ratio in pair_ratios(visit, "elapsed")])
    return high < 0


def _stray(visits: Sequence[Visit]) -> str | None:
    for visit in visits:
        allowed = stray_limit_s(visit.effect.log_ratio, visit.candidate.sampled_s)
        if visit.candidate.stray_s - visit.base.stray_s > allowed:
            return "the candidate computes between its samples"
        if visit.candidate.asleep_s > ASLEEP_S:
            return "the candidate computes while it is stopped"
    return None


def undecided(visits: Sequence[Visit], wanted: int, margin: float) -> bool:
    """Whether another visit could still make this benchmark faster or slower.

    A change that the second clock does not bear out yet gets as many visits again: on a crowded machine wall time needs
    them, and work that is hidden from one clock stays on the other.
    """
    if not visits:
        return True
    effects = [visit.effect for visit in visits]
    if loses_time(effects, margin):
        return len(visits) < wanted
    if leaning(effects, margin) == "same":
        return False
    return len(visits) < (wanted if borne_out(effects, margin) else 2 * wanted)


def broken(case: Timed, failures: Mapping[Name, Undelivered]) -> CaseResult:
    """The result of a benchmark that a side did not deliver: base decides whether it counts at all."""
    base, candidate = failures.get("base"), failures.get("candidate")
    if base is None:
        kind = "it skips what base runs" if candidate and candidate.kind == "skipped" else f"{candidate}"
        return unmeasured(case, "missing", kind)
    if base.kind != "skipped":
        return unmeasured(case, "invalid", f"base does not run it: {base}")
    both = candidate is not None
    result = unmeasured(case, "invalid", "skipped" if both else "skipped at base, not by the candidate")
    return result.model_copy(update={"candidate_runs_skipped": not both})


def not_reached(case: Timed, visits: Sequence[Visit], late: Name) -> CaseResult:
    """The result of a benchmark that the time for all of them did not reach, or not often enough to establish a change."""
    if visits:
        reason = f"not confirmed: {_LATE} by {_WHO[late]}"
        return CaseResult(
            id=case.id, params=case.params, decision="same", reason=reason, visits=tuple(visits)
        )
    return unmeasured(case, "invalid" if late == "base" else "missing", f"not run: {_LATE} by {_WHO[late]}")


def unmeasured(case: Timed, decision: Decision, reason: str) -> CaseResult:
    """A benchmark without a single number."""
    return CaseResult(id=case.id, params=case.params, decision=decision, reason=reason)


def measured(
    case: Timed, visits: Sequence[Visit], margin: float, without: frozenset[str] = frozenset()
) -> CaseResult:
    """A benchmark that both sides delivered every time."""
    decision, reason = decide(visits, margin, without)
    return CaseResult(
        id=case.id,
        params=case.params,
        decision=decision,
        reason=reason,
        visits=tuple(visits),
        waits=reason == WAITS,
    )
