"""The gates of an older trial that measured something: tests, timing, snapshots."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, ClassVar

from truelap.model import Evidence, Finding, Frozen
from truelap.peers.formulacode.artifacts import (
    Benchmark,
    LsvResults,
    Measure,
    Regression,
    Snapshots,
    TestResults,
)
from truelap.peers.formulacode.folder import BrokenError
from truelap.peers.formulacode.gates import done
from truelap.stats import speedup

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from truelap.model import Case
    from truelap.peers.formulacode.folder import Folder
    from truelap.policy import Policy

_IMPLAUSIBLE = math.log(1e9)
"""No program is a thousand million times faster or slower: such a number is not a measurement."""


class TrialTests(Evidence):
    """The regression block of test_results.json."""

    section: ClassVar[str] = "tests"
    numbers: dict[str, Any]

    def summary(self) -> dict[str, Any]:
        """See `Evidence`."""
        return self.numbers


class TrialOutputs(Evidence):
    """What the snapshot tool found."""

    section: ClassVar[str] = "outputs"
    differs: int

    def summary(self) -> dict[str, Any]:
        """See `Evidence`."""
        return {"n_differs": self.differs}


class Row(Frozen):
    """One benchmark: what was decided, and ln(t_base / t_patched)."""

    decision: str
    log_ratio: float | None


class TrialTiming(Evidence):
    """LSV's results, with its confirmation pass where there was one."""

    section: ClassVar[str] = "timing"
    rows: dict[str, Row]
    dropped: int
    protocol: str

    def summary(self) -> dict[str, Any]:
        """See `Evidence`; a benchmark that LSV dropped counts as invalid, since the file does not say which side failed."""
        found = [row.decision for row in self.rows.values()]
        counts = {f"n_{d}": found.count(d) for d in ("faster", "slower", "same", "missing", "invalid")}
        counts["n_invalid"] += self.dropped
        measured = (row for row in self.rows.values() if row.decision in {"faster", "slower", "same"})
        credited = tuple(0.0 if row.decision == "same" else row.log_ratio or 0.0 for row in measured)
        return {**counts, "speedup": speedup(credited), "protocol": self.protocol}

    def artifacts(self) -> dict[str, Any]:
        """See `Evidence`: what the reward is made from."""
        return {"timing.json": {"benchmarks": {name: row.model_dump() for name, row in self.rows.items()}}}


def tests(case: Case, folder: Folder, policy: Policy) -> Case:
    """The comparison with base, which alone counts: a test that fails at base as well is no fault of the patch."""
    results = folder.json("test_results.json", TestResults)
    if results is None:
        raise BrokenError("test_results.json is missing: the tests did not run")
    block = results.regression
    if block is None or not block.ran:
        why = (block.reason or block.error) if block else "there is no regression block"
        raise BrokenError(f"test_results.json: tests were not compared with base: {why}")
    regressed = list(dict.fromkeys([*(block.regressed or ()), *_plugins(block)]))
    numbers = {
        "ran": True,
        "n_base_pass": block.n_base_pass or 0,
        "n_regressed": max(len(regressed), block.n_regressed or 0),
        "regressed": regressed,
        "n_selected": block.n_selected_tests,
        "strategy": results.strategy,
    }
    findings = tuple(_test_findings(block, numbers, policy))
    return done(case, "tests", findings=findings, evidence=(("tests", TrialTests(numbers=numbers)),))


def timing(case: Case, folder: Folder, policy: Policy) -> Case:
    """LSV's ratios against the policy's margin; with a confirmation pass, only what it repeats.

    Raises:
        BrokenError: a number that no clock gives: whoever wrote one has not measured the others either.
    """
    results = folder.json("lsv/lsv_results.json", LsvResults)
    if results is None:
        raise BrokenError("lsv/lsv_results.json is missing: nothing was timed")
    first = _benchmarks(results.measure)
    confirm = folder.json("lsv/lsv_measure_confirm.json", Measure)
    again = None if confirm is None else _benchmarks(confirm)
    floor = math.log1p(policy.time.margin)
    for name, benchmark in (*first.items(), *(again or {}).items()):
        _check(name, benchmark)
    rows = {name: _row(name, benchmark, again, floor) for name, benchmark in first.items()}
    protocol = "lsv" if again is None else "lsv, confirmed"
    evidence = TrialTiming(rows=rows, dropped=results.measure.dropped_count or 0, protocol=protocol)
    return done(case, "time", evidence=(("time", evidence),))


def outputs(case: Case, folder: Folder, _policy: Policy) -> Case:
    """Values that were right at base and are not with the patch."""
    names = folder.names("summary_", ".json")
    summaries = [found for name in names if (found := folder.json(name, Snapshots)) is not None]
    if not summaries:
        missing = Finding(
            code="outputs:not_compared", level="info", message="the folder holds no snapshot summary"
        )
        return case.plus(findings=(missing,))
    differs = sum(max(_count(s.pass_to_fail), s.passed is False) for s in summaries)
    message = f"{differs} snapshots that pass at base differ"
    differ = (Finding(code="outputs:differ", level="fail", message=message),) if differs else ()
    return done(case, "outputs", findings=differ, evidence=(("outputs", TrialOutputs(differs=differs)),))


def _plugins(block: Regression) -> Iterable[str]:
    return (f"plugin:{name.removeprefix('plugin:')}" for name in block.agent_only_plugins or ())


def _test_findings(block: Regression, numbers: Mapping[str, Any], policy: Policy) -> Iterable[Finding]:
    if numbers["n_regressed"]:
        shown_ids = ", ".join(numbers["regressed"][:5])
        message = f"{numbers['n_regressed']} tests that pass at base do not: {shown_ids}"
        yield Finding(code="tests:regressed", level="fail", message=message)
    if block.restore_ok is False or block.base_error or block.error:
        why = block.base_error or block.error or "the tree was not restored"
        yield Finding(code="tests:base_fault", level="inconclusive", message=f"the base's side failed: {why}")
    if numbers["n_base_pass"] < policy.tests.min_base_pass:
        message = f"{numbers['n_base_pass']} tests pass at base, {policy.tests.min_base_pass} are needed"
        yield Finding(code="tests:too_few_base_passes", level="inconclusive", message=message)


def _benchmarks(measure: Measure) -> Mapping[str, Benchmark]:
    if measure.error:
        raise BrokenError(f"lsv: {measure.error}")
    if measure.benchmarks is None:
        raise BrokenError("lsv: there are no benchmarks in its results")
    return measure.benchmarks


def _check(name: str, benchmark: Benchmark) -> None:
    told = (benchmark.baseline, benchmark.current)
    if any(seconds is not None and seconds <= 0 for seconds in told):
        raise BrokenError(f"lsv: {name[:200]}: took no time, or less")
    ratio = _log_ratio(benchmark)
    if ratio is not None and abs(ratio) > _IMPLAUSIBLE:
        raise BrokenError(f"lsv: {name[:200]}: a ratio of e**{ratio:.3g} is no measurement")


def _row(name: str, first: Benchmark, again: Mapping[str, Benchmark] | None, floor: float) -> Row:
    ratio = _log_ratio(first)
    decision = _decision(ratio, floor)
    if again is None or decision in {"same", "invalid"}:
        return Row(decision=decision, log_ratio=ratio)
    if name not in again:
        return Row(decision="same", log_ratio=ratio)
    confirmed = _log_ratio(again[name])
    repeated = _decision(confirmed, floor)
    return Row(decision=repeated if repeated in {decision, "invalid"} else "same", log_ratio=confirmed)


def _decision(ratio: float | None, floor: float) -> str:
    if ratio is None:
        return "invalid"
    return "faster" if ratio > floor else "slower" if ratio < -floor else "same"


def _log_ratio(benchmark: Benchmark) -> float | None:
    base, patched = benchmark.baseline, benchmark.current
    if benchmark.paired is not None and benchmark.paired.median_log_ratio is not None:
        return benchmark.paired.median_log_ratio
    return math.log(base) - math.log(patched) if base and patched else None


def _count(value: int | list[Any] | None) -> int:
    return len(value) if isinstance(value, list) else value or 0
