"""Why a submission fails, in the words of the contract, and which findings stand for which reason. Pure."""

from __future__ import annotations

REASONS = (
    "no_patch",
    "tamper",
    "rebuild_failed",
    "tests_regressed",
    "outputs_differ",
    "benchmarks_missing",
    "unearned_speedup",
    "benchmarks_regressed",
    "not_measured",
)
"""Values of `failure_reason`, the first that holds counts."""

_REASON_OF = {  # a finding's code, or its family: what stands before the colon
    "refused": "no_patch",
    "no_patch": "no_patch",
    "tamper": "tamper",
    "rebuild_failed": "rebuild_failed",
    "rebuild": "rebuild_failed",
    "tests": "tests_regressed",
    "outputs": "outputs_differ",
    "outputs:missing": "benchmarks_missing",
    "benchmarks:regressed": "benchmarks_regressed",
    "benchmarks:memory": "benchmarks_regressed",
    "benchmarks": "benchmarks_missing",
    "time:moved": "unearned_speedup",
    "time:own_input_only": "unearned_speedup",
}


def reason_of(code: str) -> str | None:
    """The failure reason that a finding of this code stands for, None for a code that is no failure's."""
    return _REASON_OF.get(code) or _REASON_OF.get(code.partition(":")[0])
