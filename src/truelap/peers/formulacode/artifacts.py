"""The JSON files of a FormulaCode trial, as far as they bear on a verdict."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from truelap.peers.formulacode.folder import Lenient

Count = Annotated[int, Field(ge=0, lt=1 << 40)]


class SetupStatus(Lenient):
    """setup_status.json."""

    exit_code: int | None = None
    failed_phase: str | None = None
    succeeded: bool | None = None


class PatchInfo(Lenient):
    """patch_info.json."""

    applied: bool
    files: Count = 0
    added_lines: Count = 0
    removed_lines: Count = 0


class ProtectedRestore(Lenient):
    """protected_restore.json: `discarded` and `remaining` come with `ran: true`, `error` with false."""

    ran: bool
    base: str | None = None
    discarded: list[str] | None = None
    remaining: list[str] | None = None
    error: str | None = None


class Regression(Lenient):
    """`regression` of test_results.json."""

    ran: bool
    reason: str | None = None
    error: str | None = None
    base_error: str | None = None
    restore_ok: bool | None = None
    n_selected_tests: Count | None = None
    n_agent_tests: Count | None = None
    n_base_pass: Count | None = None
    regressed: list[str] | None = None
    n_regressed: Count | None = None
    agent_only_plugins: list[str] | None = None


class TestResults(Lenient):
    """test_results.json."""

    __test__ = False

    base_ref: str | None = None
    strategy: str | None = None
    regression: Regression | None = None


class Paired(Lenient):
    """One benchmark's paired rounds."""

    median_log_ratio: float | None = None


class Benchmark(Lenient):
    """One entry of `benchmarks`: seconds per call on each side."""

    baseline: float | None = None
    current: float | None = None
    paired: Paired | None = None


class Measure(Lenient):
    """`measure` of lsv/lsv_results.json, and lsv/lsv_measure_confirm.json."""

    benchmarks: dict[str, Benchmark] | None = None
    selected_count: Count | None = None
    dropped_count: Count | None = None
    error: str | None = None


class LsvResults(Lenient):
    """lsv/lsv_results.json."""

    measure: Measure


class Snapshots(Lenient):
    """summary_<agent>.json; `passed` is a count in some versions and a truth value in others."""

    passed: bool | Count | None = None
    pass_to_fail: Count | list[Any] | None = Field(None, alias="pass-to-fail")


class Invariants(Lenient):
    """`invariants` of the nested reward.json."""

    fatal: Any = None


class NestedReward(Lenient):
    """The reward.json of FormulaCode's own parser, where the folder holds it. Its numbers are not believed."""

    timing_skipped: str | None = None
    lsv_error: str | None = None
    snapshots_passed: bool | None = None
    invariants: Invariants | None = None
