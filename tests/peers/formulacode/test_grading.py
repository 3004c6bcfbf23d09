"""Older trials, gate by gate: each hostile folder has an honest twin."""

from __future__ import annotations

import json
import math

import pytest

from truelap.errors import UsageError
from truelap.policy import load_policy
from truelap.report import reward_numbers
from truelap.verdict import exit_code

SUITE_EDIT = """\
diff --git a/benchmarks/b.py b/benchmarks/b.py
--- a/benchmarks/b.py
+++ b/benchmarks/b.py
@@ -1 +1 @@
-run()
+pass
"""
COMMENT = SUITE_EDIT.replace("-run()", "-# run").replace("+pass", "+# pass")


def result(verdict):
    return verdict.outcome, verdict.failure_reason


def codes(verdict, level="fail"):
    return [finding.code for finding in verdict.findings if finding.level == level]


def test_a_trial_that_went_well_is_accepted(trial):
    verdict = trial.grade()
    assert result(verdict) == ("accepted", None)
    assert (verdict.speed, exit_code(verdict), verdict.format) == ("faster", 0, 1)
    assert verdict.reward.value == pytest.approx(math.log(2) / 2)
    assert verdict.timing["speedup"] == pytest.approx(math.sqrt(2))
    assert (verdict.tests["n_base_pass"], verdict.submission.files) == (11, 1)


def test_what_older_templates_do_not_write_is_not_needed(trial, make):
    trial.drop("setup_status.json", "patch_info.json")
    trial.put(
        "test_results.json",
        make.regression(regressed=None, n_regressed=None, agent_only_plugins=None, restore_ok=None),
    )
    verdict = trial.grade()
    assert result(verdict) == ("accepted", None)
    assert (verdict.submission.files, verdict.tests["n_regressed"], verdict.tests["regressed"]) == (0, 0, [])


def test_artifacts_may_lie_one_folder_down(trial, tmp_path):
    outer = tmp_path / "verifier"
    outer.mkdir()
    trial.folder.rename(outer / "artifacts")
    trial.folder = outer
    assert result(trial.grade()) == ("accepted", None)


# --- no patch


@pytest.mark.parametrize("diff", ["", "\n \n"])
def test_an_empty_diff_is_no_patch(trial, diff):
    assert result(trial.put("patch.diff", diff).drop("patch_info.json").grade()) == ("rejected", "no_patch")


def test_no_diff_and_a_record_that_says_so_is_no_patch(trial):
    assert result(trial.drop("patch.diff").put("patch_info.json", {"applied": False}).grade()) == (
        "rejected",
        "no_patch",
    )


def test_a_trial_that_ended_before_the_diff_was_taken_is_inconclusive(trial):
    assert result(trial.drop("patch.diff").grade()) == ("inconclusive", "not_measured")
    assert result(trial.drop("patch_info.json").grade()) == ("inconclusive", "not_measured")


def test_a_diff_that_was_not_applied_contradicts_itself(trial):
    assert trial.put("patch_info.json", {"applied": False}).grade().outcome == "inconclusive"


def test_a_refused_diff(trial):
    trial.put("agent_tree.txt", "tree_diff_refused\n").put("tree_diff_refused.txt", "evil.pth\nlink\n").put(
        "patch.diff", ""
    )
    verdict = trial.grade()
    assert result(verdict) == ("refused", "no_patch")
    assert (verdict.patch, exit_code(verdict)) == ({"submission_rejected": "tree_diff_refused"}, 1)
    assert [f.message for f in verdict.findings] == ["evil.pth", "link"]
    assert verdict.reward.value == -1.0


def test_nothing_else_is_said_of_a_refused_diff(trial):
    verdict = trial.put("agent_tree.txt", "tree_diff_refused").put("patch.diff", SUITE_EDIT).grade()
    assert result(verdict) == ("refused", "no_patch")
    assert [f.code for f in verdict.findings] == ["refused:tree_diff"]


def test_a_refused_diff_without_its_list(trial):
    assert result(trial.put("agent_tree.txt", "tree_diff_refused").grade()) == ("refused", "no_patch")


def test_a_diff_that_did_not_apply(trial):
    verdict = trial.put("agent_tree.txt", "tree_diff_failed\n").drop("patch.diff").grade()
    assert result(verdict) == ("refused", "no_patch")
    assert verdict.patch == {"submission_rejected": "tree_diff_failed"}
    assert trial.put("patch.diff", SUITE_EDIT).grade().patch == verdict.patch


# --- tamper


def test_discarded_edits_are_information(trial):
    verdict = trial.put("patch.diff", SUITE_EDIT).restored(["benchmarks/b.py"]).grade()
    assert result(verdict) == ("accepted", None)
    assert verdict.discarded == ("benchmarks/b.py",)
    assert verdict.task["base"] == "d" * 40


def test_edits_that_remain_are_tampering(trial):
    verdict = trial.restored(["benchmarks/b.py"], ["conftest.py"]).grade()
    assert result(verdict) == ("rejected", "tamper")
    assert [f.path for f in verdict.findings if f.code == "tamper:protected"] == ["conftest.py"]


@pytest.mark.parametrize("record", [None, {"ran": False, "error": "no git"}])
def test_without_the_restore_step_the_older_rule_holds(trial, record):
    if record:
        trial.put("protected_restore.json", record)
    assert result(trial.grade()) == ("accepted", None)
    assert result(trial.put("patch.diff", COMMENT).grade()) == ("accepted", None)
    verdict = trial.put("patch.diff", SUITE_EDIT).grade()
    assert result(verdict) == ("rejected", "tamper")
    assert [f.path for f in verdict.findings if f.level == "fail"] == ["benchmarks/b.py"]


def test_the_older_rule_takes_its_patterns_from_the_policy(trial):
    shipped = load_policy()
    other = shipped.model_copy(
        update={"protected": shipped.protected.model_copy(update={"patterns": (r"^pkg/",)})}
    )
    assert result(trial.grade(other)) == ("rejected", "tamper")


@pytest.mark.parametrize(
    "record",
    [
        "{",
        "[]",
        "{}",
        {"ran": "yes"},
        {"ran": True},
        {"ran": True, "discarded": []},
        {"ran": True, "remaining": []},
        {"ran": True, "discarded": [], "remaining": [1]},
        {"ran": 1, "discarded": [], "remaining": []},
    ],
)
def test_a_restore_record_that_cannot_be_read_is_inconclusive(trial, record):
    assert trial.put("protected_restore.json", record).grade().outcome == "inconclusive"


def test_a_diff_cut_short_is_inconclusive_under_the_older_rule(trial):
    trial.put("patch.diff", SUITE_EDIT.replace("@@ -1 +1 @@", "@@ -1,9 +1,9 @@"))
    assert trial.grade().outcome == "inconclusive"
    assert trial.restored().grade().outcome == "accepted"


def test_the_trials_own_tamper_check_counts_only_without_the_restore_step(trial):
    trial.put("reward.json", {"timing_skipped": "tamper"})
    assert result(trial.grade()) == ("rejected", "tamper")
    assert result(trial.restored().grade()) == ("accepted", None)


# --- rebuild


def test_a_trial_that_ended_in_the_rebuild_has_no_reward(trial):
    trial.put("rebuild.log", "error: ...").drop("test_results.json", "lsv/lsv_results.json")
    verdict = trial.grade()
    assert (verdict.outcome, verdict.reward.value, exit_code(verdict)) == ("inconclusive", None, 3)
    assert "station:rebuild" in codes(verdict, "inconclusive")


def test_a_rebuild_that_went_well_is_no_matter(trial):
    assert result(trial.put("rebuild.log", "done").grade()) == ("accepted", None)


# --- tests


@pytest.mark.parametrize(
    "changed",
    [
        {"regressed": ["t.py::test_a"], "n_regressed": 1},
        {"regressed": ["t.py::test_a"]},
        {"n_regressed": 1},
        {"agent_only_plugins": ["fcevil"]},
        {"regressed": ["config:unavailable"]},
    ],
)
def test_regressions_reject(trial, make, changed):
    verdict = trial.put("test_results.json", make.regression(**changed)).grade()
    assert result(verdict) == ("rejected", "tests_regressed")
    assert verdict.tests["n_regressed"] == 1
    assert verdict.reward.value == -1.0


def test_plugins_are_named_as_in_ours(trial, make):
    verdict = trial.put(
        "test_results.json", make.regression(agent_only_plugins=["fcevil"], regressed=["plugin:fcevil"])
    ).grade()
    assert verdict.tests["regressed"] == ["plugin:fcevil"]


@pytest.mark.parametrize(
    "changed",
    [
        {"ran": False, "reason": "no tests"},
        {"n_base_pass": 2},
        {"n_base_pass": None},
        {"restore_ok": False},
        {"base_error": "collection failed"},
        {"error": "rebuild failed"},
        {"n_base_pass": "11"},
        {"regressed": "none"},
    ],
)
def test_a_comparison_that_does_not_hold_is_inconclusive(trial, make, changed):
    verdict = trial.put("test_results.json", make.regression(**changed)).grade()
    assert (verdict.outcome, verdict.reward.value) == ("inconclusive", None)


@pytest.mark.parametrize("content", ["{", '{"regression": NaN}', "{}", {"results": {"exit_code": 0}}, None])
def test_tests_that_were_not_compared_are_never_a_pass(trial, content):
    trial.drop("test_results.json") if content is None else trial.put("test_results.json", content)
    assert result(trial.grade()) == ("inconclusive", "not_measured")


def test_a_regression_counts_even_where_the_timing_is_lost(trial, make):
    trial.put("test_results.json", make.regression(n_regressed=1)).drop("lsv/lsv_results.json")
    assert result(trial.grade()) == ("rejected", "tests_regressed")


def test_tampering_is_named_before_regressions(trial, make):
    trial.put("test_results.json", make.regression(n_regressed=1)).put("patch.diff", SUITE_EDIT)
    assert result(trial.grade()) == ("rejected", "tamper")


# --- integrity


@pytest.mark.parametrize("key", ["timing_skipped", "lsv_error"])
def test_a_changed_base_copy_is_tampering(trial, key):
    assert result(trial.put("reward.json", {key: "base_changed"}).grade()) == ("rejected", "tamper")


@pytest.mark.parametrize(
    "told",
    [
        {"timing_skipped": "tree_not_restored"},
        {"lsv_error": "project shadowed: x"},
        {"invariants": {"fatal": ["degenerate_baseline"]}},
        "{",
    ],
)
def test_what_the_parser_could_not_vouch_for_is_inconclusive(trial, told):
    assert trial.put("reward.json", told).grade().outcome == "inconclusive"


def test_a_nested_reward_without_complaints_changes_nothing(trial):
    told = {
        "timing_skipped": None,
        "lsv_error": None,
        "invariants": {"ok": True, "fatal": []},
        "snapshots_passed": None,
        "lsv_mean_speedup": 9.0,
    }
    verdict = trial.put("reward.json", told).grade()
    assert result(verdict) == ("accepted", None)
    assert verdict.timing["speedup"] == pytest.approx(math.sqrt(2))


@pytest.mark.parametrize(
    "status", [{"succeeded": False, "failed_phase": "lsv_init"}, {"exit_code": 137}, "{"]
)
def test_a_failed_setup_is_inconclusive_whatever_else_is_there(trial, status):
    verdict = trial.put("setup_status.json", status).put("patch.diff", "").grade()
    assert result(verdict) == ("inconclusive", "not_measured")


# --- timing


@pytest.mark.parametrize(
    ("ratios", "speed"),
    [((0.1, 0.0), "faster"), ((-0.1, 0.0), "slower"), ((0.1, -0.1), "mixed"), ((0.04, -0.04), "same")],
)
def test_speed_is_what_exceeds_the_margin(trial, make, ratios, speed):
    assert trial.put("lsv/lsv_results.json", make.lsv(*ratios)).grade().speed == speed


def test_regressions_are_rejected_where_the_policy_says_so(trial, make):
    shipped = load_policy()
    strict = shipped.model_copy(
        update={"verdict": shipped.verdict.model_copy(update={"regressions": "reject"})}
    )
    trial.put("lsv/lsv_results.json", make.lsv(1.0, -0.1))
    assert result(trial.grade()) == ("accepted", None)
    assert result(trial.grade(strict)) == ("rejected", "benchmarks_regressed")


def test_only_what_the_confirmation_pass_repeats_counts(trial, make):
    first = make.lsv(0.5, 0.5, 0.5, -0.5, 0.0)
    again = {f"b.time_{i}": make.benchmark(ratio) for i, ratio in enumerate((0.4, 0.0, -0.5))}
    verdict = (
        trial.put("lsv/lsv_results.json", first)
        .put("lsv/lsv_measure_confirm.json", {"benchmarks": again})
        .grade()
    )
    assert {key: verdict.timing[key] for key in ("n_faster", "n_slower", "n_same")} == {
        "n_faster": 1,
        "n_slower": 0,
        "n_same": 4,
    }
    assert verdict.timing["speedup"] == pytest.approx(math.exp(0.4 / 5))


def test_unpaired_results_are_read_from_both_sides_times(trial, make):
    unpaired = make.lsv()
    unpaired["measure"]["benchmarks"] = {
        "b": {"baseline": 0.02, "current": 0.01},
        "c": {"baseline": None, "current": 0.01},
    }
    verdict = trial.put("lsv/lsv_results.json", unpaired).grade()
    assert (verdict.timing["n_faster"], verdict.timing["n_invalid"]) == (1, 1)


def test_the_paired_ratio_goes_before_the_medians(trial, make):
    results = make.lsv()
    results["measure"]["benchmarks"] = {
        "b": {"baseline": 9.0, "current": 1.0, "paired": {"median_log_ratio": 0.2}}
    }
    assert trial.put("lsv/lsv_results.json", results).grade().timing["speedup"] == pytest.approx(
        math.exp(0.2)
    )
    results["measure"]["benchmarks"]["b"]["paired"] = {"median_log_ratio": None}
    verdict = trial.put("lsv/lsv_results.json", results).grade()
    assert (verdict.timing["speedup"], verdict.timing["protocol"]) == (pytest.approx(9.0), "lsv")


def test_dropped_benchmarks_are_on_record(trial, make):
    assert trial.put("lsv/lsv_results.json", make.lsv(0.1, dropped_count=3)).grade().timing["n_invalid"] == 3


@pytest.mark.parametrize(
    "benchmark",
    [
        {"baseline": 0.0, "current": 0.01},
        {"baseline": -1.0, "current": 0.01},
        {"baseline": 1e300, "current": 1e-300},
        {"baseline": 5e-324, "current": 1e308},
        {"paired": {"median_log_ratio": 1e308}},
        {},
    ],
)
def test_a_number_that_is_no_measurement_measures_nothing(trial, make, benchmark):
    results = make.lsv()
    results["measure"]["benchmarks"] = {"b": benchmark}
    assert result(trial.put("lsv/lsv_results.json", results).grade()) == ("inconclusive", "not_measured")


@pytest.mark.parametrize(
    "content",
    [
        "{",
        "{}",
        '{"measure": {"benchmarks": {"b": {"baseline": Infinity, "current": 1}}}}',
        '{"measure": {"benchmarks": {"b": {"baseline": "1", "current": 1}}}}',
        '{"measure": {"benchmarks": {}}}',
        '{"measure": {}}',
        '{"measure": {"benchmarks": {"b": {"baseline": 2, "current": 1}}, "error": "LSV paired measure raised: x"}}',
        None,
    ],
)
def test_timing_that_cannot_be_believed_is_inconclusive(trial, content):
    trial.drop("lsv/lsv_results.json") if content is None else trial.put("lsv/lsv_results.json", content)
    assert result(trial.grade()) == ("inconclusive", "not_measured")


def test_a_broken_confirmation_is_inconclusive(trial):
    assert trial.put("lsv/lsv_measure_confirm.json", "{").grade().outcome == "inconclusive"


# --- snapshots


@pytest.mark.parametrize(
    ("summary", "reason"),
    [
        ({"total": 3, "passed": 2, "failed": 1, "pass-to-fail": 1}, "outputs_differ"),
        ({"pass-to-fail": ["b.time_a"]}, "outputs_differ"),
        ({"passed": False}, "outputs_differ"),
        ({"total": 3, "passed": 2, "failed": 1, "pass-to-fail": 0}, None),
        ({"passed": 0, "pass-to-fail": []}, None),
    ],
)
def test_snapshots_fail_by_what_passed_at_base(trial, summary, reason):
    assert trial.put("summary_agent.json", summary).grade().failure_reason == reason


def test_no_snapshots_is_information(trial):
    assert "outputs:not_compared" in codes(trial.grade(), "info")


def test_the_parsers_word_on_failed_snapshots_counts(trial):
    assert result(trial.put("reward.json", {"snapshots_passed": False}).grade()) == (
        "rejected",
        "outputs_differ",
    )


# --- the folder


def test_a_folder_without_a_trial_is_a_usage_error(trial, tmp_path):
    (tmp_path / "empty").mkdir()
    trial.folder = tmp_path / "empty"
    with pytest.raises(UsageError, match="neither verdict"):
        trial.grade()
    trial.folder = tmp_path / "missing"
    with pytest.raises(UsageError, match="name a folder"):
        trial.grade()


def test_links_in_the_folder_are_not_followed(trial, tmp_path):
    outside = tmp_path / "outside.json"
    (trial.folder / "test_results.json").rename(outside)
    (trial.folder / "test_results.json").symlink_to(outside)
    assert trial.grade().outcome == "inconclusive"


def test_the_verdict_is_json(trial):
    trial.put("patch.diff", SUITE_EDIT)
    assert json.loads(trial.grade().model_dump_json())["outcome"] == "rejected"


# --- numbers that no clock gives, beside others that look fine


@pytest.mark.parametrize(
    "benchmark",
    [
        {"baseline": 0.0, "current": 0.01},
        {"baseline": 0.01, "current": -1.0},
        {"baseline": 1e308, "current": 1.0},
        {"baseline": 1e12, "current": 1.0},
        {"baseline": 0.01, "current": 0.01, "paired": {"median_log_ratio": -1e308}},
        {"baseline": 0.01, "current": 0.01, "paired": {"median_log_ratio": 30.0}},
    ],
)
@pytest.mark.parametrize("name", ["lsv/lsv_results.json", "lsv/lsv_measure_confirm.json"])
def test_one_number_that_is_no_measurement_spoils_the_others(trial, make, benchmark, name):
    results = make.lsv(math.log(2), 0.0)
    results["measure"]["benchmarks"]["x"] = benchmark
    content = results if name == "lsv/lsv_results.json" else results["measure"]
    assert result(trial.put(name, content).grade()) == ("inconclusive", "not_measured")


@pytest.mark.parametrize("ratio", [math.log(1e8), -math.log(1e8)])
def test_a_great_change_is_still_one(trial, make, ratio):
    assert trial.put("lsv/lsv_results.json", make.lsv(ratio, 0.0)).grade().outcome == "accepted"


def test_a_side_that_gave_no_number_is_a_dropped_benchmark(trial, make):
    results = make.lsv(math.log(2), 0.0)
    results["measure"]["benchmarks"]["x"] = {"baseline": 0.01, "current": None}
    verdict = trial.put("lsv/lsv_results.json", results).grade()
    assert (verdict.outcome, verdict.timing["n_invalid"]) == ("accepted", 1)


@pytest.mark.parametrize("changed", [{"n_regressed": -1}, {"n_base_pass": -1}, {"n_base_pass": 1 << 70}])
def test_counts_below_nothing_are_inconclusive(trial, make, changed):
    assert trial.put("test_results.json", make.regression(**changed)).grade().outcome == "inconclusive"


def test_a_negative_count_of_dropped_benchmarks_is_inconclusive(trial, make):
    assert (
        trial.put("lsv/lsv_results.json", make.lsv(0.5, dropped_count=-3)).grade().outcome == "inconclusive"
    )


# --- two results in one folder: what lies below neither beats nor completes what lies at the top


@pytest.fixture
def ours(tmp_path, trial):
    """A verdict that accepts, as truelap writes it."""
    verdict = trial.grade()
    return {
        "verdict.json": verdict.model_dump(mode="json"),
        "reward.json": reward_numbers(verdict),
        "reward.txt": f"{verdict.reward.value}\n",
        "reward-details.json": {},
        **dict.fromkeys(("patch.diff", "protected_restore.json", "test_edits.json"), "{}"),
        "patch_info.json": {"files": 1, "added_lines": 1, "removed_lines": 1},
        "tests.json": {"n_base_pass": 11, "regressed": []},
        "timing.json": {"benchmarks": {"b": {"decision": "faster"}, "c": {"decision": "same"}}},
    }


def planted(trial, files):
    for name, content in files.items():
        trial.put(f"artifacts/{name}", content)
    return trial


def test_a_verdict_below_an_older_trial_is_not_believed(trial, make, ours):
    bad = make.regression(regressed=["t.py::a"], n_regressed=1)
    assert planted(trial.put("test_results.json", bad), ours).grade().failure_reason == "tests_regressed"


def test_a_verdict_below_is_read_where_there_is_nothing_above(trial, ours, tmp_path):
    alone = type(trial)(tmp_path / "alone")
    for name in (
        "setup_status.json",
        "patch.diff",
        "patch_info.json",
        "test_results.json",
        "lsv/lsv_results.json",
    ):
        alone.drop(name)
    verdict = planted(alone, ours).grade()
    assert (verdict.outcome, verdict.reward.value) == ("accepted", ours["verdict.json"]["reward"]["value"])


@pytest.mark.parametrize("missing", ["test_results.json", "lsv/lsv_results.json", "patch.diff"])
def test_a_file_below_does_not_stand_in_for_one_that_is_missing(trial, missing):
    content = (trial.folder / missing).read_text()
    assert planted(trial.drop(missing), {missing: content}).grade().outcome == "inconclusive"


def test_a_diary_below_an_older_trial_ends_nothing(trial, tmp_path):
    outer = tmp_path / "verifier"
    outer.mkdir()
    trial.put("events.jsonl", "")
    trial.folder.rename(outer / "artifacts")
    trial.folder = outer
    assert trial.grade().outcome == "accepted"


def test_the_parsers_own_complaint_lies_above_the_artifacts(trial, tmp_path):
    outer = tmp_path / "verifier"
    outer.mkdir()
    trial.folder.rename(outer / "artifacts")
    trial.folder = outer
    assert trial.put("reward.json", {"lsv_error": "base_changed"}).grade().failure_reason == "tamper"
