"""The first line: of a verdict, or of one check, which has no outcome. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from truelap.reasons import reason_of
from truelap.report.encode import visible
from truelap.wording import counted

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from truelap.model import Verdict

_BESIDE_TESTS = ("plugin:", "session:", "perturb:", "late:", "canary:", "config:")
"""What counts as a regression and is no test that base passes and the candidate does not."""


def headline(verdict: Verdict) -> str:
    """Outcome and why, and how fast where that is credited. Where nothing can be said: the first doubt in its own words."""
    if verdict.outcome == "inconclusive":
        doubt = next((f.message for f in verdict.findings if f.level == "inconclusive"), "nobody said why")
        return f"INCONCLUSIVE: {visible(doubt)}{_unconfined(verdict)}"
    why = f": {_reason(verdict)}" if verdict.failure_reason else ""
    credited = verdict.outcome == "accepted" and verdict.speed != "not_measured"
    speed = f"  {verdict.speed} {_mean(verdict.timing)}" if credited else ""
    return f"{verdict.outcome.upper()}{why}{speed}".rstrip() + _unconfined(verdict)


def _unconfined(verdict: Verdict) -> str:
    return "" if verdict.machine.confined else "  [NO SANDBOX]"


def of_check(verdict: Verdict, check: str) -> str:
    """What one check found.

    Args:
        verdict: of a line with this check alone.
        check: "tests", "outputs" or "time".
    """
    section = {"tests": verdict.tests, "outputs": verdict.outputs}.get(check, verdict.timing)
    say = {"tests": passing, "outputs": computing}.get(check, _times)
    found = say(section) if section else "not run"
    if verdict.outcome == "inconclusive":
        return f"{check}: nothing can be said ({found}){_unconfined(verdict)}"
    why = f": {_reason(verdict)}" if verdict.failure_reason else ""
    return f"{check}: {found}{why}{_unconfined(verdict)}"


def _reason(verdict: Verdict) -> str:
    """The failure reason, and the first finding behind it where that one says more."""
    reason = str(verdict.failure_reason)
    codes = [f.code for f in verdict.findings if f.level == "fail" and reason_of(f.code) == reason]
    rejected = verdict.patch.get("submission_rejected")
    named = [code.replace(":", "_") for code in codes]
    if rejected == "tree_diff_failed":
        return f"{reason} ({rejected})"
    return reason if not codes or reason in named else f"{reason} ({visible(codes[0])})"


def regressed_tests(tests: Mapping[str, Any]) -> list[str]:
    """Ids of the tests that pass at base, and not here; without what else counts as a regression."""
    return [str(name) for name in tests.get("regressed") or () if not str(name).startswith(_BESIDE_TESTS)]


def passing(tests: Mapping[str, Any]) -> str:
    """How many of base's passing tests pass again.

    Args:
        tests: of verdict.json. An older one's may lack the names.
    """
    passed, all_wrong = tests.get("n_base_pass", 0), tests.get("n_regressed", 0)
    if not tests.get("ran"):
        return f"{passed} pass at base; not run on the candidate"
    beside = len(tests.get("regressed") or ()) - len(regressed_tests(tests))
    said = f"{passed - all_wrong + beside} of {passed} pass again"
    return f"{said}; {counted(beside, 'check')} of the judge's own failed" if beside else said


def choice(strategy: str) -> str:
    """How the tests were chosen, in words.

    >>> choice("all"), choice("paths"), choice("all:mapped-failed-at-base")
    ('all tests', "the task's paths", 'all tests, as those chosen at first say nothing at base')
    """
    if strategy.startswith("all"):
        given_way = ", as those chosen at first say nothing at base" if ":" in strategy else ""
        return f"all tests{given_way}"
    return "the task's paths" if strategy == "paths" else "those of the changed files"


def unasked(tests: Mapping[str, Any]) -> str:
    """What base's own tests leave unasked; "" for nothing.

    Args:
        tests: of verdict.json. An older one's may lack the counts.
    """
    files, failing = (tests.get(key) or 0 for key in ("n_base_uncollected", "n_base_failing"))
    parts = [
        *([f"{counted(files, 'file')} cannot be collected"] if files else ()),
        *([f"{counted(failing, 'test')} {'fails' if failing == 1 else 'fail'} at base"] if failing else ()),
    ]
    if not parts:
        return ""
    at_base = "" if failing else " at base"
    return f"; {' and '.join(parts)}{at_base}: not judged"


def uncredited(verdict: Verdict) -> str:
    """The speed that was measured on what is not accepted; "" for none, or for one that the first line tells."""
    mean = _mean(verdict.timing)
    return f"; measured {mean}, not credited" if mean and verdict.outcome != "accepted" else ""


def unimported(timing: Mapping[str, Any]) -> str:
    """How many modules of the suite base itself cannot import; "" for none."""
    count = timing.get("n_failed_modules") or 0
    if not count:
        return ""
    whose = "its" if count == 1 else "their"
    return f"; {counted(count, 'module')} of the suite cannot be imported at base: {whose} benchmarks are not timed"


def computing(outputs: Mapping[str, Any]) -> str:
    """How many benchmarks compute what they compute at base.

    Args:
        outputs: of verdict.json. An older trial's holds one number.
    """
    words = {
        "equal": "equal",
        "differs": "different",
        "missing": "missing",
        "not_comparable": "not comparable",
    }
    counts = (f"{outputs[f'n_{name}']} {word}" for name, word in words.items() if f"n_{name}" in outputs)
    beside = outputs.get("n_siblings_differ")
    other = f"{beside} different beside {'its' if beside == 1 else 'their'} own input" if beside else ""
    error = outputs.get("largest_error")
    said = f"largest error {error:.2g}" if isinstance(error, int | float) and error else ""
    return ", ".join(word for word in (*counts, other, said) if word)


def _times(timing: Mapping[str, Any]) -> str:
    counts = (f"{timing.get(f'n_{name}', 0)} {name}" for name in ("faster", "slower", "same", "missing"))
    return ", ".join(word for word in (*counts, _mean(timing)) if word)


def _mean(timing: Mapping[str, Any]) -> str:
    ratio = timing.get("speedup")
    return f"x{ratio:.3f} (geometric mean)" if isinstance(ratio, int | float) else ""
