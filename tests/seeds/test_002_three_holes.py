"""Seed 002, items 23 to 43 and 45 to 52 of the checklist: every line is seen, unsafe diffs are refused, base's tests judge."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys

import pytest

TESTED = "astropy/units/tests/test_quantity.py"
SOURCE = "astropy/units/quantity.py"
CORRECT = "def convert(values, factor):\n    return [v * factor for v in values]\n"
WRONG = "def convert(values, factor):\n    return [v * factor for v in values][:3]\n"
MANY = f"{TESTED}::test_many"
HIDING = "benchmarks/** -diff\n"
SUITE_EDIT = "def time_x(): return 0\n"
LINK = """\
diff --git a/{path} b/{path}
new file mode 120000
--- /dev/null
+++ b/{path}
@@ -0,0 +1 @@
+/etc/passwd
\\ No newline at end of file
"""
ADDED = """\
diff --git "a/{path}" "b/{path}"
new file mode 100644
--- /dev/null
+++ "b/{path}"
@@ -0,0 +1 @@
+{line}
"""
FORGER = """\
import pytest

@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    outcome = yield
    outcome.get_result().outcome = "passed"
"""


def policy_without(run, path, *rules):
    """The shipped policy with some refusal rules off."""
    text = run("policy", "show", "--as", "toml").out
    path.write_text(re.sub(r"(?m)^off = \[\]", f"off = {json.dumps(list(rules))}", text, count=1))
    assert json.dumps(list(rules)) in path.read_text()
    return path


def added(path, line="x = 1"):
    return ADDED.format(path=path, line=line)


@pytest.fixture
def patched(run, trial):
    """Verifies a diff that is given as text."""

    def go(diff, *extra, command="verify"):
        patch = trial.folder / "tree.diff"
        patch.write_text(diff)
        return run(command, trial.agent, "--base-dir", trial.pristine, "--patch", patch, *(() if command == "admit" else ("--out", trial.out)), *extra)  # fmt: skip

    return go


@pytest.fixture
def every_test(tmp_path):
    """A task file that runs all of base's tests, not only those that a changed path maps to."""
    path = tmp_path / "every.toml"
    path.write_text('[tests]\nselect = "all"\n')
    return path


def assert_refused(trial, done, path):
    """The diff is refused, and nothing of it was run."""
    assert done.code == 1, done
    verdict = trial.verdict
    assert (verdict["outcome"], verdict["failure_reason"]) == ("refused", "no_patch")
    assert path in {
        finding["path"] for finding in verdict["findings"] if finding["code"].startswith("refused:")
    }
    assert {s["status"] for s in verdict["stations"] if s["name"] in {"rebuild", "tests", "time"}} == {
        "not_run"
    }


# The three holes


def test_item_23_attributes_cannot_hide_a_benchmark_edit(trial):
    trial.edit({".gitattributes": HIDING, "benchmarks/x.py": SUITE_EDIT, SOURCE: CORRECT}).restore()
    assert trial.read("protected_restore.json")["discarded"] == ["benchmarks/x.py"]


def test_item_23_a_diff_cannot_add_code_that_runs_outside_the_patched_sources(trial, patched):
    assert_refused(trial, patched(added("sitecustomize.py")), "sitecustomize.py")


def test_item_23_tests_do_not_come_from_the_diff(trial):
    trial.edit({SOURCE: WRONG, TESTED: "def test_many():\n    pass\n"})
    assert trial.test().code == 1
    assert trial.read("tests.json")["regressed"] == [MANY]


# What the diff shows


@pytest.fixture
def hostile(trial, repo_class):
    """The agent's repository with everything that could change what a diff shows; each program leaves a mark if it runs."""
    mark = trial.folder / "ran"
    program = trial.folder / "program"
    program.write_text(f"#!/bin/sh\ntouch {mark}\necho hidden\n")
    program.chmod(0o755)
    agent = repo_class(trial.agent)
    for key in ("diff.external", "diff.hide.textconv", "core.fsmonitor"):
        agent.git("config", key, str(program))
    trial.edit(
        {".gitattributes": f"{HIDING}*.py diff=hide\n", "benchmarks/x.py": SUITE_EDIT, SOURCE: CORRECT}
    )
    agent.git("-c", "core.fsmonitor=false", "add", "-A")
    blob = agent.git("-c", "core.fsmonitor=false", "rev-parse", f":{SOURCE}").decode().strip()
    old = agent.git("rev-parse", f"HEAD:{SOURCE}").decode().strip()
    agent.git("replace", blob, old)
    return agent, mark


def test_item_24_the_readable_diff_follows_no_attribute_driver_or_replacement(run, trial, hostile):
    _, mark = hostile
    mark.unlink(missing_ok=True)
    done = run("collect", trial.agent, "--base-dir", trial.pristine, "--worktree", "--text")
    assert "+def time_x(): return 0" in done.out
    assert "+    return [v * factor for v in values]" in done.out
    assert not mark.exists()


def test_item_25_the_appliable_diff_runs_no_driver_either(run, trial, hostile, repo_class):
    agent, mark = hostile
    mark.unlink(missing_ok=True)
    out = trial.folder / "tree.diff"
    program = str(trial.folder / "program")
    done = run(
        "collect",
        trial.agent,
        "--base-dir",
        trial.pristine,
        "--out",
        out,
        env={**os.environ, "GIT_EXTERNAL_DIFF": program},
    )
    assert done.code == 0, done
    assert not mark.exists()
    assert b"hidden" not in out.read_bytes()
    agent.git("-c", "core.fsmonitor=false", "-c", "diff.external=", "reset", "-q", "--hard")
    agent.git("-c", "core.fsmonitor=false", "apply", "--check", str(out))


def test_item_26_no_edit_becomes_binary_files_differ(run, trial):
    trial.edit({".gitattributes": HIDING, "benchmarks/x.py": SUITE_EDIT})
    text = run("collect", trial.agent, "--base-dir", trial.pristine, "--worktree", "--text").out
    assert "Binary files" not in text
    assert "+def time_x(): return 0" in text


# What is refused


def test_item_27_a_new_symlink_is_refused(trial, patched):
    assert_refused(trial, patched(LINK.format(path="astropy/data")), "astropy/data")


def test_item_27_an_existing_link_that_points_elsewhere_is_refused(trial):
    for root in (trial.pristine, trial.agent):
        (root / "data").symlink_to("CHANGES.rst" if root == trial.pristine else "/etc/passwd")
    assert_refused(trial, trial.verify(), "data")


def test_item_27_a_link_that_becomes_a_file_is_fine(trial):
    (trial.pristine / "data").symlink_to("CHANGES.rst")
    trial.edit({"data": "text\n"})
    assert trial.restore().code == 0


@pytest.mark.parametrize(
    "name",
    ["evil.pth", "lib/evil.pth", "sitecustomize.py", "usercustomize.py", "a/usercustomize/__init__.py"],
)
def test_item_28_start_up_files_are_refused(patched, name):
    done = patched(added(name), "--json", command="admit")
    assert done.code == 1
    assert "refused:startup_files" in {finding["code"] for finding in json.loads(done.out)["findings"]}


@pytest.mark.parametrize("name", ["docs/pth.txt", "astropy/sitecustom.py", "astropy/usercustomizer.py"])
def test_item_28_names_that_only_resemble_them_are_not(patched, name):
    assert patched(added(name), command="admit").code == 0


def test_item_29_on_refusal_the_starting_tree_is_kept_and_the_refusal_on_record(trial, patched):
    done = patched(added("evil.pth", "import os"))
    assert_refused(trial, done, "evil.pth")
    assert trial.verdict["submission"]["candidate_tree"] == trial.verdict["task"]["base_tree"]
    assert (trial.out / "agent_tree.txt").read_text().strip() == "tree_diff_refused"
    assert "evil.pth" in (trial.out / "tree_diff_refused.txt").read_text()


def test_item_30_git_alone_would_have_applied_it(run, trial, patched, repo_class):
    diff = added("evil.pth", "import os") + LINK.format(path="astropy/data")
    assert_refused(trial, patched(diff), "evil.pth")
    repo_class(trial.agent).git("apply", str(trial.folder / "tree.diff"))
    assert (trial.agent / "evil.pth").exists()
    into = trial.into
    done = run(
        "restore",
        trial.agent,
        "--base-dir",
        trial.pristine,
        "--patch",
        trial.folder / "tree.diff",
        "--into",
        into,
    )
    assert done.code == 1
    assert not (into / "evil.pth").exists()


# Whose tests, whose configuration


def test_item_31_changed_added_and_deleted_tests_go_back_and_are_listed(trial):
    (trial.pristine / "astropy/units/tests/test_more.py").write_text("def test_more():\n    pass\n")
    trial.edit(
        {
            SOURCE: CORRECT,
            TESTED: "def test_many():\n    pass\n",
            "test_new.py": "def test_new():\n    pass\n",
        }
    )
    trial.restore()
    record = trial.read("test_edits.json")
    assert record["modified"] == [TESTED]
    assert record["added"] == ["test_new.py"]
    assert record["deleted"] == ["astropy/units/tests/test_more.py"]
    assert set(record["added_sha256"]) == {"test_new.py"}
    assert (trial.into / TESTED).read_bytes() == (trial.pristine / TESTED).read_bytes()
    assert (trial.into / "astropy/units/tests/test_more.py").exists()
    assert not (trial.into / "test_new.py").exists()


def test_item_32_the_base_side_is_base_though_the_change_is_committed_and_partly_untracked(
    run, trial, repo_class
):
    agent = repo_class(trial.agent)
    base = agent.head()
    trial.edit({SOURCE: "from astropy.units.helper import convert\n"})
    agent.git("add", SOURCE)
    agent.git("commit", "-q", "-m", "a committed change")
    trial.edit({"astropy/units/helper.py": WRONG})
    done = run("test", trial.agent, "--base", base, "--worktree", "--out", trial.out)
    assert done.code == 1
    results = trial.read("tests.json")
    assert results["n_base_pass"] == 4
    assert results["regressed"] == [MANY]


REWRITES_TESTS = """\
import pathlib

def convert(values, factor):
    return [v * factor for v in values]

for test in pathlib.Path("astropy/units/tests").glob("test_*.py"):
    try:
        test.write_text(test.read_text() + "# changed\\n")
    except OSError:
        pass
"""


@pytest.mark.parametrize("sandbox", ["bubblewrap", "none"])
def test_item_33_a_run_that_changes_the_tree_is_prevented_or_found(trial, sandbox):
    trial.edit({SOURCE: REWRITES_TESTS})
    done = trial.test("--sandbox", sandbox, *(["--unsafe"] if sandbox == "none" else []), "--json")
    codes = {finding["code"] for finding in json.loads(done.out)["findings"]}
    prevented = sandbox == "bubblewrap" and os.geteuid() == 0
    assert ("tamper:tree_changed" in codes) is not prevented
    assert done.code == (0 if prevented else 1)


WRITES_ITS_TREE = """\
import pathlib

def test_writes():
    pathlib.Path("astropy/units/written.py").write_text("x = 1\\n")
"""


def test_item_33_what_a_base_run_leaves_never_reaches_the_candidate(trial, every_test):
    sees = "import importlib.util\n\ndef test_aside():\n    assert importlib.util.find_spec('astropy.units.written') is None\n"
    for root in (trial.pristine, trial.agent):
        (root / "astropy/units/tests/test_aa.py").write_text(sees)
        (root / "astropy/units/tests/test_zz.py").write_text(WRITES_ITS_TREE)
    trial.edit({SOURCE: CORRECT})
    assert trial.test("--task", every_test).code == 0
    assert trial.read("tests.json")["n_base_pass"] == 6


HELPER = "def assert_same(left, right):\n    assert list(left) == list(right)\n"
USES_HELPER = """\
from astropy.{folder}.helpers import assert_same
from astropy.units.quantity import convert


def test_same():
    assert_same(convert(range(9), 2), [2 * n for n in range(9)])


def test_first():
    assert convert([1], 1) == [1]


def test_second():
    assert convert([2], 1) == [2]
"""


@pytest.mark.parametrize("folder", ["testing", "_testing"])
def test_item_34_testing_helpers_are_bases(trial, folder):
    for root in (trial.pristine, trial.agent):
        (root / "astropy" / folder).mkdir()
        (root / "astropy" / folder / "__init__.py").write_text("")
        (root / "astropy" / folder / "helpers.py").write_text(HELPER)
        (root / TESTED).write_text(USES_HELPER.format(folder=folder))
    trial.edit({SOURCE: WRONG, f"astropy/{folder}/helpers.py": "def assert_same(left, right):\n    pass\n"})
    assert trial.test().code == 1
    assert trial.read("test_edits.json")["modified"] == [f"astropy/{folder}/helpers.py"]
    assert trial.read("tests.json")["regressed"] == [f"{TESTED}::test_same"]


CONFIGS = {
    "pytest.ini": "[pytest]\njunit_suite_name = {name}\n",
    ".pytest.ini": "[pytest]\njunit_suite_name = {name}\n",
    "pyproject.toml": '[tool.pytest.ini_options]\njunit_suite_name = "{name}"\n',
    "tox.ini": "[pytest]\njunit_suite_name = {name}\n",
    "setup.cfg": "[tool:pytest]\njunit_suite_name = {name}\n",
}
READS_CONFIG = """\
import os


def test_whose(pytestconfig):
    assert pytestconfig.getini("junit_suite_name") == "{name}"


def test_where(pytestconfig):
    assert str(pytestconfig.rootpath) == os.getcwd()


def test_paths(pytestconfig):
    assert pytestconfig.inipath is not None and pytestconfig.inipath.parent == pytestconfig.rootpath
"""


@pytest.mark.parametrize("first", range(len(CONFIGS)), ids=list(CONFIGS))
def test_item_35_both_runs_read_a_copy_of_bases_configuration_in_pytests_order(trial, first):
    winner = list(CONFIGS)[first]
    for name in list(CONFIGS)[first:]:
        for root in (trial.pristine, trial.agent):
            (root / name).write_text(CONFIGS[name].format(name=name))
    (trial.pristine / TESTED).write_text(READS_CONFIG.format(name=winner))
    trial.edit({SOURCE: CORRECT, "pytest.ini": "[pytest]\njunit_suite_name = agents\n"})
    assert trial.test().code == 0
    results = trial.read("tests.json")
    assert results["n_base_pass"] == 3
    assert results["config_file"] == winner


def test_item_36_configuration_edits_are_listed(trial):
    edits = {
        "setup.cfg": "[tool:pytest]\n",
        "tox.ini": "[pytest]\n",
        "pyproject.toml": "[project]\nname = 'a'\n",
    }
    trial.edit({SOURCE: CORRECT, **edits, "docs/setup.cfg": "x"}).restore()
    assert set(trial.read("test_edits.json")["config_changed"]) == set(edits)


AGENT_CONFIGS = {
    "dotted": (
        "pyproject.toml",
        'pytest.ini_options.addopts = "--deselect=astropy/units/tests/test_quantity.py::test_many"\n',
    ),
    "added": (
        ".pytest.ini",
        "[pytest]\naddopts = --deselect=astropy/units/tests/test_quantity.py::test_many\n",
    ),
}


@pytest.mark.parametrize("form", AGENT_CONFIGS)
def test_items_37_and_49_the_agents_configuration_is_never_read(trial, form):
    name, text = AGENT_CONFIGS[form]
    text = f"[tool]\n{text}" if form == "dotted" else text
    (trial.pristine / "pyproject.toml").unlink()
    (trial.agent / "pyproject.toml").unlink()
    for root in (trial.pristine, trial.agent):
        (root / "setup.cfg").write_text("[tool:pytest]\njunit_suite_name = base\n")
    trial.edit({SOURCE: WRONG, name: text})
    assert trial.test().code == 1
    assert trial.read("tests.json")["regressed"] == [MANY]
    (trial.agent / "conftest.py").write_text("")
    words = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "astropy"]
    plain = subprocess.run(
        words, cwd=trial.agent, capture_output=True, text=True, env={"PATH": os.environ["PATH"]}
    )
    assert plain.returncode == 0, "without the judge's copy the failing test is deselected"


def test_item_38_a_configuration_that_cannot_be_written_fails_the_check(trial):
    (trial.agent / ".truelap-pytest.toml").mkdir()
    for root in (trial.pristine, trial.agent):
        (root / "pyproject.toml").write_text(CONFIGS["pyproject.toml"].format(name="base"))
    trial.edit({SOURCE: CORRECT, ".truelap-pytest.toml/in-the-way": "x"})
    assert trial.test().code == 1
    assert trial.read("tests.json")["regressed"] == ["config:unavailable"]


ENTRY_POINT = {
    "fcevil.py": FORGER,
    "evil-1.dist-info/METADATA": "Metadata-Version: 2.1\nName: evil\nVersion: 1\n",
    "evil-1.dist-info/entry_points.txt": "[pytest11]\nfcevil = fcevil\n",
}


def test_items_39_and_50_a_plugin_that_only_the_candidate_loads_is_a_regression(run, trial, tmp_path):
    policy = policy_without(run, tmp_path / "policy.toml", "package_metadata")
    trial.edit({SOURCE: WRONG, **ENTRY_POINT})
    assert trial.test("--policy", policy).code == 1
    assert "plugin:fcevil" in trial.read("tests.json")["regressed"]


SETUP = "from setuptools import setup\nsetup(name='astropy', version='1', packages=['astropy']{more})\n"
BUILD = '[environment]\nbuild = [["{python}", "setup.py", "-q", "egg_info"]]\n'


@pytest.mark.parametrize("hostile", [True, False], ids=["hostile", "honest"])
def test_item_50_a_plugin_of_the_built_projects_own_metadata_is_found(trial, tmp_path, hostile):
    pytest.importorskip("setuptools")
    more = (
        ", py_modules=['fcevil'], entry_points={'pytest11': ['fcevil = fcevil']}"
        if hostile
        else ", license='MIT'"
    )
    for root in (trial.pristine, trial.agent):
        (root / "pyproject.toml").unlink()
        (root / "setup.py").write_text(SETUP.format(more=""))
    task = tmp_path / "truelap.toml"
    task.write_text(BUILD.format(python=sys.executable))
    trial.edit(
        {"setup.py": SETUP.format(more=more), SOURCE: WRONG if hostile else CORRECT, "fcevil.py": FORGER}
    )
    done = trial.test("--task", task, "--json")
    assert done.code == int(hostile), done
    told = json.loads(done.out)
    found = {finding["code"] for finding in told["findings"] if finding["level"] == "fail"}
    assert bool(found) is hostile
    if hostile:
        assert (
            found & {"tests:plugin", "tamper:build_outputs"} or "plugin:fcevil" in told["tests"]["regressed"]
        )


# What is on record


def test_item_40_package_metadata_is_refused(patched):
    for name in ("evil-1.dist-info/METADATA", "lib/evil.egg-info/PKG-INFO"):
        done = patched(added(name), "--json", command="admit")
        assert done.code == 1
        assert "refused:package_metadata" in {finding["code"] for finding in json.loads(done.out)["findings"]}


@pytest.mark.parametrize(
    ("diff", "word"), [(added("evil.pth"), "tree_diff_refused"), ("no diff at all\n", "tree_diff_failed")]
)
def test_item_41_the_specific_reason_is_in_the_verdict(trial, patched, diff, word):
    assert patched(diff).code == 1
    assert trial.verdict["patch"]["submission_rejected"] == word
    assert (trial.out / "agent_tree.txt").read_text().strip() == word


def test_item_42_such_a_trial_has_the_fail_penalty_and_no_patch(trial, patched):
    patched(added("evil.pth"))
    assert trial.verdict["failure_reason"] == "no_patch"
    assert trial.read("reward.json")["reward"] == -1.0
    assert float((trial.out / "reward.txt").read_text()) == -1.0


OUTCOMES = {
    "failed": "    return [v * factor for v in values][:3]\n",
    "error": "    return [v * factor for v in values]\n\n\ndef fresh():\n    raise OSError\n",
    "skipped": "    import pytest\n    len(values) > 9 and pytest.skip()\n    return [v * factor for v in values]\n",
    "xfailed": "    import pytest\n    len(values) > 9 and pytest.xfail()\n    return [v * factor for v in values]\n",
    "missing": "    import os\n    len(values) > 9 and os._exit(0)\n    return [v * factor for v in values]\n",
}
FIXTURE_TESTS = """\
import pytest
from astropy.units import quantity


@pytest.fixture
def numbers():
    return getattr(quantity, "fresh", lambda: range(50))()


def test_many(numbers):
    assert quantity.convert(numbers, 3) == [3 * n for n in numbers]
"""


@pytest.mark.parametrize("outcome", OUTCOMES)
def test_item_43_anything_but_passing_again_is_a_regression(trial, every_test, outcome):
    few = (
        "from astropy.units.quantity import convert\n\n\ndef test_one():\n    assert convert([1], 1) == [1]\n"
    )
    for root in (trial.pristine, trial.agent):
        (root / "astropy/units/tests/test_aa.py").write_text(few + few.replace("test_one", "test_two"))
        (root / TESTED).write_text(FIXTURE_TESTS)
        (root / "astropy/units/tests/test_ab.py").write_text(few)
    trial.edit({SOURCE: f"def convert(values, factor):\n{OUTCOMES[outcome]}"})
    assert trial.test("--task", every_test).code == 1
    results = trial.read("tests.json")
    assert results["n_base_pass"] == 4
    assert MANY in results["regressed"]
    assert results["tests"][MANY]["candidate"] == outcome


# The seed's own verification


def test_item_45_the_plain_diff_hides_what_the_verifiers_diff_shows(run, trial, repo_class):
    trial.edit({".gitattributes": HIDING, "benchmarks/x.py": SUITE_EDIT})
    agent = repo_class(trial.agent)
    agent.git("add", "-A")
    assert b"+def time_x(): return 0" not in agent.git("diff", "--cached", "HEAD")
    trial.verify()
    assert "+def time_x(): return 0" in (trial.out / "patch.diff").read_text()


def test_item_46_a_pth_file_and_a_symlink_are_refused_together(trial, patched):
    done = patched(added("evil.pth", "import os") + LINK.format(path="astropy/data"))
    assert_refused(trial, done, "evil.pth")
    assert_refused(trial, done, "astropy/data")
    assert trial.verdict["submission"]["candidate_tree"] == trial.verdict["task"]["base_tree"]


@pytest.mark.parametrize(
    "source",
    [
        "import pytest\n\ndef convert(values, factor):\n    pytest.skip('later')\n",
        "def convert(values, factor)\n",
    ],
    ids=["skip", "broken import"],
)
def test_item_47_skipping_and_breaking_import_report_the_tests_that_passed(trial, source):
    trial.edit({SOURCE: source})
    assert trial.test().code == 1
    assert len(trial.read("tests.json")["regressed"]) == 4


def test_item_48_a_weakened_helper_is_restored_and_the_broken_change_reported(trial):
    for root in (trial.pristine, trial.agent):
        for path in ("astropy/testing/__init__.py", "astropy/testing/helpers.py"):
            (root / path).parent.mkdir(exist_ok=True)
            (root / path).write_text(HELPER if path.endswith("helpers.py") else "")
        (root / TESTED).write_text(USES_HELPER.format(folder="testing"))
    trial.edit(
        {SOURCE: WRONG, "astropy/testing/helpers.py": "def assert_same(left, right):\n    return True\n"}
    )
    done = trial.verify()
    assert done.code == 1
    assert trial.verdict["failure_reason"] == "tests_regressed"
    assert trial.read("tests.json")["regressed"] == [f"{TESTED}::test_same"]


def test_item_51_a_diff_with_a_dist_info_file_is_refused(trial, patched):
    path = "evil-1.dist-info/entry_points.txt"
    assert_refused(trial, patched(added(path, "[pytest11]")), path)


def test_item_52_a_start_up_file_below_a_non_ascii_folder_is_refused(trial, patched):
    quoted = "\\303\\251/sitecustomize.py"
    assert_refused(trial, patched(added(quoted)), "é/sitecustomize.py")
    assert not re.search(r"(^|/)sitecustomize\.py$", f'"{quoted}"'), "the quoted form hides it from a pattern"
