"""What tests of pytest-benchmark time is compared like what asv's benchmarks compute."""

import pytest

from truelap.checks import outputs
from truelap.task import Task

TASK = Task.model_validate({"benchmarks": {"pytest": ["tests/*.py"]}})

LIBRARY = """
def made():
    return list(range(500))

def total(numbers):
    return sum([number for number in numbers])
"""

TESTS = """
import lib

def test_handed_over(benchmark):
    benchmark(lib.total, lib.made())

def test_written_inside(benchmark):
    numbers = lib.made()

    def run():
        lib.total(numbers)

    benchmark.pedantic(run, rounds=5)
"""

NAMES = tuple(f"tests/test_lib.py::test_{name}" for name in ("handed_over", "written_inside"))

HONEST = LIBRARY.replace("sum([number for number in numbers])", "sum(numbers)")

# Whatever is handed to the fixture, it is given something else.
PATCHED_FIXTURE = (
    HONEST
    + """
import _pytest.fixtures

real = _pytest.fixtures.call_fixture_func

class Instead:
    def __init__(self, benchmark):
        self.benchmark = benchmark

    def __call__(self, function, *args):
        return self.benchmark(lambda *_: 124750, *args)

    def pedantic(self, function, **more):
        return self.benchmark(lambda: 124750)

def patched(*args):
    found = real(*args)
    return Instead(found) if hasattr(found, "pedantic") else found

_pytest.fixtures.call_fixture_func = patched
"""
)


@pytest.fixture
def seen(on_projects, tmp_path):
    def run(candidate):
        sides = [{"tests/test_lib.py": TESTS, "lib.py": content} for content in (LIBRARY, candidate)]
        found = on_projects(tmp_path, outputs, *sides, task=TASK)
        return {case.id: case.ruling.status for case in found.evidence.cases}, found.codes()

    return run


def test_an_honest_change_is_equal(seen):
    assert seen(HONEST) == (dict.fromkeys(NAMES, "equal"), ["outputs:compared"])


def test_an_input_that_the_package_makes_smaller_is_seen(seen):
    # One number that comes to the same sum: as an argument, and as a variable of the test.
    found, _ = seen(HONEST.replace("list(range(500))", "[124750]"))
    assert found == dict.fromkeys(NAMES, "differs")


def test_a_package_that_patches_the_fixture_is_seen(seen):
    found, codes = seen(PATCHED_FIXTURE)
    # The right answer for the test's own input alone, and nothing called where something was.
    assert found == dict(zip(NAMES, ("equal", "differs"), strict=True))
    assert "outputs:sibling" in codes
