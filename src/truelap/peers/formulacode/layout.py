"""Our result in the files that FormulaCode's own graders read, with their keys, under `formulacode/`. Pure."""

from __future__ import annotations

import math
from statistics import median
from typing import TYPE_CHECKING, Any

from truelap.report import artifact, json_bytes
from truelap.stats import speedup

if TYPE_CHECKING:
    from collections.abc import Mapping

    from truelap.model import Case, Verdict

_MEASURED = ("faster", "slower", "same")
_DIFFERENCES = ("n_differs", "n_siblings_differ")

_SKIPPED = {"no_patch": "no_patch", "tamper": "tamper"}
_MAX_DROPPED = 200


def write_layout(verdict: Verdict, case: Case) -> tuple[tuple[str, bytes], ...]:
    """File names, relative to the result folder, and their bytes. An inconclusive verdict has no reward.json."""
    timing, tests = artifact(case, "timing.json") or {}, artifact(case, "tests.json") or {}
    rows: dict[str, Any] = timing.get("benchmarks", {})
    found = {
        "lsv/lsv_results.json": _lsv(verdict, rows),
        "test_results.json": _test_results(verdict, tests),
        "test_timings.json": _timings(verdict),
        "setup_status.json": _setup(verdict),
    }
    if verdict.reward.value is not None and verdict.outcome != "inconclusive":
        found["reward.json"] = _reward(verdict, found["lsv/lsv_results.json"]["measure"])
    files = {name: json_bytes(value) for name, value in found.items()} | _gate(timing)
    return tuple((f"formulacode/{name}", content) for name, content in files.items())


def _gate(timing: Mapping[str, Any]) -> dict[str, bytes]:
    """What says that timing had the measure gate's leave, where one was asked. Without it there would be no timing."""
    asked = timing.get("protocol", {}).get("slot", {}).get("gate")
    return {"measure_gate.txt": b"measure 1\nconfirm 1\n"} if asked else {}


def _lsv(verdict: Verdict, rows: Mapping[str, Any]) -> dict[str, Any]:
    # What a change cannot reach was not run, and is no measurement.
    run = {name: row for name, row in rows.items() if row["decision"] != "same" or row.get("visits", True)}
    measured = {name: _benchmark(name, row) for name, row in run.items() if row["decision"] in _MEASURED}
    dropped = [name for name in run if name not in measured]
    seconds = _seconds(verdict, "time") + _seconds(verdict, "confirm")
    measure = {
        "benchmarks": measured,
        "selected_count": len(run),
        "total_count": len(rows),
        "skipped_count": len(rows) - len(run),
        "dropped_count": len(dropped),
        "dropped": dropped[:_MAX_DROPPED],
        "timing": {"total_s": seconds, "phases": {}},
        "error": _lsv_error(verdict),
        "paired": {"rounds": None, "min_pairs": None, "order": "ABBA"},
        "project_shadowed": False,
    }
    init = {
        "benchmarks_discovered": len(rows),
        "benchmarks_impactable": len(rows),
        "baseline_sha": verdict.task.get("base"),
        "timing": {"total_s": 0.0},
    }
    return {
        "init": init,
        "measure": measure,
        "timing": {"init_s": 0.0, "measure_s": seconds, "total_s": seconds},
    }


def _benchmark(name: str, row: Mapping[str, Any]) -> dict[str, Any]:
    base, patched = _times(row, "base"), _times(row, "candidate")
    baseline, current = (median(times) if times else None for times in (base, patched))
    ratio = row.get("log_ratio")
    change = None if not baseline or current is None else 100.0 * (current / baseline - 1.0)
    return {
        "name": name,
        "baseline": baseline,
        "current": current,
        "delta_pct": change,
        "baseline_str": _shown(baseline),
        "current_str": _shown(current),
        "params": row.get("params", []),
        "paired": {
            "base_times": base,
            "patched_times": patched,
            "median_log_ratio": ratio,
            "speedup": None if ratio is None else math.exp(ratio),
        },
    }


def _times(row: Mapping[str, Any], side: str) -> list[float]:
    found: list[float] = (row.get(side) or {}).get("seconds_per_call", [])
    return found


def _test_results(verdict: Verdict, tests: Mapping[str, Any]) -> dict[str, Any]:
    summary = verdict.tests
    rows = [_test(name, row) for name, row in tests.get("tests", {}).items()]
    outcomes = [row["outcome"] for row in rows]
    counted = ("passed", "failed", "skipped", "xfailed", "xpassed", "error")
    failed = any(outcome in {"failed", "error"} for outcome in outcomes)
    plugins = [
        name.removeprefix("plugin:") for name in summary.get("regressed", ()) if name.startswith("plugin:")
    ]
    return {
        "base_ref": verdict.task.get("base"),
        "strategy": summary.get("strategy"),
        "selected_tests": tests.get("selected", []),
        "fc_runner": verdict.tool,
        "results": {
            "exit_code": int(failed) if summary.get("ran") else None,
            "duration": _seconds(verdict, "tests"),
            "summary": {"total": len(rows), **{name: outcomes.count(name) for name in counted}, "rerun": 0},
            "tests": rows,
            "config_file": summary.get("config_file"),
            "pytest_version": summary.get("pytest"),
        },
        "regression": {
            "ran": summary.get("ran") is True,
            "reverted": verdict.discarded,
            "restore_ok": True,
            "base_ref": verdict.task.get("base"),
            "n_selected_tests": summary.get("n_selected"),
            "n_agent_tests": len(rows),
            "n_base_pass": summary.get("n_base_pass", 0),
            "regressed": summary.get("regressed", []),
            "n_regressed": summary.get("n_regressed", 0),
            "agent_only_plugins": plugins,
        },
    }


def _test(name: str, row: Mapping[str, Any]) -> dict[str, Any]:
    seconds = row.get("seconds") or {}
    taken = seconds.get("candidate") if isinstance(seconds, dict) else seconds
    outcome = row.get("candidate") or "missing"
    return {
        "nodeid": name,
        "when": "call",
        "outcome": outcome,
        "duration": taken,
        "longrepr": row.get("message"),
    }


def _timings(verdict: Verdict) -> dict[str, float]:
    parts = {"pytest_s": _seconds(verdict, "tests"), "snapshot_s": _seconds(verdict, "outputs")}
    if any(s.name == "time" and s.status == "done" for s in verdict.stations):
        parts["lsv_measure_s"] = _seconds(verdict, "time") + _seconds(verdict, "confirm")
    return {"test_total_s": sum(s.seconds for s in verdict.stations), **parts}


def _setup(verdict: Verdict) -> dict[str, Any]:
    faults = [f.code.partition(":")[2] or f.code for f in verdict.findings if f.level == "inconclusive"]
    failed = verdict.outcome == "inconclusive"
    return {
        "exit_code": 3 if failed else 0,
        "failed_phase": faults[0] if failed and faults else None,
        "succeeded": not failed,
    }


def _reward(verdict: Verdict, measure: Mapping[str, Any]) -> dict[str, Any]:
    """Their nested reward.json. A station that did not run is null there, never a pass."""
    speedups = {name: row["paired"]["speedup"] for name, row in measure["benchmarks"].items()}
    values = [value for value in speedups.values() if value]
    level4 = speedup([math.log(value) for value in values])
    tests, refused = verdict.tests, verdict.outcome == "refused"
    ran = tests.get("ran") is True
    return {
        "reward": verdict.reward.value,
        "failure_reason": verdict.failure_reason,
        **dict.fromkeys(("agent_advantage", *(f"agent_advantage_level{i}" for i in (1, 2, 3, 4)))),
        "num_valid_benchmarks": len(values),
        "per_benchmark_speedups": speedups,
        "lsv_mean_speedup": level4,
        "max_speedup": max(values, default=None),
        "tests_passed": not tests.get("n_regressed") if ran else None,
        "snapshots_passed": not any(map(verdict.outputs.get, _DIFFERENCES)) if verdict.outputs else None,
        "snapshot_verify_ran": bool(verdict.outputs),
        "lsv_error": measure["error"],
        "timing_skipped": None if values else _SKIPPED.get(verdict.failure_reason or ""),
        "patch": {
            "applied": not refused,
            "files": verdict.submission.files,
            "added_lines": verdict.submission.added_lines,
            "removed_lines": verdict.submission.removed_lines,
            "submission_rejected": verdict.patch.get("submission_rejected"),
        },
        "lsv": {
            "init": {},
            "measure": {k: measure[k] for k in ("selected_count", "total_count", "skipped_count", "error")},
        },
        "invariants": {"ok": True, "fatal": [], "warnings": [], "skipped": [], "passed": []},
        "pytest": {k: tests.get(k) for k in ("n_base_pass", "n_candidate_pass", "n_regressed", "strategy")},
        "snapshots": {"summaries": [], "passed": None, "verify_ran": bool(verdict.outputs)},
        "timings": _timings(verdict),
        "setup": _setup(verdict),
    }


def _lsv_error(verdict: Verdict) -> str | None:
    wrong = [f.message for f in verdict.findings if f.code.startswith(("station:time", "benchmarks:missing"))]
    return wrong[0] if wrong else None


def _seconds(verdict: Verdict, station: str) -> float:
    return sum(s.seconds for s in verdict.stations if s.name == station)


def _shown(seconds: float | None) -> str | None:
    return None if seconds is None else f"{seconds:.6g} s"
