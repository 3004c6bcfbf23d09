"""Our result in FormulaCode's files: their keys, and a round trip through the grader of older trials."""

from __future__ import annotations

import json
import math
from typing import Any, ClassVar

import pytest

from truelap.model import Base, Case, Evidence, Finding, Machine, Patch, StationRecord
from truelap.peers.formulacode import write_layout
from truelap.policy import load_policy
from truelap.reward import with_reward
from truelap.verdict import decide


class Tests(Evidence):
    __test__ = False
    section: ClassVar[str] = "tests"
    regressed: tuple[str, ...] = ()

    def summary(self) -> dict[str, Any]:
        numbers = {
            "ran": True,
            "n_base_pass": 3,
            "n_selected": 4,
            "strategy": "mapped",
            "config_file": "setup.cfg",
        }
        return {**numbers, "n_regressed": len(self.regressed), "regressed": list(self.regressed)}

    def artifacts(self) -> dict[str, Any]:
        row = {
            "base": "passed",
            "candidate": "passed",
            "seconds": {"base": 0.1, "candidate": 0.2},
            "message": "",
        }
        rows = {f"t.py::test_{i}": row for i in range(3)}
        for name in self.regressed:
            rows[name] = {**row, "candidate": "failed", "message": "no"}
        return {"tests.json": {"tests": rows, "regressed": list(self.regressed)}}


def timed(decision, ratio):
    base, candidate = {"seconds_per_call": [0.02, 0.03, 0.02]}, {"seconds_per_call": [0.02 / math.exp(ratio)]}
    return {"decision": decision, "log_ratio": ratio, "params": ["10"], "base": base, "candidate": candidate}


class Timing(Evidence):
    section: ClassVar[str] = "timing"

    def summary(self) -> dict[str, Any]:
        return {
            "n_faster": 1,
            "n_slower": 0,
            "n_same": 1,
            "n_missing": 0,
            "n_invalid": 1,
            "speedup": math.sqrt(2),
        }

    def artifacts(self) -> dict[str, Any]:
        rows = {"m.time_a": timed("faster", math.log(2)), "m.time_b": timed("same", 0.0)}
        rows["m.time_c"] = {"decision": "invalid", "log_ratio": None, "base": {}, "candidate": {}}
        return {"timing.json": {"benchmarks": rows}}


def made(*findings, tests=None, **changed):
    case = Case(
        name="task",
        base=Base(given="HEAD", commit="d" * 40, tree="b" * 40),
        patch=Patch(sha256="f" * 64, applied=True, files=1, added_lines=2, removed_lines=1),
        candidate_tree="c" * 40,
        findings=findings,
        evidence=(("tests", tests or Tests()), ("time", Timing())),
        stations=tuple(StationRecord(name=name, status="done", seconds=2.0) for name in ("tests", "time")),
        discarded=("tests/test_x.py",),
    ).model_copy(update=changed)
    machine = Machine(system="Linux", cpu="x", cores=2, python="3.11.7", sandbox="bubblewrap")
    verdict = decide(
        case, load_policy(), seed=1, tool="truelap 0.1.0", machine=machine, required=("tests", "time")
    )
    verdict = with_reward(verdict, case, load_policy())
    return {name: json.loads(content) for name, content in write_layout(verdict, case)}, verdict


FAIL = Finding(code="tests:regressed", level="fail", message="why")
FAULT = Finding(code="station:time", level="inconclusive", message="noise")
REFUSED = Finding(code="refused:symlinks", level="fail", message="a link", path="x")


def test_the_files_are_these():
    assert set(made()[0]) == {
        f"formulacode/{name}"
        for name in (
            "lsv/lsv_results.json",
            "test_results.json",
            "reward.json",
            "test_timings.json",
            "setup_status.json",
        )
    }


def test_the_gate_s_leave_is_told_where_there_was_one():
    class Gated(Timing):
        def artifacts(self):
            gate = {"leases": 2, "waited_s": 0.0, "overrun": 0}
            return {"timing.json": {"benchmarks": {}, "protocol": {"slot": {"gate": gate}}}}

    _, verdict = made()
    case = Case(name="t", base=Base(given="HEAD", commit=None, tree="b" * 40), evidence=(("time", Gated()),))
    found = dict(write_layout(verdict, case))
    assert found["formulacode/measure_gate.txt"] == b"measure 1\nconfirm 1\n"


def test_lsv_results_hold_both_sides_times():
    found = made()[0]["formulacode/lsv/lsv_results.json"]
    assert set(found) == {"init", "measure", "timing"}
    assert found["measure"]["dropped"] == ["m.time_c"]
    assert (found["measure"]["selected_count"], found["measure"]["dropped_count"]) == (3, 1)
    first = found["measure"]["benchmarks"]["m.time_a"]
    assert (first["baseline"], first["current"], first["params"]) == (0.02, 0.01, ["10"])
    assert first["delta_pct"] == pytest.approx(-50.0)
    assert first["paired"]["speedup"] == pytest.approx(2.0)


def test_the_regression_block_has_the_names_that_graders_read():
    found = made(FAIL, tests=Tests(regressed=("t.py::test_9", "plugin:fcevil")))[0][
        "formulacode/test_results.json"
    ]
    block = found["regression"]
    assert (block["ran"], block["n_regressed"], block["n_base_pass"], block["base_ref"]) == (
        True,
        2,
        3,
        "d" * 40,
    )
    assert block["regressed"] == ["t.py::test_9", "plugin:fcevil"]
    assert block["agent_only_plugins"] == ["fcevil"]
    assert found["results"]["summary"]["failed"] == 2
    assert found["results"]["tests"][0] == {
        "nodeid": "t.py::test_0",
        "when": "call",
        "outcome": "passed",
        "duration": 0.2,
        "longrepr": "",
    }


def test_the_nested_reward_has_their_keys():
    found, verdict = made()
    reward = found["formulacode/reward.json"]
    keys = (
        "agent_advantage num_valid_benchmarks per_benchmark_speedups lsv_mean_speedup max_speedup tests_passed snapshots_passed"
        " snapshot_verify_ran lsv_error timing_skipped patch lsv invariants pytest snapshots timings setup"
    )
    assert set(keys.split()) <= set(reward)
    assert reward["lsv_mean_speedup"] == pytest.approx(math.sqrt(2))
    assert (reward["tests_passed"], reward["snapshots_passed"], reward["num_valid_benchmarks"]) == (
        True,
        None,
        2,
    )
    assert reward["patch"]["submission_rejected"] is None
    assert reward["reward"] == verdict.reward.value


def test_a_refusal_is_in_the_nested_reward():
    reward = made(REFUSED, refused=True, evidence=(), stations=())[0]["formulacode/reward.json"]
    assert reward["patch"]["submission_rejected"] == "tree_diff_refused"
    assert (reward["failure_reason"], reward["timing_skipped"], reward["tests_passed"]) == (
        "no_patch",
        "no_patch",
        None,
    )
    assert (reward["lsv_mean_speedup"], reward["max_speedup"]) == (None, None)


def test_what_did_not_run_is_null_and_never_a_pass():
    refused, accepted = made(REFUSED, refused=True, evidence=(), stations=())[0], made()[0]
    assert refused["formulacode/reward.json"]["snapshots_passed"] is None
    assert refused["formulacode/test_results.json"]["results"]["exit_code"] is None
    assert refused["formulacode/test_results.json"]["regression"]["ran"] is False
    assert accepted["formulacode/test_results.json"]["results"]["exit_code"] == 0
    assert accepted["formulacode/test_results.json"]["results"]["summary"]["passed"] == 3
    assert accepted["formulacode/reward.json"]["timing_skipped"] is None
    assert accepted["formulacode/setup_status.json"] == {
        "exit_code": 0,
        "failed_phase": None,
        "succeeded": True,
    }


def test_a_failing_test_and_a_missing_benchmark_are_said_in_their_words():
    missing = Finding(code="benchmarks:missing", level="fail", message="b is gone")
    found = made(FAIL, missing, tests=Tests(regressed=("t.py::test_9",)))[0]
    assert found["formulacode/test_results.json"]["results"]["exit_code"] == 1
    assert found["formulacode/lsv/lsv_results.json"]["measure"]["error"] == "b is gone"
    reward = found["formulacode/reward.json"]
    assert (reward["tests_passed"], reward["lsv_error"], reward["reward"]) == (False, "b is gone", -1.0)


def test_a_benchmark_without_samples_has_no_times():
    class Bare(Timing):
        def artifacts(self):
            return {"timing.json": {"benchmarks": {"b": {"decision": "same", "log_ratio": None}}}}

    benchmark = made(evidence=(("tests", Tests()), ("time", Bare())))[0]["formulacode/lsv/lsv_results.json"][
        "measure"
    ]["benchmarks"]["b"]
    assert [benchmark[key] for key in ("baseline", "current", "delta_pct", "baseline_str")] == [None] * 4
    assert benchmark["paired"]["speedup"] is None


def test_an_inconclusive_verdict_has_no_reward_there_either():
    found = made(FAULT)[0]
    assert "formulacode/reward.json" not in found
    assert found["formulacode/setup_status.json"] == {
        "exit_code": 3,
        "failed_phase": "time",
        "succeeded": False,
    }


def test_seconds_come_from_the_stations():
    timings = made()[0]["formulacode/test_timings.json"]
    assert timings == {"test_total_s": 4.0, "pytest_s": 2.0, "snapshot_s": 0.0, "lsv_measure_s": 2.0}
    skipped = made(stations=())[0]["formulacode/test_timings.json"]
    assert "lsv_measure_s" not in skipped


@pytest.mark.parametrize(
    ("findings", "tests"), [((), None), ((FAIL,), Tests(regressed=("t.py::test_9",))), ((FAULT,), None)]
)
def test_the_grader_of_older_trials_comes_to_the_same_outcome(trial, findings, tests):
    found, verdict = made(*findings, tests=tests)
    for name, content in found.items():
        trial.put(name.removeprefix("formulacode/"), content)
    graded = trial.grade()
    assert (graded.outcome, graded.failure_reason) == (verdict.outcome, verdict.failure_reason)
    assert graded.reward.value == (
        None if verdict.reward.value is None else pytest.approx(verdict.reward.value)
    )
