"""The few benchmarks that verdict.json names: what a reader wants to see first; timing.json holds all. Pure."""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING, Any

from truelap.stats import speedup

if TYPE_CHECKING:
    from collections.abc import Iterable

    from truelap.checks.timing.evidence import CaseResult, Side, Visit
    from truelap.workers.venue import Name

_EACH, _ALL = 8, 16


def notable(cases: Iterable[CaseResult]) -> list[dict[str, Any]]:
    """What is missing and slower, the worst first; what is faster, the best first; then, while there is room, the rest."""
    known = tuple(cases)
    bad = sorted((case for case in known if case.decision in {"missing", "slower"}), key=_speed)
    good = sorted((case for case in known if case.decision == "faster"), key=_speed, reverse=True)
    rest = sorted((case for case in known if case.decision in {"same", "invalid"}), key=_change, reverse=True)
    first = [*bad[:_EACH], *good[:_EACH]]
    return [_row(case) for case in (*first, *rest[: _ALL - len(first)])]


def _speed(case: CaseResult) -> float:
    return float("-inf") if case.log_ratio is None else case.log_ratio


def _change(case: CaseResult) -> float:
    return -1.0 if case.log_ratio is None else abs(case.log_ratio)


def _row(case: CaseResult) -> dict[str, Any]:
    ratio = case.log_ratio
    return {
        "id": case.id,
        "params": list(case.params),
        "decision": case.decision,
        "reason": case.reason,
        "base_s": _seconds([times_of(case, visit, visit.base) for visit in case.judged]),
        "candidate_s": _seconds([times_of(case, visit, visit.candidate) for visit in case.judged]),
        "speedup": None if ratio is None else speedup((ratio,)),
    }


def times_of(case: CaseResult, visit: Visit, side: Side) -> tuple[float, ...]:
    """Of one call, by the clock that the ratio is taken from."""
    if case.waits:
        return side.elapsed_per_call or side.wall_per_call
    return side.cpu_per_call if visit.effect.clock == "cpu" else side.wall_per_call


def seconds_of(result: CaseResult, visit: Visit, name: Name) -> float:
    """What a call takes on one side of a visit."""
    return median(times_of(result, visit, visit.base if name == "base" else visit.candidate))


def usual_seconds(result: CaseResult, name: Name) -> float:
    """What a call takes on one side, by the visits that the reported ratio comes from."""
    return median(seconds_of(result, visit, name) for visit in result.judged)


def _seconds(visits: list[tuple[float, ...]]) -> float | None:
    times = [value for visit in visits for value in visit]
    return median(times) if times else None
