"""From a verdict and the timing evidence to one number for a trainer. Pure.

What is read, besides the outcome, is `timing.json` among the evidence's artifacts: `benchmarks` maps each id to
`{"decision": faster|slower|same|missing|invalid, "log_ratio": ln(t_base / t_candidate) or null, ...}`, and where a
reference patch was timed in the same run, `"reference_log_ratio"` in the same sense.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

from truelap.model import Reward
from truelap.wording import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from truelap.model import Case, Verdict
    from truelap.policy import Policy, RewardRules

_MEASURED = ("faster", "slower", "same")
_FORMULACODE_FAIL = -1.0
_FORMULACODE_FLOOR = math.log(1.08)


class Change(NamedTuple):
    """One measured benchmark: ln(t_base / t_candidate) as far as it is established, and the reference's or None."""

    credit: float
    reference: float | None


def with_reward(verdict: Verdict, case: Case, policy: Policy) -> Verdict:
    """The verdict with its reward; never a number when it is inconclusive."""
    return verdict.model_copy(update={"reward": score(verdict, changes(case), policy.reward)})


def changes(case: Case) -> tuple[Change, ...]:
    """All measured benchmarks of the newest `timing.json`.

    A change that is not established counts as none, so does one whose ratio contradicts its decision.
    """
    rows: dict[str, Any] = {}
    for _, evidence in case.evidence:
        rows = evidence.artifacts().get("timing.json", {}).get("benchmarks", rows)
    return tuple(_change(row) for row in rows.values() if row.get("decision") in _MEASURED)


def score(verdict: Verdict, changes: tuple[Change, ...], rules: RewardRules) -> Reward:
    """Apply the policy's scheme.

    Args:
        verdict: only its outcome and failure reason are read.
        changes: every measured benchmark.
        rules: the scheme and its numbers.
    """
    value, reason = _scored(verdict, changes, rules)
    if value is not None and not math.isfinite(value):
        value, reason = None, "the score is not a finite number"
    return Reward(value=value, scheme=rules.scheme, reasons=(reason,))


def _scored(verdict: Verdict, changes: tuple[Change, ...], rules: RewardRules) -> tuple[float | None, str]:
    if verdict.outcome == "inconclusive":
        return None, "inconclusive: nothing can be said, so there is no reward"
    if verdict.outcome != "accepted":
        fails = _FORMULACODE_FAIL if rules.scheme == "formulacode-v1" else rules.fail_penalty
        return fails, f"{verdict.outcome}: {verdict.failure_reason}"
    return _SCHEMES[rules.scheme](changes, rules)


def _log_speedup(changes: tuple[Change, ...], rules: RewardRules) -> tuple[float | None, str]:
    confirmed = sum(change.credit != 0 for change in changes)
    if not confirmed:
        return 0.0, "accepted, without a confirmed change of speed"
    value = _mean(_capped(change.credit, rules.cap) for change in changes)
    return (
        value,
        f"mean of ln(speed-up) over {counted(len(changes), 'benchmark')}, {confirmed} of them changed",
    )


def _formulacode_v1(changes: tuple[Change, ...], _rules: RewardRules) -> tuple[float | None, str]:
    if not changes:
        return None, "no benchmark was measured"
    log_gain = _mean(change.credit for change in changes)
    if log_gain <= 0:
        return 0.25 + 0.75 * math.exp(log_gain), "geometric mean of the speed-ups is at most 1"
    return 1 + 2.5 * min(log_gain / _FORMULACODE_FLOOR, 2.0), "geometric mean of the speed-ups is above 1"


def _advantage(changes: tuple[Change, ...], rules: RewardRules) -> tuple[float | None, str]:
    compared = [c for c in changes if c.reference is not None]
    if not changes or len(compared) < len(changes):
        return (
            None,
            "scheme advantage needs the reference patch timed in the same run; name it in the task file",
        )
    value = _mean(_capped(c.credit, rules.cap) - _capped(c.reference or 0.0, rules.cap) for c in compared)
    return value, f"mean of ln(reference's time / candidate's time) over {counted(len(changes), 'benchmark')}"


_SCHEMES: dict[str, Callable[[tuple[Change, ...], RewardRules], tuple[float | None, str]]] = {
    "log-speedup": _log_speedup,
    "formulacode-v1": _formulacode_v1,
    "advantage": _advantage,
}


def _change(row: dict[str, Any]) -> Change:
    ratio = _number(row.get("log_ratio")) or 0.0
    gain, loss = max(ratio, 0.0), min(ratio, 0.0)
    credit = {"faster": gain, "slower": loss, "same": 0.0}[row["decision"]]
    return Change(credit, _number(row.get("reference_log_ratio")))


def _number(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return None
    return float(value)


def _capped(value: float, cap: float) -> float:
    return max(-cap, min(cap, value))


def _mean(values: Iterable[float]) -> float:
    listed = list(values)
    return math.fsum(listed) / len(listed) + 0.0
