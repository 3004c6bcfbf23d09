"""A verdict as lines for people, at most 80 columns wide where names allow it. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from truelap.report.encode import visible
from truelap.report.headlines import (
    choice,
    computing,
    headline,
    of_check,
    passing,
    regressed_tests,
    unasked,
    uncredited,
    unimported,
)
from truelap.report.table import benchmark_lines, number_counts, value_lines
from truelap.wording import wrapped

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import Any

    from truelap.model import Finding, Verdict

WIDTH = 80
_SHOWN_FINDINGS = 20
_SHOWN_PATHS = 5
_SHOWN_TESTS = 10
_COUNTS = {**{key: key for key in ("faster", "slower", "same", "missing")}, "invalid": "not timed"}
_NO_VERDICT = "One check alone is no verdict; `truelap verify` gives one."


def render_text(verdict: Verdict, check: str | None = None, columns: int | None = WIDTH) -> str:
    """Lines for people: outcome, why, what was measured, benchmark by benchmark, every failure.

    Args:
        verdict: what was found.
        check: the one check that was made, "tests", "outputs" or "time"; its lines claim no outcome.
        columns: for the table of benchmarks; None where nothing need be cut, as in a file.
    """
    lines = [
        *wrapped(of_check(verdict, check) if check else headline(verdict), WIDTH, beneath="  "),
        *(
            line
            for name, text in _facts(verdict, check)
            if text
            for line in wrapped(visible(text), WIDTH, f"  {name:<9} ")
        ),
        *_finding_lines(verdict),
        *_test_lines(verdict),
        *benchmark_lines(verdict.timing, columns),
        *value_lines(verdict.timing, columns),
        *([_NO_VERDICT] if check else ()),
    ]
    return "\n".join(lines) + "\n"


def _facts(verdict: Verdict, check: str | None) -> Iterable[tuple[str, str]]:
    task, given = verdict.task, verdict.submission
    yield "task", f"{task.get('name')}, base {task.get('base')}"
    yield "python", _python(verdict)
    discarded = f"; put back to base: {len(verdict.discarded)}" if verdict.discarded else ""
    yield (
        "patch",
        f"{given.files} {'file' if given.files == 1 else 'files'}, +{given.added_lines} -{given.removed_lines}{discarded}",
    )
    tests, timing = verdict.tests, verdict.timing
    if tests:
        chosen = f" (chosen: {choice(str(tests['strategy']))})" if tests.get("strategy") else ""
        yield "tests", passing(tests) + chosen + unasked(tests)
        yield "values", _values(tests.get("value_evidence") or {})
        yield "secret", _secret(tests)
    if verdict.outputs:
        yield "outputs", computing(verdict.outputs)
    if timing:
        yield (
            "timing",
            ", ".join(f"{timing.get(f'n_{key}', 0)} {word}" for key, word in _COUNTS.items())
            + unimported(timing)
            + ("" if check else uncredited(verdict)),
        )
        yield "numbers", number_counts(timing)
    value = "none" if verdict.reward.value is None else f"{verdict.reward.value:.4f}"
    if not check:
        yield "reward", f"{value} ({verdict.reward.scheme}: {'; '.join(verdict.reward.reasons)})"


def _python(verdict: Verdict) -> str:
    """The interpreter that tests and benchmarks run in; "" where nothing ran, or nobody knows it."""
    version = verdict.machine.python
    if version == "unknown" or not (verdict.tests or verdict.outputs or verdict.timing):
        return ""
    own = verdict.machine.details.get("own_interpreter") is True
    return f"{version}, truelap's own; --python names another" if own else version


def _values(told: Mapping[str, Any]) -> str:
    if not told:
        return ""
    counts = f"{told.get('tests_with')} of {told.get('tests_passing')} tests that pass at base"
    share = told.get("share")
    shown = f" ({share:.0%})" if isinstance(share, int | float) else ""
    assertions = f"{told.get('assertions_with')} of {told.get('assertions')} assertions reached"
    return f"{counts}{shown} are judged by what they compare, by {assertions}{_at_its_word(told)}"


def _secret(tests: Mapping[str, Any]) -> str:
    """What was tried that the author could not know, so that a reader sees that it took place."""
    under, canaries, mutants = (tests.get(key) or {} for key in ("perturbed", "canaries", "mutants"))
    told = []
    if under:
        told.append(f"other literals in {under.get('tests_changed', 0)} of {under.get('tests', 0)} tests")
        if same := under.get("tests_unchanged"):
            told[-1] += f", nothing changed in {same}"
    if canaries:
        told.append(f"canaries: {canaries.get('ran', 0)} ran, {len(canaries.get('passed') or ())} passed")
    if mutants:
        told.append(f"mutants: {mutants.get('ran', 0)} ran, {mutants.get('killed', 0)} made a test fail")
    return "; ".join(told)


def _at_its_word(told: Mapping[str, Any]) -> str:
    """Names of tests of which pytest's word is all there is."""
    names = [str(name) for name in told.get("without") or ()]
    if not names:
        return ""
    hidden = (
        int(told.get("tests_passing") or 0) - int(told.get("tests_with") or 0) - len(names[:_SHOWN_PATHS])
    )
    more = f" and {hidden} more, see tests.json" if hidden > 0 else ""
    return f"; taken at pytest's word: {', '.join(names[:_SHOWN_PATHS])}{more}"


def _test_lines(verdict: Verdict) -> Iterator[str]:
    """Regressed tests that no finding names."""
    told = "\n".join(f.message for f in verdict.findings if f.code == "tests:regressed")
    every = regressed_tests(verdict.tests)
    regressed = [visible(name) for name in every if f"{name} (" not in told]
    if regressed:
        yield f"  {'more ' if len(regressed) < len(every) else ''}tests that pass at base and not with the patch:"
        yield from (f"    {name}" for name in regressed[:_SHOWN_TESTS])
    if (hidden := len(regressed) - _SHOWN_TESTS) > 0:
        yield f"    and {hidden} more in tests.json"


def _finding_lines(verdict: Verdict) -> Iterator[str]:
    """The grave ones first; those that say the same of several paths are one line."""
    ranked = sorted(verdict.findings, key=lambda finding: finding.level == "info")
    groups: dict[tuple[str, str, str], list[Finding]] = {}
    for finding in ranked:
        groups.setdefault((finding.level, finding.code, finding.message), []).append(finding)
    for (level, code, message), group in list(groups.items())[:_SHOWN_FINDINGS]:
        paths = [visible(finding.path) for finding in group if finding.path]
        place = f" {_listed(paths)}:" if paths else ""
        yield from wrapped(f"{code}{place} {visible(message)}", WIDTH, f"  {level:<12} ")
    if (hidden := len(groups) - _SHOWN_FINDINGS) > 0:
        yield f"  and {hidden} more in verdict.json"


def _listed(paths: Sequence[str]) -> str:
    shown = ", ".join(paths[:_SHOWN_PATHS])
    hidden = len(paths) - _SHOWN_PATHS
    return f"{shown} and {hidden} more" if hidden > 0 else shown
