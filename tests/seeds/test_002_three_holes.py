"""Seed 002, items 23 to 43 and 45 to 52 of the checklist: every line is seen, unsafe diffs are refused, base's tests judge."""

from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
import sys

import pytest

from truelap.errors import WorldError
from truelap.world.files import write_tree
from truelap.world.trees import Trees
from truelap.world.workspace import open_workspace

TESTED = "astropy/units/tests/test_quantity.py"
SOURCE = "astropy/units/quantity.py"
CORRECT = "def convert(values, factor):\n    return [v * factor for v in values]\n"
WRONG = "def convert(values, factor):\n    return [v * factor for v in values][:3]\n"
MANY = f"{TESTED}::test_many"
HIDING = "benchmarks/** -diff\n"
SUITE_EDIT = "def time_x(): return 0\n"
BINARY_EDIT = "def time_y(): return 0  # \0\n"
"""A line that git takes for binary, with attributes or without."""
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


def policy_without(run, path, *defences, rules=()):
    """The shipped policy with some refusal rules and defences off."""
    text = run("policy", "show", "--as", "toml").out
    for section, names in (("refuse", rules), ("ablate", defences)):
        text, found = re.subn(
            rf"(?s)(\[{section}\].*?\noff = )\[\]", rf"\g<1>{json.dumps(list(names))}", text, count=1
        )
        assert found == 1
    path.write_text(text)
    return path


VALUES = ("values", "perturb", "canaries", "integrity", "mutants")
"""The layers that compare values. Where they are off, no one of them stands in for the defence that a test is about."""


@pytest.fixture(scope="module")
def outcomes_alone(run, tmp_path_factory):
    """The shipped policy without the layers that compare values."""
    return policy_without(run, tmp_path_factory.mktemp("policy") / "policy.toml", *VALUES)


def added(*paths, line="x = 1"):
    return "".join(ADDED.format(path=path, line=line) for path in paths)


@pytest.fixture
def patched(run, trial):
    """Verifies a diff that is given as text."""

    def go(diff, *extra, command="verify"):
        patch = trial.folder / "tree.diff"
        patch.write_text(diff)
        return run(command, trial.agent, "--base-dir", trial.pristine, "--patch", patch, *extra)

    return go


@pytest.fixture
def rulings(patched):
    """What the rules say of a diff: the codes of each path, and whether it is admitted."""

    def go(diff):
        done = patched(diff, "--json", command="admit")
        told = json.loads(done.out)
        assert done.code == (0 if told["admitted"] else 1)
        return {finding["path"]: finding["code"] for finding in told["findings"]}, told["admitted"]

    return go


@pytest.fixture(scope="module")
def refused(run, make_trial):
    """A diff with a start-up file and a link, verified once for all tests that ask what became of it. Read only."""
    made = make_trial("refused")
    patch = made.folder / "tree.diff"
    patch.write_text(added("evil.pth", line="import os") + LINK.format(path="astropy/data"))
    made.verified = run("verify", made.agent, "--base-dir", made.pristine, "--patch", patch, "--out", made.out, "--layout", "formulacode")  # fmt: skip
    return made


@pytest.fixture
def by_paths(tmp_path):
    """A task file that runs the tests to which the changed paths lead, as the seeds do."""
    path = tmp_path / "mapped.toml"
    path.write_text('[tests]\nselect = "mapped"\n')
    return path


def assert_refused(trial, path):
    """The diff is refused, and nothing of it was run."""
    assert trial.verified.code == 1, trial.verified
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
    edits = {"benchmarks/x.py": SUITE_EDIT, "benchmarks/y.py": BINARY_EDIT}
    trial.edit({".gitattributes": HIDING, **edits, SOURCE: CORRECT}).restore()
    assert trial.read("protected_restore.json")["discarded"] == sorted(edits)


def test_item_23_a_diff_cannot_add_code_that_runs_outside_the_patched_sources(rulings):
    paths = ("evil.pth", "sitecustomize.py", "evil-1.dist-info/entry_points.txt")
    found, admitted = rulings(added(*paths) + LINK.format(path="astropy/data"))
    assert not admitted
    assert found.keys() == {*paths, "astropy/data"}


def test_item_23_tests_do_not_come_from_the_diff(trial):
    trial.edit({SOURCE: WRONG, TESTED: "def test_many():\n    pass\n"})
    assert trial.test().code == 1
    assert trial.read("tests.json")["regressed"] == [MANY]


# What the diff shows


@pytest.fixture
def hostile(trial, repo_class):
    """The agent's repository with everything that could change what a diff shows; each program leaves a mark if it runs."""
    mark, program = trial.folder / "ran", trial.folder / "program"
    env = {**os.environ, "GIT_EXTERNAL_DIFF": str(program)}
    program.write_text(f"#!/bin/sh\ntouch {mark}\necho hidden\n")
    program.chmod(0o755)
    agent = repo_class(trial.agent)
    for key in ("diff.external", "diff.hide.textconv", "core.fsmonitor"):
        agent.git("config", key, str(program))
    trial.edit(
        {
            ".gitattributes": f"{HIDING}*.py diff=hide\n",
            "benchmarks/x.txt": SUITE_EDIT,
            "docs/y.txt": BINARY_EDIT,
            SOURCE: CORRECT,
        }
    )
    agent.git("-c", "core.fsmonitor=false", "add", "-A")
    blob = agent.git("-c", "core.fsmonitor=false", "rev-parse", f":{SOURCE}").decode().strip()
    old = agent.git("rev-parse", f"HEAD:{SOURCE}").decode().strip()
    # Not the other way round: git takes the new content from the working tree when it can.
    agent.git("replace", old, blob)
    mark.unlink(missing_ok=True)
    return mark, env


def test_item_24_the_readable_diff_follows_no_attribute_driver_or_replacement(run, trial, hostile):
    mark, env = hostile
    done = run("collect", trial.agent, "--base-dir", trial.pristine, "--worktree", "--text", env=env)
    assert f"+{SUITE_EDIT}" in done.out
    assert f"+{BINARY_EDIT}" in done.out
    assert "+    return [v * factor for v in values]" in done.out
    assert "hidden" not in done.out
    assert not mark.exists()


def test_item_25_the_appliable_diff_runs_no_driver_either(run, trial, hostile, repo_class):
    mark, env = hostile
    out = trial.folder / "tree.diff"
    done = run("collect", trial.agent, "--base-dir", trial.pristine, "--out", out, env=env)
    assert done.code == 0, done
    assert not mark.exists()
    assert b"hidden" not in out.read_bytes()
    repo_class(trial.pristine).git("apply", str(out))
    for path in (SOURCE, "benchmarks/x.txt", "docs/y.txt"):
        assert (trial.pristine / path).read_bytes() == (trial.agent / path).read_bytes()


def test_item_26_no_edit_becomes_binary_files_differ(run, trial):
    trial.edit({".gitattributes": HIDING, "benchmarks/x.py": SUITE_EDIT, "benchmarks/y.py": BINARY_EDIT})
    text = run("collect", trial.agent, "--base-dir", trial.pristine, "--worktree", "--text").out
    assert "Binary files" not in text
    assert f"+{SUITE_EDIT}" in text
    assert f"+{BINARY_EDIT}" in text


# What is refused


def test_item_27_a_new_symlink_is_refused(rulings):
    assert rulings(LINK.format(path="astropy/data")) == ({"astropy/data": "refused:symlinks"}, False)


def test_item_27_an_existing_link_that_points_elsewhere_is_refused(run, trial):
    for root in (trial.pristine, trial.agent):
        (root / "data").symlink_to("CHANGES.rst" if root == trial.pristine else "/etc/passwd")
    done = run("admit", trial.agent, "--base-dir", trial.pristine, "--worktree", "--json")
    assert done.code == 1
    assert [found["code"] for found in json.loads(done.out)["findings"]] == ["refused:symlinks"]


def test_item_27_a_link_that_becomes_a_file_is_fine(trial):
    (trial.pristine / "data").symlink_to("CHANGES.rst")
    trial.edit({"data": "text\n"})
    assert trial.restore().code == 0
    assert not (trial.into / "data").is_symlink()


def test_item_28_start_up_files_are_refused(rulings):
    names = [
        "evil.pth",
        "lib/evil.pth",
        "sitecustomize.py",
        "usercustomize.py",
        "a/usercustomize/__init__.py",
    ]
    assert rulings(added(*names)) == (dict.fromkeys(names, "refused:startup_files"), False)


def test_item_28_names_that_only_resemble_them_are_not(rulings):
    assert rulings(added("docs/pth.txt", "astropy/sitecustom.py", "astropy/usercustomizer.py")) == ({}, True)


def test_item_29_on_refusal_the_starting_tree_is_kept_and_the_refusal_on_record(refused):
    assert_refused(refused, "evil.pth")
    assert refused.verdict["submission"]["candidate_tree"] == refused.verdict["task"]["base_tree"]
    assert (refused.out / "agent_tree.txt").read_text().strip() == "tree_diff_refused"
    assert "evil.pth" in (refused.out / "tree_diff_refused.txt").read_text()
    assert "+import os" in (refused.out / "patch.diff").read_text()


def test_item_30_git_alone_would_have_applied_it(run, refused, trial, repo_class):
    assert_refused(refused, "evil.pth")
    patch = refused.folder / "tree.diff"
    repo_class(trial.agent).git("apply", str(patch))
    assert (trial.agent / "evil.pth").exists()
    done = run("restore", refused.agent, "--base-dir", trial.pristine, "--patch", patch, "--into", trial.into)
    assert done.code == 1
    assert not (trial.into / "evil.pth").exists()
    assert (trial.into / SOURCE).read_text() == (trial.pristine / SOURCE).read_text()


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
    assert record["added_sha256"] == {
        "test_new.py": hashlib.sha256(b"def test_new():\n    pass\n").hexdigest()
    }
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


@pytest.mark.parametrize("off", [(), ("sealed_tree",)], ids=["sealed", "not sealed"])
def test_item_33_a_run_that_changes_the_tree_is_prevented_or_found(run, trial, tmp_path, off):
    policy = policy_without(run, tmp_path / "policy.toml", *VALUES, *off)
    trial.edit({SOURCE: REWRITES_TESTS})
    done = trial.test("--policy", policy, "--json")
    codes = {finding["code"] for finding in json.loads(done.out)["findings"]}
    # For a judge who is not root no tree is sealed.
    prevented = not off and os.geteuid() == 0
    assert ("tamper:tree_changed" in codes) is not prevented
    assert done.code == (0 if prevented else 1)


WRITES_ITS_TREE = """\
import pathlib

def test_writes():
    pathlib.Path("astropy/units/written.py").write_text("x = 1\\n")
"""


def test_item_33_what_a_base_run_leaves_never_reaches_the_candidate(trial, outcomes_alone):
    sees = "import importlib.util\n\ndef test_aside():\n    assert importlib.util.find_spec('astropy.units.written') is None\n"
    for root in (trial.pristine, trial.agent):
        (root / "astropy/units/tests/test_aa.py").write_text(sees)
        (root / "astropy/units/tests/test_zz.py").write_text(WRITES_ITS_TREE)
    trial.edit({SOURCE: CORRECT})
    assert trial.test("--policy", outcomes_alone).code == 0
    assert trial.read("tests.json")["n_base_pass"] == 6


def test_item_33_both_trees_are_proved_byte_for_byte_before_each_run(store, trial):
    """Whatever an earlier step did to the candidate's tree, no later one runs on it."""
    tree = store.import_directory(trial.agent)
    with open_workspace(trial.folder) as workspace:
        trees, written = Trees(store, workspace), write_tree(store, tree, trial.folder / "tree")
        with trees.fresh(written, "before") as copy:
            assert (copy.root / SOURCE).read_text() == (trial.agent / SOURCE).read_text()
        (written.root / SOURCE).write_text(CORRECT)
        with pytest.raises(WorldError), trees.fresh(written, "after"):
            pass


HELPER = "def assert_same(left, right):\n    assert list(left) == list(right)\n"
PUBLIC = "from astropy.testing.helpers import assert_same\nfrom astropy._testing.helpers import assert_same as same\n"
"""Helpers that others may use, as those of numpy and pandas: it is their folder alone that makes them test code."""
USES_HELPER = """\
from astropy.testing.helpers import assert_same
from astropy.units.quantity import convert


def test_same():
    assert_same(convert(range(9), 2), [2 * n for n in range(9)])


def test_first():
    assert convert([1], 1) == [1]


def test_second():
    assert convert([2], 1) == [2]
"""


def test_item_34_testing_helpers_are_bases(trial):
    helpers = [f"astropy/{folder}/helpers.py" for folder in ("_testing", "testing")]
    for root in (trial.pristine, trial.agent):
        (root / "astropy/api.py").write_text(PUBLIC)
        for path in helpers:
            (root / path).parent.mkdir()
            (root / path).write_text(HELPER)
    trial.edit({SOURCE: WRONG, **dict.fromkeys(helpers, "def assert_same(left, right):\n    pass\n")})
    assert trial.restore().code == 0
    assert trial.read("test_edits.json")["modified"] == helpers
    assert [(trial.into / path).read_text() for path in helpers] == [HELPER, HELPER]


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
    assert pytestconfig.inipath is not None
    assert pytestconfig.inipath.parent == pytestconfig.rootpath / "{folder}"
"""


@pytest.mark.parametrize("first", range(len(CONFIGS)), ids=list(CONFIGS))
def test_item_35_both_runs_read_a_copy_of_bases_configuration_in_pytests_order(trial, first, outcomes_alone):
    winner = list(CONFIGS)[first]
    for name in list(CONFIGS)[first:]:
        for root in (trial.pristine, trial.agent):
            (root / name).write_text(CONFIGS[name].format(name=name))
    (trial.pristine / TESTED).write_text(READS_CONFIG.format(name=winner, folder="."))
    trial.edit({SOURCE: CORRECT, **{name: text.format(name="agents") for name, text in CONFIGS.items()}})
    assert trial.test("--policy", outcomes_alone).code == 0
    results = trial.read("tests.json")
    assert results["n_base_pass"] == 3
    assert results["config_file"] == winner


def test_item_35_the_root_is_the_repository_wherever_the_configuration_lies(trial, by_paths, outcomes_alone):
    for root in (trial.pristine, trial.agent):
        (root / "pyproject.toml").unlink()
        (root / "astropy/tox.ini").write_text(CONFIGS["tox.ini"].format(name="inner"))
    (trial.pristine / TESTED).write_text(READS_CONFIG.format(name="inner", folder="astropy"))
    trial.edit({SOURCE: CORRECT, "astropy/tox.ini": CONFIGS["tox.ini"].format(name="agents")})
    assert trial.test("--policy", outcomes_alone, "--task", by_paths).code == 0
    results = trial.read("tests.json")
    assert results["n_base_pass"] == 3
    assert results["config_file"] == "astropy/tox.ini"


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
def test_items_37_and_49_the_agents_configuration_is_never_read(trial, form, outcomes_alone):
    name, text = AGENT_CONFIGS[form]
    text = f"[tool]\n{text}" if form == "dotted" else text
    (trial.pristine / "pyproject.toml").unlink()
    (trial.agent / "pyproject.toml").unlink()
    for root in (trial.pristine, trial.agent):
        (root / "setup.cfg").write_text("[tool:pytest]\njunit_suite_name = base\n")
    trial.edit({SOURCE: WRONG, name: text})
    assert trial.test("--policy", outcomes_alone).code == 1
    results = trial.read("tests.json")
    assert results["regressed"] == [MANY]
    assert results["tests"][MANY]["candidate"] == "failed", "it was not deselected"
    (trial.agent / "conftest.py").write_text("")
    words = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "astropy"]
    plain = subprocess.run(
        words, cwd=trial.agent, capture_output=True, text=True, env={"PATH": os.environ["PATH"]}
    )
    assert plain.returncode == 0, "without the judge's copy the failing test is deselected"


def test_item_38_a_configuration_that_cannot_be_written_fails_the_check(trial, outcomes_alone):
    (trial.agent / ".truelap-pytest.toml").mkdir()
    for root in (trial.pristine, trial.agent):
        (root / "pyproject.toml").write_text(CONFIGS["pyproject.toml"].format(name="base"))
    trial.edit({SOURCE: CORRECT, ".truelap-pytest.toml/in-the-way": "x"})
    assert trial.test("--policy", outcomes_alone).code == 1
    assert trial.read("tests.json")["regressed"] == ["config:unavailable"]


ENTRY_POINT = {
    "fcevil.py": FORGER,
    "evil-1.dist-info/METADATA": "Metadata-Version: 2.1\nName: evil\nVersion: 1\n",
    "evil-1.dist-info/entry_points.txt": "[pytest11]\nfcevil = fcevil\n",
}


def test_items_39_and_50_a_plugin_that_only_the_candidate_loads_is_a_regression(run, trial, tmp_path):
    policy = policy_without(run, tmp_path / "policy.toml", *VALUES, rules=["package_metadata"])
    trial.edit({SOURCE: WRONG, **ENTRY_POINT})
    assert trial.test("--policy", policy).code == 1
    results = trial.read("tests.json")
    assert "plugin:fcevil" in results["regressed"]
    loaded = {side: set(plugins) for side, plugins in results["plugins"].items()}
    assert "terminal" in loaded["base"], "pytest's own are on record as well"
    assert loaded["candidate"] - loaded["base"] == {"fcevil"}


METADATA = """\
from pathlib import Path

info = Path("astropy.egg-info")
info.mkdir()
(info / "PKG-INFO").write_text("Metadata-Version: 2.1\\nName: astropy\\nVersion: 1\\n")
(info / "entry_points.txt").write_text({entries!r})
"""
BUILD = '[environment]\nbuild = [["python", "setup.py"]]\n'


@pytest.mark.parametrize("hostile", [True, False], ids=["hostile", "honest"])
def test_item_50_a_plugin_of_the_built_projects_own_metadata_is_found(
    trial, tmp_path, hostile, outcomes_alone
):
    """The build writes the project's metadata, as each backend does."""
    entries = (
        "[pytest11]\nfcevil = fcevil\n" if hostile else "[console_scripts]\nconvert = astropy.units:convert\n"
    )
    for root in (trial.pristine, trial.agent):
        (root / "setup.py").write_text(METADATA.format(entries=""))
    task = tmp_path / "truelap.toml"
    task.write_text(BUILD)
    source = WRONG if hostile else CORRECT
    trial.edit({"setup.py": METADATA.format(entries=entries), SOURCE: source, "fcevil.py": FORGER})
    done = trial.test("--policy", outcomes_alone, "--task", task, "--json")
    assert done.code == int(hostile), done
    assert ("plugin:fcevil" in json.loads(done.out)["tests"]["regressed"]) is hostile


# What is on record


def test_item_40_package_metadata_is_refused(rulings):
    names = ["evil-1.dist-info/METADATA", "lib/evil.egg-info/PKG-INFO"]
    assert rulings(added(*names)) == (dict.fromkeys(names, "refused:package_metadata"), False)


def test_item_41_the_specific_reason_is_in_the_verdict(refused):
    assert (refused.out / "agent_tree.txt").read_text().strip() == "tree_diff_refused"
    assert refused.verdict["patch"]["submission_rejected"] == "tree_diff_refused"
    assert refused.read("formulacode/reward.json")["patch"]["submission_rejected"] == "tree_diff_refused"


def test_items_41_and_42_a_broken_diff_has_its_own_reason_and_the_same_penalty(trial, patched):
    assert patched("no diff at all\n", "--out", trial.out).code == 1
    assert (trial.out / "agent_tree.txt").read_text().strip() == "tree_diff_failed"
    assert trial.verdict["patch"]["submission_rejected"] == "tree_diff_failed"
    assert trial.verdict["failure_reason"] == "no_patch"
    assert trial.read("reward.json")["reward"] == -1.0


def test_item_42_such_a_trial_has_the_fail_penalty_and_no_patch(refused):
    assert refused.verdict["failure_reason"] == "no_patch"
    assert refused.read("reward.json")["reward"] == -1.0
    assert float((refused.out / "reward.txt").read_text()) == -1.0


OUTCOMES_TESTS = """\
import pytest
from astropy.units import quantity


@pytest.fixture
def numbers():
    return getattr(quantity, "fresh", lambda: range(50))()


@pytest.mark.parametrize("number", getattr(quantity, "NUMBERS", (1, 2)))
def test_missing(number):
    assert quantity.convert([number], 1) == [number]


def test_error(numbers):
    assert quantity.convert(numbers, 1) == list(numbers)


@pytest.mark.parametrize("word", ("passed", "failed", "skipped", "xfailed"))
def test(word):
    assert quantity.convert(word, 1) == list(word)
"""
OUTCOMES_SOURCE = """\
import pytest

NUMBERS = (1,)


def fresh():
    raise OSError


def convert(values, factor):
    if values == "failed":
        return []
    if values == "skipped":
        pytest.skip("later")
    if values == "xfailed":
        pytest.xfail("known")
    return [value * factor for value in values]
"""
OUTCOMES = {
    "test_error": "error",
    "test[failed]": "failed",
    "test[skipped]": "skipped",
    "test[xfailed]": "xfailed",
    "test_missing[2]": "missing",
}


def test_item_43_anything_but_passing_again_is_a_regression(trial, outcomes_alone):
    (trial.pristine / TESTED).write_text(OUTCOMES_TESTS)
    trial.edit({SOURCE: OUTCOMES_SOURCE})
    assert trial.test("--policy", outcomes_alone).code == 1
    results = trial.read("tests.json")
    assert results["n_base_pass"] == 7
    assert set(results["regressed"]) == {f"{TESTED}::{name}" for name in OUTCOMES}
    found = {name: results["tests"][f"{TESTED}::{name}"]["candidate"] for name in OUTCOMES}
    assert found == OUTCOMES


ENDS_THE_RUN = """\
import os


def convert(values, factor):
    if len(values) > 9:
        os._exit(0)
    return [value * factor for value in values]
"""


def test_item_43_what_ends_the_run_fails_every_test_that_was_still_to_come(trial, outcomes_alone):
    trial.edit({SOURCE: ENDS_THE_RUN})
    assert trial.test("--policy", outcomes_alone).code == 1
    assert {MANY, f"{TESTED}::test_order"} <= set(trial.read("tests.json")["regressed"])


# The seed's own verification


def test_item_45_the_plain_diff_hides_what_the_verifiers_diff_shows(trial, repo_class):
    agent = repo_class(trial.agent)
    # What is refused is on record in full all the same, and nothing has to be run for it.
    trial.edit({".gitattributes": HIDING, "benchmarks/x.py": SUITE_EDIT, "evil.pth": "import os\n"})
    agent.git("add", "-A")
    plain = agent.git("diff", "--cached", "HEAD")
    assert b"Binary files /dev/null and b/benchmarks/x.py differ" in plain
    assert f"+{SUITE_EDIT}".encode() not in plain
    assert trial.verify().code == 1
    assert f"+{SUITE_EDIT}" in (trial.out / "patch.diff").read_text()


def test_item_46_a_pth_file_and_a_symlink_are_refused_together(refused):
    assert_refused(refused, "evil.pth")
    assert_refused(refused, "astropy/data")
    assert refused.verdict["submission"]["candidate_tree"] == refused.verdict["task"]["base_tree"]


@pytest.mark.parametrize(
    "source",
    [
        "import pytest\n\ndef convert(values, factor):\n    pytest.skip('later')\n",
        "def convert(values, factor)\n",
    ],
    ids=["skip", "broken import"],
)
def test_item_47_skipping_and_breaking_import_report_the_tests_that_passed(trial, source, outcomes_alone):
    trial.edit({SOURCE: source})
    assert trial.test("--policy", outcomes_alone).code == 1
    assert len(trial.read("tests.json")["regressed"]) == 4


def test_item_48_a_weakened_helper_is_restored_and_the_broken_change_reported(trial):
    for root in (trial.pristine, trial.agent):
        for path in ("astropy/testing/__init__.py", "astropy/testing/helpers.py"):
            (root / path).parent.mkdir(exist_ok=True)
            (root / path).write_text(HELPER if path.endswith("helpers.py") else "")
        (root / "astropy/api.py").write_text(PUBLIC)
        (root / TESTED).write_text(USES_HELPER)
    trial.edit(
        {SOURCE: WRONG, "astropy/testing/helpers.py": "def assert_same(left, right):\n    return True\n"}
    )
    done = trial.test("--json")
    assert done.code == 1
    assert json.loads(done.out)["failure_reason"] == "tests_regressed"
    assert trial.read("test_edits.json")["modified"] == ["astropy/testing/helpers.py"]
    assert trial.read("tests.json")["regressed"] == [f"{TESTED}::test_same"]


def test_item_51_a_diff_with_a_dist_info_file_is_refused(rulings):
    path = "evil-1.dist-info/entry_points.txt"
    assert rulings(added(path, line="[pytest11]")) == ({path: "refused:package_metadata"}, False)


def test_item_52_a_start_up_file_below_a_non_ascii_folder_is_refused(rulings):
    quoted = "\\303\\251/sitecustomize.py"
    assert rulings(added(quoted)) == ({"é/sitecustomize.py": "refused:startup_files"}, False)
    assert not re.search(r"(^|/)sitecustomize\.py$", f'"{quoted}"'), "the quoted form hides it from a pattern"
