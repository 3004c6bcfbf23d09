"""Data that base's test code reads: base's for the candidate's tests, and the product's own data the candidate's."""

import pytest

CORE = """from pathlib import Path

TABLE = Path(__file__).with_name("table.txt")


def double(x):
    if str(x) in TABLE.read_text().split():
        return 2 * x
    return x + x
"""
TESTS = """import json, pathlib
from pkg.core import double

ROOT = pathlib.Path(__file__).parent.parent
WANTED = json.loads((ROOT / "examples/wanted.json").read_text())


def test_all():
    for name, wanted in WANTED.items():
        assert double(int(name)) == wanted


def test_snapshot():
    with open(ROOT / "snapshots" / "one.txt", "rb") as file:
        assert str(double(1)).encode() == file.read()


def test_table():
    assert (ROOT / "pkg/table.txt").read_text() and double(7) == 14


def test_notes(tmp_path):
    with open(ROOT / "notes.txt", "w") as file:
        file.write("done")
"""
BASE = {
    "pkg/__init__.py": "",
    "pkg/core.py": CORE,
    "pkg/table.txt": "1 2 3\n",
    "examples/wanted.json": '{"1": 2, "2": 4}',
    "snapshots/one.txt": "2",
    "notes.txt": "old",
    "tests/test_core.py": TESTS,
}
ALL = {"tests": {"select": "all"}}
WRONG = CORE.replace("2 * x", "3 * x").replace("x + x", "14")
EDITED = {"examples/wanted.json": '{"1": 3, "2": 6}', "snapshots/one.txt": "3", "pkg/core.py": WRONG}
LOST = ["tests/test_core.py::test_all", "tests/test_core.py::test_snapshot"]


@pytest.fixture
def owned(hasty):
    """A policy under which the tests of a step may write into its tree."""
    policy = hasty()
    return policy.without([*policy.ablate.off, "sealed_tree"])


@pytest.mark.parametrize(
    "change",
    [
        EDITED,
        {
            "pkg/core.py": WRONG,
            "examples/wanted.json": None,
            "examples/wanted.json/x": "",
            "snapshots": "a file",
        },
    ],
    ids=["edited", "in the way"],
)
def test_what_tests_read_is_bases(lap, owned, change):
    gone = {"snapshots/one.txt": None} if "snapshots" in change else {}
    found = lap({**change, **gone}, base=BASE, task=ALL, policy=owned)
    assert found.regressed == LOST
    put_back = {finding.path for finding in found.findings if finding.code == "discarded:test_data"}
    assert put_back == {"examples/wanted.json", "snapshots/one.txt"}


def test_without_the_defence_the_data_is_believed(lap, owned):
    found = lap(EDITED, base=BASE, task=ALL, policy=owned.without([*owned.ablate.off, "test_data"]))
    assert found.regressed == []


def test_the_products_own_data_stays_the_candidates(lap, owned):
    core = CORE.replace("read_text().split()", "read_text().split(',')")
    change = {"pkg/core.py": core, "pkg/table.txt": "1,2,3,7", "notes.txt": "new"}
    found = lap(change, base=BASE, task=ALL, policy=owned)
    assert (found.findings, found.regressed) == ((), [])
