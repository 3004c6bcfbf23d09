"""Base's truth is kept: the next submission pays for itself alone, and nothing that matters can be out of date."""

import pytest

HONEST = "def double(x):\n    return x + x\n"
WRONG = "def double(x):\n    return 3 * x\n"


def measured(found):
    """How long each of base's sessions took: no two sessions take the same time to the last digit."""
    return [session.seconds for session in found.evidence.base.sessions]


@pytest.fixture
def keep(tmp_path):
    return tmp_path / "keep"


def test_the_second_submission_uses_what_the_first_found_of_base(lap, shipped, keep):
    first = lap({"pkg/core.py": HONEST}, policy=shipped, keep=keep)
    second = lap({"pkg/core.py": WRONG}, policy=shipped, keep=keep)
    assert measured(first) == measured(second)
    assert [lap.evidence.summary()["base_kept"] for lap in (first, second)] == [False, True]
    assert first.findings == ()
    assert second.codes == ["tests:regressed"]


def test_without_a_folder_base_runs_each_time(lap, shipped):
    first, second = (lap({"pkg/core.py": HONEST}, policy=shipped) for _ in range(2))
    assert measured(first) != measured(second)


def test_every_run_of_base_is_kept_but_those_with_a_secret(lap, shipped, keep):
    lap({"pkg/core.py": HONEST}, policy=shipped, keep=keep)
    files = {path for path in keep.rglob("*") if path.is_file() and path.name != "CACHEDIR.TAG"}
    assert len(files) == 3  # as it is, and rewritten under two hash seeds
    lap({"pkg/core.py": WRONG}, policy=shipped, keep=keep)
    assert {path for path in keep.rglob("*") if path.is_file() and path.name != "CACHEDIR.TAG"} == files


def test_a_package_that_lies_to_the_kept_truth_is_found_out(lap, shipped, keep):
    forgery = "import _pytest.python\n_pytest.python.Function.runtest = lambda self: None\n"  # no test runs
    for _ in range(2):
        found = lap({"pkg/core.py": WRONG + forgery}, policy=shipped, keep=keep)
        assert "tests:regressed" in found.codes


@pytest.mark.parametrize("changed", ["base", "policy", "tests", "environment"])
def test_what_depends_on_something_else_is_measured_again(lap, shipped, keep, project, changed):
    first = lap({"pkg/core.py": HONEST}, policy=shipped, keep=keep)
    again = {
        "base": {"base": {**project, "pkg/more.py": ""}},
        "tests": {"base": {**project, "tests/test_core.py": project["tests/test_core.py"] + "\n"}},
        "policy": {"policy": shipped.without(["canaries"])},
        "environment": {"task": {"environment": {"env": {"A": "b"}}}},
    }[changed]
    second = lap({"pkg/core.py": HONEST}, **{"policy": shipped, "keep": keep, **again})
    assert measured(first) != measured(second)
    assert second.findings == ()


def test_a_damaged_file_is_measured_again(lap, shipped, keep):
    first = lap({"pkg/core.py": HONEST}, policy=shipped, keep=keep)
    for path in keep.rglob("*"):
        if path.is_file() and path.name != "CACHEDIR.TAG":
            path.write_bytes(path.read_bytes()[:-1] + b"x")
    second = lap({"pkg/core.py": HONEST}, policy=shipped, keep=keep)
    assert measured(first) != measured(second)
    assert second.findings == ()


def test_a_run_that_failed_is_not_kept(lap, shipped, keep, project):
    crash = {**project, "tests/test_core.py": "import os\n\n\ndef test_a():\n    os._exit(3)\n"}
    found = lap({"pkg/core.py": HONEST}, base=crash, policy=shipped, keep=keep)
    assert found.levels == {"inconclusive"}
    assert [path for path in keep.rglob("*") if path.is_file() and path.name != "CACHEDIR.TAG"] == []
