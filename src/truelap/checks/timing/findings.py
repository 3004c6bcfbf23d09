"""What the measured times mean for the submission. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from truelap.checks.timing.decide import UNCOMPARED
from truelap.model import Finding, Level
from truelap.wording import grouped
from truelap.workers.cases import NOT_TIMED

if TYPE_CHECKING:
    from collections.abc import Iterator

    from truelap.checks.timing.evidence import CaseResult, TimingEvidence
    from truelap.policy import Policy

_TOUCHED = "the candidate wrote here while it was timed, which base did not, whatever stands there now"


def judge(evidence: TimingEvidence, policy: Policy) -> tuple[Finding, ...]:
    """Every benchmark that base has must be delivered; something must have been measured."""
    return (
        *_of_cases(evidence, policy),
        *_of_values(evidence, policy),
        *(
            Finding(
                code="time:module_failed",
                level="info",
                message=f"{module}: cannot be imported at base: {reason}",
            )
            for module, reason in sorted(evidence.failed_modules.items())
        ),
        *(
            Finding(code="tamper:tree_changed", level="fail", message="changed while it was timed", path=path)
            for path in evidence.changed_files
        ),
        *(
            Finding(code="tamper:tree_touched", level="fail", message=_TOUCHED, path=path)
            for path in evidence.touched
        ),
        *_of_choice(evidence),
        *_of_nothing(evidence),
    )


def _of_choice(evidence: TimingEvidence) -> Iterator[Finding]:
    choice = evidence.choice
    if choice is not None and choice.left:
        text = (
            f"{choice.why}; {len(choice.screened)} others were run by chance, and {len(choice.left)} were not"
        )
        yield Finding(code="time:not_all_run", level="info", message=text)


def _of_cases(evidence: TimingEvidence, policy: Policy) -> Iterator[Finding]:
    gone = [(one.id, str(one.reason)) for one in evidence.cases if one.decision == "missing"]
    gone += [(one.id, str(one.reason)) for one in evidence.values if one.decision == "missing"]
    if policy.keeps("missing_benchmarks"):
        for text in grouped(gone):
            yield Finding(code="benchmarks:missing", level="fail", message=text)
    for case in evidence.cases:
        if case.decision == "missing" and policy.keeps("missing_benchmarks"):
            continue
        found = _impossible(case, policy) or _told(case, policy) or _unearned(case, policy)
        if found is not None:
            yield found


def _impossible(case: CaseResult, policy: Policy) -> Finding | None:
    """What no honest program shows."""
    if (lie := case.clock_lie) and policy.keeps("claims"):
        return Finding(code="tamper:clock", level="fail", message=f"{case.id}: {lie}")
    if case.impossible and policy.keeps("floor"):
        return Finding(code="tamper:impossible_speed", level="fail", message=f"{case.id}: {case.reason}")
    return None


def _told(case: CaseResult, policy: Policy) -> Finding | None:
    slower: Level = "fail" if policy.verdict.regressions == "reject" else "info"
    if case.decision == "slower":
        return Finding(code="benchmarks:regressed", level=slower, message=f"{case.id}: {_times(case)}")
    if case.candidate_runs_skipped:
        return Finding(code="time:skip_differs", level="info", message=f"{case.id}: {case.reason}")
    if case.reason and case.reason.startswith("disputed"):
        return Finding(code="time:disputed", level="info", message=f"{case.id}: {case.reason}")
    if case.reason == UNCOMPARED:
        return Finding(code="time:uncompared", level="info", message=f"{case.id}: {case.reason}")
    return None


def _unearned(case: CaseResult, policy: Policy) -> Finding | None:
    if case.own_input and case.own_input.status == "own_input_only":
        code, rule = "time:own_input_only", policy.verdict.memo
    elif case.moved and case.moved.status == "moved":
        code, rule = "time:moved", policy.verdict.moved
    else:
        return None
    level: Level = "fail" if rule == "reject" else "info"
    return Finding(code=code, level=level, message=f"{case.id}: {case.reason}")


def _of_values(evidence: TimingEvidence, policy: Policy) -> Iterator[Finding]:
    memory: Level = "fail" if policy.verdict.memory == "reject" else "info"
    for one in evidence.values:
        if one.decision == "higher":
            yield Finding(code="benchmarks:memory", level=memory, message=f"{one.id}: {one.shown}")
        elif one.decision == "changed":
            yield Finding(code="time:value_changed", level="info", message=f"{one.id}: {one.shown}")
        elif one.candidate_runs_skipped:
            yield Finding(code="time:skip_differs", level="info", message=f"{one.id}: {one.reason}")


def _times(case: CaseResult) -> str:
    data = case.as_data()
    return f"runs at {data['speedup']:.2f} of base's speed"


def _of_nothing(evidence: TimingEvidence) -> Iterator[Finding]:
    if evidence.bar is None and any(case.proof and case.proof.noisy for case in evidence.cases):
        text = f"base beside itself lies far beyond the margin in too many of {len(evidence.control)} visits: no change can be established here"
        yield Finding(code="time:too_noisy", level="inconclusive", message=text)
    if evidence.out_of_time:
        text = "base's benchmarks alone take more than half of time.station_s: choose fewer, or raise it"
        yield Finding(code="time:out_of_time", level="inconclusive", message=text)
    if not any(evidence.count(decision) for decision in ("faster", "slower", "same", "missing")):
        kinds = {case.reason for case in evidence.cases if case.reason and case.reason.startswith(NOT_TIMED)}
        if evidence.values:
            why = "those of base's suite say memory or other numbers, no times"
        elif evidence.cases and len(kinds) == len({case.reason for case in evidence.cases}):
            why = f"of those chosen, none can be ({', '.join(sorted(kinds))})"
        elif evidence.cases:
            why = "base delivers none of them"
        elif evidence.failed_modules:
            why = "no module of base's suite can be imported; does --python name an environment that has all it needs?"
        else:
            why = "base's suite holds no benchmark that can be timed"
        yield Finding(
            code="time:nothing_measured", level="inconclusive", message=f"no benchmark was measured: {why}"
        )
