"""The candidate is base and what was admitted; the measurement setup and the tests are base's."""

import hashlib
import json
import shutil
from collections import defaultdict

import pytest

from truelap.policy import load_policy, matches
from truelap.prepare.base import base_of_directory, base_of_revision
from truelap.prepare.collect import PatchFile, Worktree
from truelap.prepare.restore import restore
from truelap.world.files import write_tree
from truelap.world.git import Store
from truelap.world.git_process import GitError

POLICY = load_policy()
FILES = {
    "pkg/__init__.py": "",
    "pkg/core.py": "x = 1\n",
    "pkg/_fakes.py": "def check(): ...\n",
    "pkg/tests/test_core.py": "from pkg._fakes import check\n",
    "pkg/tests/data.txt": "d\n",
    "pkg/testing/helpers.py": "h\n",
    "conftest.py": "# base\n",
    "asv.conf.json": '{"benchmark_dir": "perf"}',
    "perf/suite.py": "def time_x(): ...\n",
    "benchmarks/units.py": "u\n",
    "setup.cfg": "[tool:pytest]\n",
    "base.pth": "x\n",
    ".gitignore": "*.log\n",
}


def off(*names):
    return POLICY.model_copy(update={"ablate": POLICY.ablate.model_copy(update={"off": names})})


@pytest.fixture
def run(prepared, base):
    return lambda submission, base=base, policy=POLICY: prepared(submission, base, policy, [restore])


def contents(store, tree):
    return {file.path.decode(): store.blob(file.blob).decode() for file in store.list_tree(tree)}


def written(case, name):
    return case.get("restore").artifacts()[name]


def codes(case, level):
    return sorted({(f.code, f.path) for f in case.findings if f.level == level})


def test_the_setup_and_the_tests_are_bases_and_the_rest_is_the_submissions(store, repo, run, base):
    repo.write(
        {
            "pkg/core.py": "x = 2\n",
            "pkg/new.py": "n\n",
            "setup.cfg": "[tool:pytest]\naddopts = --co\n",
            "base.pth": "import evil\n",
            "pkg/_fakes.py": "check = print\n",
            "pkg/testing/helpers.py": "weak\n",
            "pkg/tests/test_new.py": "assert True\n",
            "pkg/tests/conftest.py": "c\n",
            "conftest.py": "evil\n",
            "perf/suite.py": "def time_x(): pass\n",
            "perf/conftest.py": "c\n",
            "benchmarks/sp ace.py": "s\n",
            ".github/new.yml": "y\n",
        }
    )
    (repo.folder / "benchmarks/units.py").unlink()
    (repo.folder / "pkg/tests/data.txt").unlink()
    (repo.folder / "asv.conf.json").unlink()
    case = run(Worktree(repo.folder))
    expected = {
        **FILES,
        "pkg/core.py": "x = 2\n",
        "pkg/new.py": "n\n",
        "setup.cfg": "[tool:pytest]\naddopts = --co\n",
    }
    assert contents(store, case.candidate_tree) == expected
    protected = [
        *(".github/new.yml", "asv.conf.json", "benchmarks/sp ace.py", "benchmarks/units.py", "conftest.py"),
        *("perf/conftest.py", "perf/suite.py", "pkg/tests/conftest.py"),
    ]
    assert written(case, "protected_restore.json") == {
        "ran": True,
        "base": base.commit,
        "discarded": protected,
        "remaining": [],
    }
    assert written(case, "test_edits.json") == {
        "modified": ["pkg/_fakes.py", "pkg/testing/helpers.py"],
        "added": ["pkg/tests/test_new.py"],
        "deleted": ["pkg/tests/data.txt"],
        "config_changed": ["setup.cfg"],
        "added_sha256": {"pkg/tests/test_new.py": hashlib.sha256(b"assert True\n").hexdigest()},
    }
    tests = ["pkg/_fakes.py", "pkg/testing/helpers.py", "pkg/tests/data.txt", "pkg/tests/test_new.py"]
    assert list(case.discarded) == sorted([*protected, *tests, "base.pth"])
    assert codes(case, "fail") == []
    assert codes(case, "info") == sorted(
        [
            *(("discarded:protected", path) for path in protected),
            *(("discarded:test_code", path) for path in tests),
            ("discarded:startup_files", "base.pth"),
        ]
    )


def test_the_trees_are_proved_on_disk(store, repo, run, base, tmp_path):
    repo.write({"pkg/core.py": "x = 2\n", "benchmarks/units.py": "edited\n"})
    case = run(Worktree(repo.folder))
    on_disk = write_tree(store, case.candidate_tree, tmp_path / "candidate")
    assert (on_disk.root / "pkg/core.py").read_text() == "x = 2\n"
    assert (on_disk.root / "benchmarks/units.py").read_text() == "u\n"
    assert (
        on_disk.manifest[b"benchmarks/units.py"]
        == write_tree(store, base.tree, tmp_path / "base").manifest[b"benchmarks/units.py"]
    )


def test_no_change_is_an_empty_restore_and_no_patch(run, repo, base):
    for submission in (Worktree(repo.folder), PatchFile(b"")):
        case = run(submission)
        assert case.candidate_tree == base.tree
        restored = written(case, "protected_restore.json")
        assert (restored["ran"], restored["discarded"], restored["remaining"]) == (True, [], [])
        assert [(f.code, f.message) for f in case.findings] == [("no_patch", "the submission is empty")]
        assert not case.refused


def test_nothing_left_after_discarding_is_no_patch(run, repo, base):
    repo.write({"benchmarks/units.py": "faster\n", "pkg/tests/test_core.py": "weaker\n"})
    case = run(Worktree(repo.folder))
    assert (case.candidate_tree, case.refused) == (base.tree, False)
    assert [f.message for f in case.findings if f.level == "fail"] == [
        "nothing is left of the submission after discarding"
    ]


def test_a_refused_submission_brings_nothing_in(run, repo, base):
    repo.write({"pkg/core.py": "x = 2\n", "benchmarks/units.py": "faster\n", "evil.pth": "x\n"})
    case = run(Worktree(repo.folder))
    assert (case.candidate_tree, case.refused, case.discarded) == (base.tree, True, ())
    assert "no_patch" not in {f.code for f in case.findings}


def test_a_rename_out_of_the_suite_leaves_the_suite_whole(store, run, repo):
    repo.git("mv", "benchmarks/units.py", "pkg/units.py")
    case = run(PatchFile(repo.git("diff", "--cached", "-M", "HEAD")))
    found = contents(store, case.candidate_tree)
    assert found["benchmarks/units.py"] == found["pkg/units.py"] == "u\n"
    assert written(case, "protected_restore.json")["discarded"] == ["benchmarks/units.py"]


@pytest.mark.parametrize(
    ("folder", "lost"),
    [("benchmarks", ["benchmarks", "benchmarks/units.py"]), ("pkg/testing", ["pkg/testing"])],
)
def test_a_file_in_place_of_a_restored_folder_goes(store, run, repo, folder, lost):
    shutil.rmtree(repo.folder / folder)
    repo.write({folder: "a file\n", "pkg/core.py": "x = 2\n"})
    case = run(Worktree(repo.folder))
    assert contents(store, case.candidate_tree) == {**FILES, "pkg/core.py": "x = 2\n"}
    assert ("discarded:in_the_way", folder) in codes(case, "info")
    assert written(case, "protected_restore.json")["discarded"] == lost


def test_a_folder_in_place_of_a_restored_file_goes(store, run, repo):
    (repo.folder / "conftest.py").unlink()
    repo.write({"conftest.py/inner.py": "x\n", "pkg/core.py": "x = 2\n"})
    case = run(Worktree(repo.folder))
    assert contents(store, case.candidate_tree) == {**FILES, "pkg/core.py": "x = 2\n"}
    assert case.discarded == ("conftest.py", "conftest.py/inner.py")


def test_an_honest_file_in_place_of_a_folder_stays(store, run, repo):
    shutil.rmtree(repo.folder / "pkg/tests")
    repo.write({"lib/deep.py": "d\n"})
    base = base_of_revision(store, repo.folder, repo.commit())
    shutil.rmtree(repo.folder / "lib")
    repo.write({"lib": "now a file\n"})
    case = run(Worktree(repo.folder), base)
    assert contents(store, case.candidate_tree)["lib"] == "now a file\n"


def test_an_untracked_suite_of_a_pristine_directory_is_put_back(store, repo, make_repo, run):
    suite = make_repo("repo/astropy-benchmarks")
    suite.commit({"benchmarks/wcs.py": "w\n", "benchmarks/units.py": "u\n"})
    base = base_of_directory(store, repo.folder)
    (suite.folder / "benchmarks/wcs.py").unlink()
    suite.write({"benchmarks/units.py": "faster\n"})
    repo.write({"pkg/core.py": "x = 2\n"})
    case = run(Worktree(repo.folder), base)
    found = contents(store, case.candidate_tree)
    assert found["astropy-benchmarks/benchmarks/wcs.py"] == "w\n"
    assert found["astropy-benchmarks/benchmarks/units.py"] == "u\n"
    assert found["pkg/core.py"] == "x = 2\n"
    assert written(case, "protected_restore.json")["base"] == base.tree


def test_a_fault_of_ours_is_on_record_and_leaves_no_candidate(run, repo, monkeypatch):
    def fail(*_):
        raise GitError("update-index", "disk full")

    repo.write({"pkg/core.py": "x = 2\n"})
    submission = PatchFile(repo.diff())
    monkeypatch.setattr(Store, "replace", fail)
    case = run(submission)
    assert written(case, "protected_restore.json") == {"ran": False, "error": "git update-index: disk full"}
    assert case.candidate_tree is None
    assert codes(case, "inconclusive") == [("station:restore", None)]


def test_what_remains_is_a_failure(run, repo, monkeypatch):
    """The second listing does not trust the first sorting."""
    from truelap.prepare import restore as module

    honest = module._Assembly._sorted_out

    def forgetful(self):
        found = honest(self)
        return defaultdict(list, {"kept": [entry for some in found.values() for entry in some]})

    monkeypatch.setattr(module._Assembly, "_sorted_out", forgetful)
    monkeypatch.setattr(module._Assembly, "_notes", lambda _self, _found: ())
    repo.write({"benchmarks/units.py": "faster\n"})
    case = run(Worktree(repo.folder))
    assert codes(case, "fail") == [("tamper:remaining", "benchmarks/units.py")]
    assert written(case, "protected_restore.json")["remaining"] == ["benchmarks/units.py"]


def test_the_artifacts_are_json(run, repo):
    repo.write({"pkg/core.py": "x = 2\n"})
    json.dumps(run(Worktree(repo.folder)).get("restore").artifacts())


def test_what_would_be_imported_in_place_of_a_restored_file_is_put_back(store, repo, base, run):
    repo.write({"conftest/__init__.py": "", "perf.py": "", "pkg/core.py": "x = 2\n"})
    case = run(Worktree(repo.folder))
    assert written(case, "protected_restore.json")["discarded"] == ["conftest/__init__.py", "perf.py"]
    assert contents(store, case.candidate_tree) == {**FILES, "pkg/core.py": "x = 2\n"}


def test_without_that_defence_it_is_kept(store, repo, base, run):
    repo.write({"conftest/__init__.py": "", "perf.py": "", "pkg/core.py": "x = 2\n"})
    assert run(Worktree(repo.folder), policy=off("rivals")).discarded == ()


def test_a_module_that_becomes_a_package_is_kept(store, repo, base, run):
    repo.write({"pkg/core/__init__.py": "x = 1\n"})
    (repo.folder / "pkg/core.py").unlink()
    case = run(Worktree(repo.folder))
    assert "pkg/core/__init__.py" in contents(store, case.candidate_tree)
    assert case.discarded == ()


def test_what_bases_own_pytest_setup_names_is_test_code_as_well(store, repo, run):
    files = {
        "pytest.ini": "[pytest]\npython_files = check_*.py\n",
        "conftest.py": "pytest_plugins = ['pkg.fixtures']\n",
        "checks/check_core.py": "def test_x(): ...\n",
        "pkg/fixtures.py": "f\n",
        "pkg/core.py": "x = 1\n",
    }
    base = base_of_revision(store, repo.folder, repo.commit(files))
    repo.write({"checks/check_core.py": "", "pkg/fixtures.py": "", "pkg/core.py": "x = 2\n"})
    case = run(Worktree(repo.folder), base)
    assert written(case, "test_edits.json")["modified"] == ["checks/check_core.py", "pkg/fixtures.py"]
    assert files.items() - contents(store, case.candidate_tree).items() == {("pkg/core.py", "x = 1\n")}
    assert run(Worktree(repo.folder), base, off("own_tests")).discarded == ()


@pytest.mark.parametrize(
    "load",
    [
        {"pytest.ini": "[pytest]\naddopts = -p wordplug -p my_plugin\n"},
        {"conftest.py": "pytest_plugins = ['wordplug', 'my_plugin']\n"},
    ],
    ids=["option", "conftest"],
)
def test_a_plugin_that_base_has_pytest_load_is_test_code_unless_it_is_the_product(store, repo, run, load):
    files = {
        "pyproject.toml": "[project]\nname = 'my-plugin'\n",
        **load,
        "my_plugin.py": "x = 1\n",
        "wordplug.py": "w\n",
    }
    base = base_of_revision(store, repo.folder, repo.commit(files))
    repo.write({"my_plugin.py": "x = 2\n", "wordplug.py": ""})
    case = run(Worktree(repo.folder), base)
    assert case.discarded == ("wordplug.py",)
    assert contents(store, case.candidate_tree)["my_plugin.py"] == "x = 2\n"
    assert run(Worktree(repo.folder), base, off("own_tests")).discarded == ()


SERVED = {
    "pyproject.toml": "[project]\nname = 'pkg'\n",
    "pkg/__init__.py": "",
    "pkg/core.py": "x = 1\n",
    "pkg/test_core.py": "from ci.common import same\nfrom words import EXPECTED\nfrom second import y\n",
    "ci/common.py": "from ci import deep\n",
    "ci/deep.py": "d\n",
    "ci/release.py": "r\n",
    "words.py": "w\n",
    "second/__init__.py": "s\n",
    "bare/test_more.py": "import near\n",
    "bare/near.py": "n\n",
}


def test_what_tests_import_from_outside_of_the_product_is_test_code(store, repo, run):
    base = base_of_revision(store, repo.folder, repo.commit(SERVED))
    repo.write({path: "edited\n" for path in SERVED if path not in {"pyproject.toml", "pkg/__init__.py"}})
    repo.write({"ci/__init__.py": "", "words/__init__.py": "", "src/words.py": ""})
    case = run(Worktree(repo.folder), base)
    kept = {"ci/release.py", "second/__init__.py"}
    helpers = [
        "bare/near.py",
        "bare/test_more.py",
        "ci/common.py",
        "ci/deep.py",
        "pkg/test_core.py",
        "words.py",
    ]
    assert written(case, "test_edits.json")["modified"] == helpers
    # Below src, a place that imports may come from, it would be a second `words`.
    discarded = ["ci/__init__.py", "src/words.py", "words/__init__.py"]
    assert written(case, "protected_restore.json")["discarded"] == discarded
    changed = {
        path for path, text in contents(store, case.candidate_tree).items() if SERVED.get(path) != text
    }
    assert changed - FILES.keys() == kept
    assert contents(store, case.candidate_tree)["pkg/core.py"] == "edited\n"
    # Later stations know them too: what lies in a folder of tests, or is named like one, they know by the patterns.
    serve = {path for path in SERVED if matches(case.base.helpers, path.encode())}
    assert serve == {"bare/near.py", "ci/common.py", "ci/deep.py", "words.py"}
    assert run(Worktree(repo.folder), base, off("helpers")).base.helpers == ()


def test_a_module_before_a_helper_on_the_way_of_imports_is_put_back(store, repo, run):
    files = {
        "src/core/__init__.py": "",
        "words.py": "w\n",
        "ci/common.py": "c\n",
        "tests/test_w.py": "import words\nfrom ci.common import same\n",
    }
    base = base_of_revision(store, repo.folder, repo.commit(files))
    repo.write(
        {
            "src/words.py": "",
            "src/ci/__init__.py": "",
            "src/ci/common.py": "",
            "src/core/words.py": "",
            "src/more.py": "",
        }
    )
    case = run(Worktree(repo.folder), base)
    assert written(case, "protected_restore.json")["discarded"] == [
        "src/ci/__init__.py",
        "src/ci/common.py",
        "src/words.py",
    ]


def test_without_that_defence_it_is_the_submissions(store, repo, run):
    base = base_of_revision(store, repo.folder, repo.commit(SERVED))
    repo.write({"ci/common.py": "edited\n", "words.py": "edited\n"})
    assert run(Worktree(repo.folder), base).discarded == ("ci/common.py", "words.py")
    assert run(Worktree(repo.folder), base, off("helpers")).discarded == ()


BY_NAME = {
    "pyproject.toml": "[project]\nname = 'pkg'\n",
    "pkg/__init__.py": "",
    "pkg/core.py": "x = 1\n",
    "support/agree.py": "def same(found, expected): ...\n",
    "agree.py": "def same(found, expected): ...\n",
    "lib/thing.py": "t\n",
}
ADD = "import os, sys\nsys.path.insert(0, os.path.join(os.path.dirname(__file__), '..', 'support'))\n"


@pytest.mark.parametrize(
    ("test", "helper"),
    [
        (f"{ADD}from agree import same\n", "support/agree.py"),
        ("import importlib\nsame = importlib.import_module('agree').same\n", "agree.py"),
        ("import pytest\nsame = pytest.importorskip('agree').same\n", "agree.py"),
        ("same = __import__('agree').same\n", "agree.py"),
        ("import runpy\nsame = runpy.run_module('agree')['same']\n", "agree.py"),
        ("import runpy\nsame = runpy.run_path('support/agree.py')['same']\n", "support/agree.py"),
        (
            "import runpy, pathlib\nrunpy.run_path(pathlib.Path(__file__).parent.parent / 'support' / 'agree.py')\n",
            "support/agree.py",
        ),
    ],
)
def test_what_tests_reach_by_a_text_is_test_code(store, repo, run, test, helper):
    # The product is reached by a text as well, and stays the submission's.
    test += "import importlib\nimportlib.import_module('pkg.core')\nsys.path.append('pkg')\nimport thing\n"
    base = base_of_revision(
        store, repo.folder, repo.commit({**BY_NAME, "tests/test_a.py": f"import sys\n{test}"})
    )
    repo.write({helper: "def same(found, expected): pass\n", "pkg/core.py": "x = 2\n", "lib/thing.py": "u\n"})
    case = run(Worktree(repo.folder), base)
    assert case.discarded == (helper,)
    assert contents(store, case.candidate_tree)["pkg/core.py"] == "x = 2\n"
    assert run(Worktree(repo.folder), base, off("helpers")).discarded == ()


@pytest.mark.parametrize("product", ["src", "lib", "pkg"])
def test_the_products_own_folder_on_the_path_makes_no_test_code(store, repo, run, product):
    files = {
        "pyproject.toml": f"[project]\nname = 'core'\n[tool.setuptools.packages.find]\nwhere = ['{product}']\n",
        f"{product}/core/__init__.py": "",
        f"{product}/fast.py": "f = 1\n",
        "tests/conftest.py": f"import sys\nsys.path.insert(0, '{product}')\n",
        "tests/test_a.py": "import fast, core\n",
    }
    base = base_of_revision(store, repo.folder, repo.commit(files))
    new = {f"{product}/fast.py": "f = 2\n", f"{product}/core/__init__.py": "c\n", f"{product}/more.py": ""}
    repo.write(new)
    case = run(Worktree(repo.folder), base)
    assert case.discarded == ()
    assert new.items() <= contents(store, case.candidate_tree).items()


def test_a_library_of_which_metadata_says_nothing_is_the_product(store, repo, run):
    files = {
        "quick.py": "import utils\n",
        "more/__init__.py": "m\n",
        "utils/__init__.py": "u\n",
        "tests/test_q.py": "import quick, more, utils\n",
        "asv.conf.json": "{}",
    }
    base = base_of_revision(store, repo.folder, repo.commit(files))
    repo.write(dict.fromkeys(("quick.py", "more/__init__.py", "utils/__init__.py"), "edited\n"))
    assert run(Worktree(repo.folder), base).discarded == ()


def test_a_package_above_a_test_stays_one(store, repo, run):
    files = {
        "lib/__init__.py": "",
        "lib/core.py": "c\n",
        "lib/test_core.py": "t\n",
        "old/__init__.py": "",
        "old/a.py": "a\n",
    }
    base = base_of_revision(store, repo.folder, repo.commit(files))
    for path in ("lib/__init__.py", "old/__init__.py", "old/a.py"):
        (repo.folder / path).unlink()
    case = run(Worktree(repo.folder), base)
    assert written(case, "protected_restore.json")["discarded"] == ["lib/__init__.py"]
    assert codes(case, "info") == [("discarded:package", "lib/__init__.py")]
    assert files.keys() - contents(store, case.candidate_tree).keys() == {"old/__init__.py", "old/a.py"}
    assert run(Worktree(repo.folder), base, off("packages")).discarded == ()


def test_a_folder_of_bare_tests_does_not_become_a_package(store, repo, run):
    base = base_of_revision(
        store, repo.folder, repo.commit({"bare/test_x.py": "import util\n", "bare/util.py": "u\n"})
    )
    repo.write(
        {
            "bare/__init__.py": "",
            "bare/new/__init__.py": "",
            "other.py": "another\n",
            "pkg/core.py": "x = 2\n",
        }
    )
    case = run(Worktree(repo.folder), base)
    assert case.discarded == ("bare/__init__.py",)
    (told,) = (finding.message for finding in case.findings if finding.code == "discarded:package")
    assert "what the submission imports from this package is missing" in told


def test_what_is_protected_by_its_name_alone_says_by_which_pattern(repo, run):
    repo.write({"pkg/core.py": "x = 2\n", "benchmarks/units.py": "edited\n", "perf/suite.py": "edited\n"})
    said = {f.path: f.message for f in run(Worktree(repo.folder)).findings if f.code == "discarded:protected"}
    by_name = next(one for one in POLICY.protected.patterns if matches((one,), b"benchmarks/units.py"))
    assert by_name in said["benchmarks/units.py"]
    assert "even of product code" in said["benchmarks/units.py"]
    assert "asv config" in said["perf/suite.py"]


def test_a_new_file_has_no_version_of_base_that_could_be_used(repo, run):
    repo.write({"pkg/core.py": "x = 2\n", "pkg/tests/test_new.py": "", "pkg/testing/helpers.py": "other\n"})
    said = {f.path: f.message for f in run(Worktree(repo.folder)).findings}
    assert said["pkg/tests/test_new.py"] == "is test code; it is new, and left out"
    assert said["pkg/testing/helpers.py"] == "is test code; base's version is used"


def test_another_policy_passes_a_package_of_the_product_over(store, repo, run):
    files = {**FILES, "pkg/benchmarks/__init__.py": "", "pkg/benchmarks/run.py": "r\n"}
    base = base_of_revision(store, repo.folder, repo.commit(files))
    repo.write({"pkg/benchmarks/run.py": "faster\n", "benchmarks/units.py": "edited\n"})
    assert codes(run(Worktree(repo.folder), base), "fail") == [("no_patch", None)]
    patterns = tuple(
        f"(?<!^pkg){one}" if matches((one,), b"pkg/benchmarks/") else one for one in POLICY.protected.patterns
    )
    policy = POLICY.model_copy(
        update={"protected": POLICY.protected.model_copy(update={"patterns": patterns})}
    )
    case = run(Worktree(repo.folder), base, policy)
    assert contents(store, case.candidate_tree)["pkg/benchmarks/run.py"] == "faster\n"
    assert case.discarded == ("benchmarks/units.py",)


SCRIPTS = {
    "work/parse.py": "import inputs\nimport pkg\n\ndef run():\n    pkg.parse(inputs.TEXT)\n",
    "work/inputs.py": "TEXT = 'long'\n",
    "pkg/__init__.py": "def parse(text): pass\n",
    "pyproject.toml": "[project]\nname = 'pkg'\nversion = '1'\n",
}


@pytest.mark.parametrize(("named", "kept"), [(("work/parse.py",), True), ((), False)])
def test_a_script_that_is_a_benchmark_and_what_it_takes_are_put_back(store, run, repo, named, kept):
    base = base_of_revision(store, repo.folder, repo.commit(SCRIPTS), (named, "scripts"))
    repo.write(dict.fromkeys(SCRIPTS, "easier = 1\n"))
    case = run(PatchFile(repo.diff()), base)
    found = contents(store, case.candidate_tree)
    assert (found["work/parse.py"] == SCRIPTS["work/parse.py"]) is kept
    assert (found["work/inputs.py"] == SCRIPTS["work/inputs.py"]) is kept
    assert found["pkg/__init__.py"] == "easier = 1\n"
    assert (("discarded:protected", "work/parse.py") in codes(case, "info")) is kept
