"""The starting tree, and what base's own asv config adds to the protected set."""

import pytest

from truelap.errors import UsageError
from truelap.policy import matches
from truelap.prepare.base import (
    asv_configs,
    base_of_directory,
    base_of_revision,
    read_base_file,
    suite_findings,
)

SUITE = {
    "asv.x.json": '{"benchmark_dir": "bench"}',
    "bench/b.py": "import common_bench\n",
    "common_bench.py": "",
}


def test_the_suite_of_a_commit_is_protected(store, repo):
    commit = repo.commit({**SUITE, "pkg.py": "", "pyproject.toml": "[project]\nname = 'pkg'\n"})
    repo.commit({"asv.x.json": '{"benchmark_dir": "elsewhere"}'})
    base = base_of_revision(store, repo.folder, commit[:12])
    assert (base.given, base.commit) == (commit[:12], commit)
    protected = [path for path in SUITE if matches(base.protected_paths, path.encode())]
    assert protected == list(SUITE)
    assert not matches(base.protected_paths, b"elsewhere/b.py")
    assert [config.benchmark_dir for config in asv_configs(store, base)] == ["bench"]


def test_base_says_from_where_its_tests_and_benchmarks_import(store, repo):
    files = {
        "perf/asv.conf.json": '{"benchmark_dir": "suite"}',
        "perf/suite/b.py": "",
        "pkg/__init__.py": "",
        "pkg/tests/__init__.py": "",
        "pkg/tests/test_a.py": "",
        "bare/check_b.py": "",
        "other/conftest.py": "",
        "other/test_no.py": "",
        "pytest.ini": "[pytest]\npython_files = check_*.py\npythonpath = lib .\n",
    }
    assert base_of_revision(store, repo.folder, repo.commit(files)).import_folders == (
        *("", "bare", "lib", "other", "perf"),
    )
    files = {"pytest.ini": "[pytest]\naddopts = --import-mode=importlib\n", "bare/test_b.py": ""}
    assert base_of_revision(store, repo.folder, repo.commit(files)).import_folders == ("perf",)


@pytest.mark.parametrize(
    "call",
    [
        "sys.path.insert(0, os.path.join(os.path.dirname(__file__), '..', 'ci', 'support'))",
        "sys.path[:0] = [str(Path(__file__).parent.parent / 'ci' / 'support')]",
        "sys.path += ['ci/support']",
        "from sys import path\npath.append('ci/support')",
        "import sys as s\ns.path.append('../ci/support')",
        "def pytest_configure(): site.addsitedir('ci/support')",
    ],
)
@pytest.mark.parametrize("by", ["perf/suite/b.py", "check/conftest.py", "check/deep/context.py"])
def test_folders_that_tests_and_benchmarks_put_on_the_path(store, repo, call, by):
    files = {
        "perf/asv.conf.json": '{"benchmark_dir": "suite"}',
        "check/conftest.py": "",
        "ci/support/gendata.py": "",
        "pkg/__init__.py": "import sys\nsys.path.insert(0, 'plugins')\n",
        "plugins/a.py": "",
        "data/x.py": "",
        by: f"import os, sys, site\n{call}\n",
    }
    added = set(base_of_revision(store, repo.folder, repo.commit(files)).import_folders)
    assert "ci/support" in added
    assert not added & {"pkg", "plugins", "data"}
    files[by] = "x = 'ci/support'\nimport os.path\nos.path.join(x)\n"
    assert "ci/support" not in base_of_revision(store, repo.folder, repo.commit(files)).import_folders


def test_an_untracked_suite_of_a_directory_is_protected(store, repo):
    repo.commit({"pkg.py": ""})
    repo.write(SUITE)
    base = base_of_directory(store, repo.folder)
    assert base.commit is None
    assert matches(base.protected_paths, b"bench/b.py")


def test_a_broken_config_is_noted(store, repo):
    base = base_of_revision(store, repo.folder, repo.commit({"asv.conf.json": "{"}))
    (finding,) = suite_findings(asv_configs(store, base))
    assert (finding.code, finding.level, finding.path) == ("suite:config", "info", "asv.conf.json")
    assert suite_findings(asv_configs(store, base_of_directory(store, repo.folder / ".git" / "refs"))) == ()


def test_a_base_file_holds_a_commit_id(tmp_path):
    path = tmp_path / "fc_baseline_sha"
    assert read_base_file(path) is None
    path.write_text("a" * 40 + "\n")
    assert read_base_file(path) == "a" * 40
    path.write_text("main\n")
    with pytest.raises(UsageError, match="holds no commit id"):
        read_base_file(path)
    with pytest.raises(UsageError, match="Is a directory"):
        read_base_file(tmp_path)
