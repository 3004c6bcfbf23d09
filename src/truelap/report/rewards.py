"""The reward as Harbor reads it: a flat file of numbers, and the gates in rewardkit's shape. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from truelap.errors import WorldError
from truelap.report.encode import finite

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from truelap.model import Verdict

_GATES = {  # what a failure reason says about each gate, in the order of the line
    "admitted": "no_patch",
    "untampered": "tamper",
    "rebuilt": "rebuild_failed",
    "tests": "tests_regressed",
    "outputs": "outputs_differ",
    "benchmarks_present": "benchmarks_missing",
    "earned": "unearned_speedup",
    "not_slower": "benchmarks_regressed",
}
_SHOWN_MESSAGES = 20


def reward_numbers(verdict: Verdict) -> dict[str, float]:
    """The content of reward.json: flat and finite. A speed-up that was not measured is 1, beside counts of 0.

    Raises:
        WorldError: the verdict has no reward.
    """
    if verdict.reward.value is None:
        raise WorldError("report: a verdict without a reward has no reward.json")
    return {
        "reward": verdict.reward.value,
        "speedup": _number(verdict.timing, "speedup", 1.0),
        **{key: _number(verdict.timing, key) for key in ("n_faster", "n_slower", "n_same", "n_missing")},
        "n_regressed_tests": _number(verdict.tests, "n_regressed"),
        "n_output_differences": sum(
            _number(verdict.outputs, key) for key in ("n_differs", "n_siblings_differ")
        ),
    }


def reward_details(verdict: Verdict) -> dict[str, Any]:
    """The content of reward-details.json."""
    doubts = [f.message for f in verdict.findings if f.level == "inconclusive"]
    criteria = list(_criteria(verdict))
    score = {"score": verdict.reward.value, "kind": "programmatic", "criteria": criteria, "warnings": doubts}
    return {"reward": score}


def _criteria(verdict: Verdict) -> Iterator[dict[str, Any]]:
    """The gates in rewardkit's shape; those behind the first failure are not said to hold."""
    failed_before = False
    for name, reason in _GATES.items():
        fails = verdict.failure_reason == reason
        messages = [f.message for f in verdict.findings if f.level == "fail"] if fails else []
        yield {
            "name": name,
            "value": 0.0 if fails or failed_before else 1.0,
            "raw": not (fails or failed_before),
            "weight": 1.0,
            "description": f"fails with {reason}",
            "reasoning": "; ".join(messages[:_SHOWN_MESSAGES]),
            "error": f"not decided: {verdict.failure_reason}" if failed_before else None,
        }
        failed_before = failed_before or fails


def _number(section: Mapping[str, Any], key: str, default: float = 0) -> float:
    value = finite(section.get(key))
    return value if isinstance(value, int | float) and not isinstance(value, bool) else default
