"""From visits and failures to a decision per benchmark. Pure."""

from __future__ import annotations

import math
from statistics import median
from typing import TYPE_CHECKING

from truelap.checks.timing.evidence import CaseResult, pair_ratios
from truelap.checks.timing.proof import beyond
from truelap.stats import borne_out, median_interval, stray_limit_s

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from truelap.checks.timing.betting import Proof
    from truelap.checks.timing.evidence import Decision, Visit
    from truelap.workers.cases import Timed
    from truelap.workers.venue import Name
    from truelap.workers.worker import Undelivered

WAITS = "it takes longer than its CPU time shows"

_WHO: Mapping[Name, str] = {"base": "base", "candidate": "the candidate"}
_LATE = "the time for all benchmarks was used up"

UNCOMPARED = "not credited: nothing compares what its code computes in an interpreter of its own"

TALK_S = 0.0003
"""Waiting in a sample that its question and its answer alone may bring, more on one side than on the other."""

ASLEEP_S = 0.0005
"""CPU that a stopped sandbox may seem to use: none but what two readings of a clock differ by."""


def decide(
    visits: Sequence[Visit], proof: Proof, margin: float, without: frozenset[str] = frozenset()
) -> tuple[Decision, str | None]:
    """What all visits say together, with the reason where they say less than they seem to.

    Faster or slower is what the confirmation proves. What takes longer by computing and waiting
    together is slower, whatever its CPU clock says. A gain is disputed, and then is no gain,
    when the second clock does not bear it out, or when the candidate's sandbox worked outside its samples. One that is partly
    waiting is told by computing and waiting together.

    Args:
        visits: at least one.
        proof: what they prove.
        margin: share of the time, 0.05 for 5 %.
        without: defences that the policy switches off.
    """
    effects = [visit.effect for visit in visits]
    if "floor" not in without and any(visit.impossible for visit in visits):
        return "same", "impossible: its calls cost less than calls of an empty function"
    if proof.claim == "same":
        return "same", _unproved(proof) if beyond(effects[0], margin, without) else None
    if proof.claim == "slower" and "waiting" not in without and waits(visits[1:], margin):
        # The clock that decides otherwise is told of where it shows as much.
        waiting = median(e.elapsed for e in effects) < median(e.log_ratio for e in effects) - math.log1p(
            margin
        )
        return "slower", WAITS if waiting else None
    if "second_clock" not in without and not borne_out(effects, margin):
        return "same", "disputed: CPU and wall time tell different stories"
    if proof.claim == "slower":
        lost = median(effect.log_ratio for effect in effects[1:]) < -math.log1p(margin)
        return ("slower", None) if lost else ("same", _unproved(proof))
    return _gain(visits, margin, without)


def _unproved(proof: Proof) -> str:
    if proof.noisy:
        return "not established: base beside itself changes as often"
    return "the visits disagree" if proof.best < 1 else "not established: the visits do not agree enough"


def waits(visits: Sequence[Visit], margin: float) -> bool:
    """Whether time is lost that another clock need not show: in most visits beyond the margin, and in nearly all pairs of samples."""
    if median(visit.effect.elapsed for visit in visits) >= -math.log1p(margin):
        return False
    _, high = median_interval([ratio for visit in visits for ratio in pair_ratios(visit, "elapsed")])
    return high < 0


def _gain(visits: Sequence[Visit], margin: float, without: frozenset[str]) -> tuple[Decision, str | None]:
    doubt = _stray(visits) if "stray" not in without else None
    if doubt:
        return "same", f"disputed: {doubt}"
    if "waiting" in without or not lingers(visits, margin):
        return "faster", None
    # It is paid by what it takes in all, if that is a gain as well.
    edge = math.log1p(margin)
    if all(visit.effect.elapsed > edge for visit in visits):
        return "faster", WAITS
    return "same", f"disputed: {WAITS}"


def lingers(visits: Sequence[Visit], margin: float) -> bool:
    """Whether a gain of CPU time is partly one of waiting: for processes that no clock sees, for sleep, for locks.

    In every visit the gain by computing and waiting together is smaller, beyond the margin, and so it is in nearly all pairs. What
    stands in line for a core does not wait, nor does a conversation with the judge count.
    """
    if any(visit.effect.clock != "cpu" for visit in visits):
        return False
    lost = [_lost(visit) for visit in visits]
    if any(median(ratios) >= -math.log1p(margin) for ratios in lost) or any(map(_only_talks, visits)):
        return False
    return median_interval([ratio for ratios in lost for ratio in ratios])[1] < 0


def _lost(visit: Visit) -> list[float]:
    both = zip(pair_ratios(visit, "elapsed"), pair_ratios(visit, "own"), strict=True)
    return [elapsed - cpu for elapsed, cpu in both]


def _only_talks(visit: Visit) -> bool:
    base = median(pair.base.elapsed - pair.base.cpu_s for pair in visit.pairs) * visit.base.calls
    candidate = median(pair.candidate.elapsed - pair.candidate.cpu_s for pair in visit.pairs)
    return candidate * visit.candidate.calls - base <= TALK_S


def _stray(visits: Sequence[Visit]) -> str | None:
    for visit in visits:
        allowed = stray_limit_s(visit.effect.log_ratio, visit.candidate.sampled_s)
        if visit.candidate.stray_s - visit.base.stray_s > allowed:
            return "the candidate computes between its samples"
        if visit.candidate.asleep_s > ASLEEP_S:
            return "the candidate computes while it is stopped"
    return None


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
    case: Timed, visits: Sequence[Visit], proof: Proof, margin: float, without: frozenset[str] = frozenset()
) -> CaseResult:
    """A benchmark that both sides delivered every time."""
    decision, reason = decide(visits, proof, margin, without)
    return CaseResult(
        id=case.id,
        params=case.params,
        decision=decision,
        reason=reason,
        visits=tuple(visits),
        waits=reason == WAITS,
        proof=proof,
    )


def without_credit(result: CaseResult) -> CaseResult:
    """The result of a benchmark of kind timeraw, without its gain.

    Its code runs in a process that looks like no other, and what it computes there is seen by nobody.
    """
    if result.decision != "faster":
        return result
    return result.model_copy(update={"decision": "same", "reason": UNCOMPARED})
