"""Seed 000, items 1 to 21 of the checklist: edits of the measurement setup are discarded, and the rest is judged."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

FIVE_PATTERNS_SHA256 = "e0be1f46835459bc2cc79b39d0dd20168ba148863d47defaa4e628caf2002a96"
"""Of the seed's five patterns, joined by newlines: a copy of them would be the second place."""

OPTIMIZED = {
    "astropy/units/quantity.py": "def convert(values, factor):\n    return [v * factor for v in values]\n"
}
EDITED_SUITE = "astropy-benchmarks/benchmarks/units.py"
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
    assert judged.verdict["speed"] == "faster"


def test_item_02_patch_diff_holds_the_complete_submission(judged, protected):
    text = (judged.out / "patch.diff").read_text()
    assert " def time_convert():\n-    convert(range(1500), 3)\n+    pass\n" in text
    for path in {
        *protected,
        "astropy/units/quantity.py",
        "astropy/units/tests/test_quantity.py",
        "CHANGES.rst",
    }:
        assert path in text
    assert judged.read("patch_info.json")["files"] == 9


def test_item_03_every_differing_protected_path_is_listed(trial):
    unrelated = {
        "docs/benchmark.md": "x",
        "astropy/benchmarker.py": "x = 1\n",
        "astropy/units/quantity.py": "x = 1\n",
    }
    protected = {"a/.snapshots/s.json": "{}", "deep/benchmark/x.py": "x = 1\n", "asv.conf.local.json": "{}"}
    trial.edit({**unrelated, **protected}).restore()
    assert set(trial.read("protected_restore.json")["discarded"]) == set(protected)


@pytest.mark.parametrize(
    ("path", "protected"),
    [
        ("benchmarks/a.py", True),
        ("x/benchmark/a.py", True),
        ("asv.conf.json", True),
        ("x/asv.confusing", True),
        (".snapshots/a", True),
        ("x/conftest.py", True),
        (".github/w.yml", True),
        ("benchmarks_extra/a.py", False),
        ("my_asv.conf", False),
        ("x/conftest.pyi", False),
        ("github/w.yml", False),
        ("snapshots/a", False),
    ],
)
def test_item_04_the_patterns_are_the_five_exactly(run, path, protected):
    import re

    patterns = json.loads(run("policy", "show", "--as", "json").out)["protected"]["patterns"]
    assert hashlib.sha256("\n".join(patterns).encode()).hexdigest() == FIVE_PATTERNS_SHA256
    assert any(re.search(pattern, path) for pattern in patterns) is protected


def test_item_05_one_place_for_the_patterns_serves_shells_graders_and_the_line(run, trial, tmp_path):
    shell = run("policy", "show", "--as", "sh").out
    script = f"{shell}\nprintf '%s\\n' \"${{TRUELAP_PROTECTED_PATTERNS[@]}}\""
    listed = subprocess.run(
        ["bash", "-c", script], capture_output=True, text=True, check=True
    ).stdout.splitlines()
    assert listed == json.loads(run("policy", "show", "--as", "json").out)["protected"]["patterns"]
    changed = run("policy", "show", "--as", "toml").out.replace(
        "patterns = [", "patterns = [\n  'quantity',", 1
    )
    policy = tmp_path / "policy.toml"
    policy.write_text(changed)
    trial.edit(OPTIMIZED).restore("--policy", policy)
    assert trial.read("protected_restore.json")["discarded"] == ["astropy/units/quantity.py"]


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
    assert record["ran"] is True
    assert record["base"] == judged.verdict["task"]["base_tree"]
    assert set(record["discarded"]) == protected
    assert record["remaining"] == []


def test_item_09_a_step_that_fails_says_so(trial):
    from truelap.model import Base, Case, Entry, Patch
    from truelap.policy import load_policy
    from truelap.prepare.restore import restore
    from truelap.task import Task
    from truelap.world.git import Store

    store = Store.create(trial.folder / "store.git")
    nowhere = "1" * 40
    patch = Patch(sha256="", applied=True, entries=(Entry(path=b"conftest.py", old_mode=0o100644, new_mode=0, old_blob=nowhere, new_blob="0" * 40),))  # fmt: skip
    case = Case(name="t", base=Base(given="x", commit=None, tree=nowhere), patch=patch)
    world = type("World", (), {"store": store})()
    case = restore(case, world, load_policy(), Task(), None)
    record = case.get("restore").artifacts()["protected_restore.json"]
    assert record["ran"] is False
    assert record["error"]
    assert case.candidate_tree is None
    assert [finding.level for finding in case.findings] == ["inconclusive"]


def test_item_10_everything_that_measures_runs_after_the_step_and_on_the_tasks_files(trial):
    trial.edit({"astropy/units/__init__.py": "# a remark\n", EDITED_SUITE: "def time_convert():\n    pass\n"})
    done = trial.verify()
    names = [station["name"] for station in trial.verdict["stations"]]
    assert names.index("restore") < min(names.index(name) for name in ("rebuild", "tests", "time"))
    assert done.code == 0, done
    assert trial.verdict["speed"] == "same"
    assert trial.read("timing.json")["benchmarks"].keys() == {"units.time_convert", "wcs.time_nothing"}


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
    assert trial.read("tests.json")["regressed"] == ["astropy/units/tests/test_quantity.py::test_many"]


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
    starting = repo_class(trial.folder / "starting")
    shutil.copytree(
        trial.pristine, starting.folder, dirs_exist_ok=True, ignore=shutil.ignore_patterns(".git")
    )
    sha = trial.folder / "fc_baseline_sha"
    sha.write_text(starting.commit() + "\n")
    (starting.folder / "astropy-benchmarks/benchmarks/units.py").write_text("x = 1\n")
    done = run(
        "restore", starting.folder, "--base-file", sha, "--worktree", "--into", trial.into, "--out", trial.out
    )
    assert done.code == 0
    assert trial.read("protected_restore.json")["discarded"] == [EDITED_SUITE]
    assert difference(trial.pristine, trial.into) == set()


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


def test_item_18_all_six_protected_paths_are_discarded_and_nothing_remains(judged, protected):
    record = judged.read("protected_restore.json")
    assert len(record["discarded"]) == 6
    assert set(record["discarded"]) == protected
    assert record["remaining"] == []


def test_item_19_only_the_source_the_test_and_the_changelog_entry_are_left_to_judge(judged):
    tests = judged.read("test_edits.json")
    left = (
        difference(judged.pristine, judged.into)
        | set(tests["modified"])
        | set(tests["added"])
        | set(tests["deleted"])
    )
    assert left == {"astropy/units/quantity.py", "astropy/units/tests/test_quantity.py", "CHANGES.rst"}


def test_item_20_the_suite_is_complete_and_has_the_starting_trees_bytes(judged):
    for name in (EDITED_SUITE, "conftest.py"):
        assert md5(judged.into / name) == md5(judged.pristine / name)
    assert len(list((judged.into / "astropy-benchmarks/benchmarks").iterdir())) == 17


def test_item_21_no_changes_give_an_empty_record(trial):
    trial.restore()
    record = trial.read("protected_restore.json")
    assert (record["ran"], record["discarded"], record["remaining"]) == (True, [], [])
