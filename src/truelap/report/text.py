"""A verdict as a few lines for the terminal. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from truelap.report.encode import visible

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import Any

    from truelap.model import Finding, Verdict

_SHOWN_FINDINGS = 20


def render_text(verdict: Verdict) -> str:
    """A few lines for people: outcome, why, what was measured, every failure."""
    lines = [
        _headline(verdict),
        *(f"  {name:<9} {visible(text)}" for name, text in _facts(verdict) if text),
        *_finding_lines(verdict),
    ]
    return "\n".join(lines) + "\n"


def _headline(verdict: Verdict) -> str:
    why = f": {verdict.failure_reason}" if verdict.failure_reason else ""
    speed = "" if verdict.speed == "not_measured" else f"  {verdict.speed}"
    ratio = verdict.timing.get("speedup")
    times = f" x{ratio:.3f} (geometric mean)" if speed and isinstance(ratio, int | float) else ""
    return f"{verdict.outcome.upper()}{why}{speed}{times}"


def _facts(verdict: Verdict) -> Iterable[tuple[str, str]]:
    task, given = verdict.task, verdict.submission
    yield "task", f"{task.get('name')}, base {task.get('base')}"
    discarded = f"; put back to base: {len(verdict.discarded)}" if verdict.discarded else ""
    yield "patch", f"{given.files} files, +{given.added_lines} -{given.removed_lines}{discarded}"
    tests, timing = verdict.tests, verdict.timing
    if tests:
        passed = f"{tests.get('n_base_pass')} pass at base, {tests.get('n_regressed')} of them not in the candidate"
        chosen = f" (chosen: {tests['strategy']})" if tests.get("strategy") else ""
        yield "tests", passed + chosen
        yield "values", _values(tests.get("value_evidence") or {})
    if timing:
        yield (
            "timing",
            ", ".join(f"{timing.get(f'n_{k}', 0)} {k}" for k in ("faster", "slower", "same", "missing")),
        )
    value = "none" if verdict.reward.value is None else f"{verdict.reward.value:.4f}"
    yield "reward", f"{value} ({verdict.reward.scheme}: {'; '.join(verdict.reward.reasons)})"


def _values(told: Mapping[str, Any]) -> str:
    if not told:
        return ""
    counts = f"{told.get('tests_with')} of {told.get('tests_passing')} passing tests"
    share = told.get("share")
    shown = f" ({share:.0%})" if isinstance(share, int | float) else ""
    assertions = f"{told.get('assertions_with')} of {told.get('assertions')} assertions reached"
    return f"{counts}{shown} are judged by what they compare, by {assertions}"


def _finding_lines(verdict: Verdict) -> Iterator[str]:
    grave: list[Finding] = [f for f in verdict.findings if f.level != "info"]
    rest = [f for f in verdict.findings if f.level == "info"]
    for finding in (*grave, *rest)[:_SHOWN_FINDINGS]:
        place = f" {visible(finding.path)}:" if finding.path else ""
        yield f"  {finding.level:<12} {finding.code}{place} {visible(finding.message)}"
    if (hidden := len(grave) + len(rest) - _SHOWN_FINDINGS) > 0:
        yield f"  and {hidden} more in verdict.json"
