"""A module has one place on `sys.path`: tests and benchmarks must not find different ones."""

import pytest

from truelap.policy import load_policy
from truelap.prepare.collect import Worktree
from truelap.prepare.doubles import doubles
from truelap.prepare.restore import restore

POLICY = load_policy()
FILES = {
    "src/pkg/__init__.py": "from pkg.core import x\n",
    "src/pkg/core.py": "x = 1\n",
    "src/space/part/__init__.py": "y = 1\n",
    "src/part/sub/core.py": "z = 1\n",
    "src/part/sub/tests/__init__.py": "",
    "src/part/sub/tests/test_core.py": "from pkg import x\n",
    "tests/test_pkg.py": "from pkg import x\nfrom space.part import y\n",
    "conftest.py": "",
    "asv.conf.json": '{"benchmark_dir": "perf"}',
    "perf/suite.py": "import pkg\ndef time_x(): ...\n",
}
PLACES = [b"src", b"", b"src/part/sub"]


def off(*names):
    return POLICY.model_copy(update={"ablate": POLICY.ablate.model_copy(update={"off": names})})


@pytest.fixture
def put_back(repo, base, prepared):
    """The paths of a submission that are put back as doubles. None takes a file away."""

    def run(files, policy=POLICY):
        for path in (path for path, text in files.items() if text is None):
            (repo.folder / path).unlink()
        repo.write({path: text for path, text in files.items() if text is not None})
        case = prepared(Worktree(repo.folder), base, policy, [restore])
        return {f.path for f in case.findings if f.code == "discarded:double"}

    return run


@pytest.mark.parametrize(
    "path",
    [
        "pkg/__init__.py",
        "pkg.py",
        "space/part/__init__.py",
        "space/part.py",
        # A package hides every part of a bare folder elsewhere.
        "space/__init__.py",
        # Where a test without packages around it has its folder put.
        "src/part/sub/pkg.py",
    ],
)
def test_a_copy_at_another_place_is_put_back(put_back, path):
    assert put_back({path: "x = 1\n", "src/pkg/core.py": "x = 2\n"}) == {path}


def test_without_the_defence_it_stays(put_back):
    assert put_back({"pkg/__init__.py": "x = 1\n"}, off("doubles")) == set()


@pytest.mark.parametrize(
    "path",
    [
        # Other names, other folders, parts of a name space, what no import would find, and what nobody imports by its name.
        "devtools/__init__.py",
        "docs/pkg/__init__.py",
        "space/other/__init__.py",
        "src/space/other.py",
        "pkg/data.txt",
        "core.py",
        "src/pkg/new/__init__.py",
    ],
)
def test_what_is_no_copy_stays(put_back, path):
    assert put_back({path: "x = 1\n"}) == set()


def test_a_package_may_move_whole(put_back):
    whole = {"src/pkg/__init__.py": None, "src/pkg/core.py": None}
    assert put_back({**whole, "pkg/__init__.py": "x = 1\n", "pkg/core.py": "x = 1\n"}) == set()


def test_a_package_may_not_leave_half_of_itself(put_back):
    assert put_back({"src/pkg/core.py": None, "pkg/__init__.py": "x = 1\n"}) == {"pkg/__init__.py"}


def test_of_two_new_ones_the_first_place_has_it():
    new = [b"fresh.py", b"src/fresh.py"]
    assert doubles([], new, PLACES, lambda: [b"import fresh"]) == {b"fresh.py"}


def test_what_base_has_twice_is_bases_choice():
    twice = [b"pkg.py", b"src/pkg.py"]
    assert doubles(twice, [*twice, b"src/pkg/new.py"], PLACES, lambda: [b"import pkg"]) == set()
