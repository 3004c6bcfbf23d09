"""Seed 000, items 1 to 21 of the checklist: edits of the measurement setup are discarded, and the rest is judged."""

from __future__ import annotations

import errno
import hashlib
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

import truelap
from truelap.model import Case
from truelap.policy import load_policy
from truelap.prepare.admit import admit
from truelap.prepare.base import base_of_directory
from truelap.prepare.collect import Worktree, collect
from truelap.prepare.restore import restore
from truelap.settings import Settings
from truelap.task import Task

FIVE_PATTERNS_SHA256 = "e0be1f46835459bc2cc79b39d0dd20168ba148863d47defaa4e628caf2002a96"
"""Of the seed's five patterns, joined by newlines: a copy of them would be the second place."""

OPTIMIZED = {
    "astropy/units/quantity.py": "def convert(values, factor):\n    return [v * factor for v in values]\n"
}
EDITED_SUITE = "astropy-benchmarks/benchmarks/units.py"
DELETED_SUITE = "astropy-benchmarks/benchmarks/wcs.py"
EDITED_TEST = "astropy/units/tests/test_quantity.py"
OLD_DIFF = """\
diff --git a/pkg/core.py b/pkg/core.py
--- a/pkg/core.py
+++ b/pkg/core.py
@@ -1 +1 @@
-x = 1
+x = 2
diff --git a/benchmarks/b.py b/benchmarks/b.py
--- a/benchmarks/b.py
+++ b/benchmarks/b.py
@@ -1 +1 @@
-{old}
+{new}
"""


def md5(path: Path) -> str:
    return hashlib.md5(path.read_bytes(), usedforsecurity=False).hexdigest()


def difference(before: Path, after: Path) -> set[str]:
    """Paths that differ between two folders, repositories' own folders aside."""

    def files(root: Path) -> dict[str, str]:
        found = (path for path in root.rglob("*") if path.is_file() and ".git" not in path.parts)
        return {str(path.relative_to(root)): md5(path) for path in found}

    old, new = files(before), files(after)
    return {name for name in old.keys() | new.keys() if old.get(name) != new.get(name)}


@pytest.fixture
def older_trial(tmp_path):
    """Artifacts of an older task: they hold a patch and passing tests, and it is all fast."""

    def make(restore: dict | None, *, old: str = "n = 10", new: str = "n = 1") -> Path:
        folder = tmp_path / "artifacts"
        (folder / "lsv").mkdir(parents=True)
        (folder / "patch.diff").write_text(OLD_DIFF.format(old=old, new=new))
        info = {"applied": True, "files": 2, "added_lines": 2, "removed_lines": 2}
        (folder / "patch_info.json").write_text(json.dumps(info))
        block = {"ran": True, "restore_ok": True, "n_selected_tests": 9, "n_agent_tests": 9, "n_base_pass": 9,
                 "regressed": [], "n_regressed": 0}  # fmt: skip
        tests = {"results": {"exit_code": 0, "summary": {"passed": 9, "failed": 0, "total": 9}}, "regression": block,
                 "strategy": "mapped"}  # fmt: skip
        (folder / "test_results.json").write_text(json.dumps(tests))
        case = {"name": "b.time_x", "baseline": 0.2, "current": 0.1, "paired": {"median_log_ratio": 0.69}}
        measure = {"benchmarks": {"b.time_x": case}, "selected_count": 1, "total_count": 1, "skipped_count": 0,
                   "dropped_count": 0, "error": None}  # fmt: skip
        timing = {"init": {}, "measure": measure, "timing": {}}
        (folder / "lsv" / "lsv_results.json").write_text(json.dumps(timing))
        if restore is not None:
            (folder / "protected_restore.json").write_text(json.dumps(restore))
        return folder

    return make


def test_item_01_protected_edits_are_discarded_and_the_rest_is_judged(judged):
    assert judged.verified.code == 0, judged.verified
    assert judged.verdict["outcome"] == "accepted"
    assert judged.read("timing.json")["benchmarks"]["units.time_convert"]["decision"] == "faster"


def test_item_02_patch_diff_comes_first_and_is_the_complete_submission(
    judged, protected, repo_class, tmp_path
):
    assert judged.verdict["stations"][0]["name"] == "collect"
    diff = (judged.out / "patch.diff").read_text()
    assert " def time_convert():\n-    convert(range(1500), 3)\n+    pass\n" in diff
    again = tmp_path / "again"
    shutil.copytree(judged.pristine, again, ignore=shutil.ignore_patterns(".git"))
    repo_class(again).git("apply", str(judged.out / "patch.diff"))
    assert difference(again, judged.agent) == set()
    assert difference(again, judged.pristine) == {*protected, "astropy/units/quantity.py", EDITED_TEST, "CHANGES.rst"}  # fmt: skip


def test_item_03_every_differing_protected_path_is_listed(trial):
    unrelated = {
        "docs/benchmark.md": "x",
        "astropy/benchmarker.py": "x = 1\n",
        "astropy/units/quantity.py": "x = 1\n",
    }
    added = {"a/.snapshots/s.json": "{}", "deep/benchmark/x.py": "x = 1\n", "asv.conf.local.json": "{}"}
    (trial.agent / EDITED_SUITE).chmod(0o755)
    trial.edit({**unrelated, **added, "conftest.py": "x = 1\n", DELETED_SUITE: None}).restore()
    listed = trial.read("protected_restore.json")["discarded"]
    assert listed == sorted({*added, "conftest.py", DELETED_SUITE, EDITED_SUITE})


PLACES = {
    "benchmarks/a.py": True,
    "x/benchmark/a.py": True,
    "asv.conf.json": True,
    "x/asv.confusing": True,
    ".snapshots/a": True,
    "x/.snapshots/a": True,
    "x/conftest.py": True,
    ".github/w.yml": True,
    "x/.github/w.yml": True,
    "benchmarks_extra/a.py": False,
    "my_asv.conf": False,
    "x/conftest.pyi": False,
    "my_conftest.py": False,
    "github/w.yml": False,
    "snapshots/a": False,
}


def test_item_04_the_patterns_are_the_five_exactly(run, trial):
    patterns = json.loads(run("policy", "show", "--as", "json").out)["protected"]["patterns"]
    assert hashlib.sha256("\n".join(patterns).encode()).hexdigest() == FIVE_PATTERNS_SHA256
    trial.edit(dict.fromkeys(PLACES, "x = 1\n")).restore()
    listed = trial.read("protected_restore.json")["discarded"]
    assert set(listed) == {path for path, protected in PLACES.items() if protected}


def test_item_05_one_place_for_the_patterns_serves_shells_graders_and_the_line(
    run, trial, older_trial, tmp_path
):
    shell = run("policy", "show", "--as", "sh").out
    script = f"{shell}\nprintf '%s\\n' \"${{TRUELAP_PROTECTED_PATTERNS[@]}}\""
    listed = subprocess.run(
        ["bash", "-c", script], capture_output=True, text=True, check=True
    ).stdout.splitlines()
    assert listed == json.loads(run("policy", "show", "--as", "json").out)["protected"]["patterns"]
    changed = run("policy", "show", "--as", "toml").out.replace(
        "patterns = [", "patterns = [\n  'quantity|pkg/core',", 1
    )
    policy = tmp_path / "policy.toml"
    policy.write_text(changed)
    trial.edit(OPTIMIZED).restore("--policy", policy)
    assert trial.read("protected_restore.json")["discarded"] == ["astropy/units/quantity.py"]
    graded = run("grade", older_trial(None, old="# ten", new="# one"), "--policy", policy)
    found = json.loads(graded.out)["findings"]
    assert [finding["path"] for finding in found if finding["level"] == "fail"] == ["pkg/core.py"]


def test_item_06_modified_deleted_and_type_changed_protected_paths_are_base_again(trial):
    link = trial.pristine / "astropy-benchmarks/benchmarks/again.py"
    link.symlink_to("units.py")
    (trial.agent / "astropy-benchmarks/benchmarks/again.py").write_text("x = 1\n")
    trial.edit({**OPTIMIZED, EDITED_SUITE: "x = 1\n", "conftest.py": None})
    assert trial.restore().code == 0
    assert difference(trial.pristine, trial.into) == {"astropy/units/quantity.py"}
    again = trial.into / "astropy-benchmarks/benchmarks/again.py"
    assert again.is_symlink()
    assert os.readlink(again) == "units.py"  # noqa: PTH115 - the text of the link


def test_item_07_added_protected_paths_are_gone(trial):
    trial.edit({**OPTIMIZED, ".github/new.yml": "x", "astropy/units/tests/conftest.py": "x = 1\n"}).restore()
    assert difference(trial.pristine, trial.into) == {"astropy/units/quantity.py"}
    assert not (trial.into / ".github").exists()


def test_item_08_protected_restore_json_has_its_four_keys(judged, protected):
    record = judged.read("protected_restore.json")
    base = judged.verdict["task"]["base_tree"]
    assert record == {"ran": True, "base": base, "discarded": sorted(protected), "remaining": []}


def test_item_08_the_tree_is_listed_again_and_not_assumed(trial, store, monkeypatch):
    trial.edit({**OPTIMIZED, "conftest.py": "x = 1\n"})
    world = SimpleNamespace(store=store, interpreter=None)
    case = Case(name="t", base=base_of_directory(store, trial.pristine))
    for station in (lambda *given: collect(Worktree(trial.agent), *given), admit):
        case = station(case, world, load_policy(), Task(), None)
    monkeypatch.setattr(store, "replace", lambda *_: case.patch.tree)
    case = restore(case, world, load_policy(), Task(), None)
    record = case.get("restore").artifacts()["protected_restore.json"]
    assert not record["ran"] or record["remaining"] == ["conftest.py"]
    assert {"fail", "inconclusive"} & {finding.level for finding in case.findings}


def test_item_09_a_step_that_fails_says_so(trial, monkeypatch):
    def no_room(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("truelap.prepare.guard.only_for_tests", no_room)
    settings = Settings(python=Path(sys.executable), seed=7, out=trial.out)
    trial.edit(OPTIMIZED)
    verdict = truelap.verify(trial.agent, base_dir=trial.pristine, worktree=trial.agent, settings=settings)
    record = trial.read("protected_restore.json")
    assert record.keys() == {"ran", "error"}
    assert record["ran"] is False
    assert "No space left on device" in record["error"]
    assert verdict.outcome == "inconclusive"
    assert {s.status for s in verdict.stations if s.name in {"rebuild", "tests", "time"}} == {"not_run"}


def test_item_10_everything_that_measures_runs_after_the_step_and_on_the_tasks_files(trial):
    cheat = "def time_convert():\n    pass\n"
    nothing = "collect_ignore_glob = ['*']\n"
    edits = {EDITED_SUITE: cheat, "conftest.py": nothing, "benchmarks/x.c": "int x;\n"}
    trial.edit({"astropy/units/__init__.py": "# a remark\n", **edits})
    done = trial.verify()
    stations = {station["name"]: station["status"] for station in trial.verdict["stations"]}
    names = list(stations)
    assert names[: names.index("restore")] == ["collect", "admit"]
    assert {"rebuild", "tests", "time"} <= set(names)
    assert stations["rebuild"] == "skipped", "the compiled source that was discarded asks for no build"
    assert done.code == 0, done
    timed = trial.read("timing.json")["benchmarks"]
    assert timed.keys() == {"units.time_convert", "wcs.time_nothing"}
    assert abs(timed["units.time_convert"]["log_ratio"]) < 1, "the cheat would be a thousand times faster"


FORGING_CONFTEST = """\
import pytest

@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    outcome = yield
    outcome.get_result().outcome = "passed"
"""


def test_item_11_pytest_uses_the_tasks_conftest(trial):
    wrong = "def convert(values, factor):\n    return [v * factor for v in values][:3]\n"
    trial.edit({"astropy/units/quantity.py": wrong, "conftest.py": FORGING_CONFTEST})
    assert trial.test().code == 1
    assert trial.read("tests.json")["regressed"] == [f"{EDITED_TEST}::test_many"]


def test_item_12_without_the_base_file_nothing_is_done(run, trial):
    trial.edit({"conftest.py": "x = 1\n"})
    missing = trial.folder / "fc_baseline_sha"
    done = run(
        "restore", trial.agent, "--base-file", missing, "--worktree", "--into", trial.into, "--out", trial.out
    )
    assert done.code == 0
    assert not trial.into.exists()
    assert not trial.out.exists()
    judged = run("verify", trial.agent, "--base-file", missing, "--worktree", "--out", trial.out)
    assert judged.code == 2
    assert str(missing) in judged.err


def test_item_12_against_the_starting_tree_an_untracked_suite_is_not_an_addition(run, trial, repo_class):
    """The repository's history: what upstream has, the starting tree with its suite, and what the agent committed."""
    agent = repo_class(trial.folder / "repo")
    whole = {"dirs_exist_ok": True, "ignore": shutil.ignore_patterns(".git")}
    shutil.copytree(trial.pristine, agent.folder, **whole)
    shutil.rmtree(agent.folder / "astropy-benchmarks")
    upstream = agent.commit()
    shutil.copytree(trial.pristine, agent.folder, **whole)
    sha = trial.folder / "fc_baseline_sha"
    sha.write_text(agent.commit() + "\n")
    agent.commit({EDITED_SUITE: "x = 1\n", **OPTIMIZED})

    def restored(into, *base):
        done = run("restore", agent.folder, *base, "--worktree", "--into", into, "--out", trial.out)
        assert done.code == 0, done
        return trial.read("protected_restore.json")["discarded"]

    assert restored(trial.into, "--base-file", sha) == [EDITED_SUITE]
    assert difference(trial.pristine, trial.into) == set(OPTIMIZED)
    assert len(restored(trial.folder / "other", "--base", upstream)) > 1
    assert not (trial.folder / "other" / EDITED_SUITE).exists(), "what the base file is for"


def test_item_13_a_grader_no_longer_fails_the_patch_for_what_was_discarded(run, judged, protected):
    graded = run("grade", judged.out)
    assert graded.code == 0
    verdict = json.loads(graded.out)
    assert verdict["outcome"] == "accepted"
    assert protected <= set(verdict["discarded"])


def test_item_14_a_clean_record_is_no_tamper_failure(run, older_trial):
    record = {"ran": True, "base": "d" * 40, "discarded": ["benchmarks/b.py"], "remaining": []}
    graded = run("grade", older_trial(record))
    verdict = json.loads(graded.out)
    assert (graded.code, verdict["outcome"]) == (0, "accepted")
    assert verdict["discarded"] == ["benchmarks/b.py"]


def test_item_15_what_remains_is_a_tamper_failure(run, older_trial):
    record = {
        "ran": True,
        "base": "d" * 40,
        "discarded": ["benchmarks/b.py"],
        "remaining": ["benchmarks/b.py"],
    }
    graded = run("grade", older_trial(record))
    assert (graded.code, json.loads(graded.out)["failure_reason"]) == (1, "tamper")


@pytest.mark.parametrize(
    "record", [None, {"ran": False, "error": "no space"}], ids=["older task", "failed step"]
)
def test_item_16_without_a_record_the_older_rule_holds(run, older_trial, record):
    graded = run("grade", older_trial(record))
    assert (graded.code, json.loads(graded.out)["failure_reason"]) == (1, "tamper")


@pytest.mark.parametrize(
    "record", [None, {"ran": False, "error": "no space"}], ids=["older task", "failed step"]
)
def test_item_16_the_older_rule_lets_remarks_and_blank_lines_pass(run, older_trial, record):
    graded = run("grade", older_trial(record, old="# ten", new="# one"))
    assert (graded.code, json.loads(graded.out)["outcome"]) == (0, "accepted")


def test_item_17_the_trial_of_the_seed_is_judged(judged):
    assert judged.restored.code == 0, judged.restored
    assert (judged.pristine / "astropy-benchmarks/.git").is_dir()
    tracked = subprocess.run(
        ["git", "ls-files"], cwd=judged.pristine, capture_output=True, text=True, check=True
    ).stdout
    assert "astropy-benchmarks" not in tracked
    there = {path for path in difference(judged.pristine, judged.agent) if (judged.pristine / path).exists()}
    assert there == {"conftest.py", EDITED_SUITE, DELETED_SUITE, "astropy/units/quantity.py", EDITED_TEST, "CHANGES.rst"}  # fmt: skip
    assert not (judged.agent / DELETED_SUITE).exists()
    assert judged.read("patch_info.json")["files"] == 9


def test_item_18_all_six_protected_paths_are_discarded_and_nothing_remains(judged, protected):
    record = judged.read("protected_restore.json")
    assert len(record["discarded"]) == 6
    assert set(record["discarded"]) == protected
    assert record["remaining"] == []


def test_item_19_only_the_source_the_test_and_the_changelog_entry_are_left_to_judge(judged):
    tests = judged.read("test_edits.json")
    assert (tests["modified"], tests["added"], tests["deleted"]) == ([EDITED_TEST], [], [])
    assert difference(judged.pristine, judged.into) == {"astropy/units/quantity.py", "CHANGES.rst"}


def test_item_20_the_suite_is_complete_and_has_the_starting_trees_bytes(judged):
    for name in (EDITED_SUITE, "conftest.py"):
        assert md5(judged.into / name) == md5(judged.pristine / name)
    assert len(list((judged.into / "astropy-benchmarks/benchmarks").iterdir())) == 17


def test_item_21_no_changes_give_an_empty_record(trial):
    assert trial.restore().code == 0
    assert difference(trial.pristine, trial.into) == set()
    record = trial.read("protected_restore.json")
    assert (record["ran"], record["discarded"], record["remaining"]) == (True, [], [])
