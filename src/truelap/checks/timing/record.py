"""What timing.json holds of what was measured. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from truelap.stats import speedup

if TYPE_CHECKING:
    from truelap.checks.timing.evidence import CaseResult, Side, TimingEvidence, Visit


def case_data(case: CaseResult) -> dict[str, Any]:
    """Of one benchmark."""
    ratio, interval = case.log_ratio, case.interval
    return {
        "decision": case.decision,
        "reason": case.reason,
        "params": list(case.params),
        "log_ratio": ratio,
        "interval": None if interval is None else list(interval),
        "speedup": None if ratio is None else speedup((ratio,)),
        "base": _side([visit.base for visit in case.visits], waits=case.waits),
        "candidate": _side([visit.candidate for visit in case.visits], waits=case.waits),
        "visits": [_visit(visit) for visit in case.visits],
        "first_pass": _visit(case.visits[0]) if case.visits else None,
        "confirmation": _confirmation(case),
        "own_input": case.own_input.as_data() if case.own_input else None,
        "moved": case.moved.as_data() if case.moved else None,
    }


def control_data(evidence: TimingEvidence) -> dict[str, Any]:
    """Of base beside itself."""
    return {
        "visits": len(evidence.control),
        "log_ratios": [visit.effect.log_ratio for visit in evidence.control],
        "margin": evidence.bar.margin if evidence.bar else None,
        "chance": evidence.bar.chance if evidence.bar else None,
    }


def _confirmation(case: CaseResult) -> dict[str, Any] | None:
    proof, interval = case.proof, case.interval
    if proof is None or not proof.visits or interval is None:
        return None
    return {
        "visits": proof.visits,
        "log_ratio": case.log_ratio,
        "interval": list(interval),
        "evidence": {"faster": proof.faster, "slower": proof.slower},
        "needed": proof.needed,
    }


def _visit(visit: Visit) -> dict[str, Any]:
    effect = visit.effect
    return {
        "log_ratio": effect.log_ratio,
        "check": effect.check,
        "clock": effect.clock,
        "elapsed": effect.elapsed,
        "empty_seconds_per_call": visit.empty_s,
        "pairs": len(visit.pairs),
    }


def _side(sides: list[Side], *, waits: bool) -> dict[str, Any]:
    cpu = [value for side in sides for value in side.cpu_per_call]
    elapsed = [value for side in sides for value in side.elapsed_per_call]
    return {
        "seconds_per_call": elapsed if waits else cpu,
        "claimed_seconds_per_call": [value for side in sides for value in side.claimed_per_call],
        "wall_seconds_per_call": [value for side in sides for value in side.wall_per_call],
        "elapsed_seconds_per_call": elapsed,
        "calls": [side.calls for side in sides],
        "cpu_s": sum(side.cpu_s for side in sides),
        "outside_cpu_s": sum(side.outside_s for side in sides),
        "stray_cpu_s": sum(side.stray_s for side in sides),
    }
