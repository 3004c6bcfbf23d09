"""A product that leaves the root whole for `src`: the candidate is imported from there, and rules have asked what lies there."""

import pytest

from truelap.policy import load_policy
from truelap.prepare.collect import Worktree
from truelap.prepare.restore import restore

POLICY = load_policy()
FILES = {
    "pkg/__init__.py": "x = 1\n",
    "tests/test_pkg.py": "import pkg\n",
    "conftest.py": "",
    "asv.conf.json": '{"benchmark_dir": "perf"}',
    "perf/suite.py": "import pkg\ndef time_x(): ...\n",
}


@pytest.fixture
def codes(repo, base, prepared):
    def run(files, gone=("pkg/__init__.py",)):
        for path in gone:
            (repo.folder / path).unlink()
        repo.write(files)
        case = prepared(Worktree(repo.folder), base, POLICY, [restore])
        return {(f.code, f.path) for f in case.findings}

    return run


def test_it_is_on_record(codes):
    assert codes({"src/pkg/__init__.py": "x = 1\n"}) == {("product:moved", "src")}


def test_what_stays_does_not_move(codes):
    assert codes({"src/pkg/__init__.py": "x = 1\n"}, ()) == {
        ("discarded:double", "src/pkg/__init__.py"),
        ("no_patch", None),
    }


def test_rules_ask_what_is_imported_from_there(codes):
    """Also where the move is not to be seen before what belongs to tests is put back."""
    moved = {"src/pkg/__init__.py": "x = 1\n", "src/json.py": "", "pkg/test_x.py": ""}
    assert ("refused:shadow_modules", "src/json.py") in codes(moved)


def test_elsewhere_below_src_nothing_is_asked(codes):
    assert codes({"src/json.py": ""}, ()) == set()
