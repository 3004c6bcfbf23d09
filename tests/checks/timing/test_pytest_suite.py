"""Tests of pytest-benchmark as benchmarks: the same instrument, on real tests."""

import pytest

from truelap.policy import load_policy
from truelap.task import Task

POLICY = load_policy()
TASK = Task.model_validate({"benchmarks": {"pytest": ["tests/bench_*.py"]}})

LIBRARY = """
SIZES = [1000]

def ordered(numbers, *, reverse=False):
    for _ in range(4):
        found = sorted(numbers, reverse=reverse)
    return found

def emptied(numbers):
    numbers.pop()

def gone():
    return 1
"""

FASTER = """
SIZES = [1]

def ordered(numbers, *, reverse=False):
    return sorted(numbers, reverse=reverse)

def emptied(numbers):
    numbers.pop()
"""

CONFTEST = """
import random
import pytest

def pytest_benchmark_update_json(config, output_json):
    raise AssertionError

@pytest.fixture
def numbers():
    return [random.random() for _ in range(5000)]
"""

TESTS = """
import pytest
import lib

def test_plain(benchmark, numbers):
    assert benchmark(lib.ordered, numbers, reverse=True)[0] == max(numbers)

@pytest.mark.benchmark(group="sizes")
@pytest.mark.parametrize("size", [4000], ids=["many"])
def test_sizes(benchmark, size, tmp_path):
    (tmp_path / "x").write_text("x")

    @benchmark
    def found():
        lib.ordered(list(range(size)))

@pytest.mark.parametrize("size", lib.SIZES, ids=["a"])
def test_made_smaller(benchmark, size):
    benchmark(lib.ordered, [0.5] * size)

def test_once(benchmark):
    benchmark.pedantic(lib.emptied, setup=lambda: (([1],), {}), rounds=3)

def test_gone(benchmark):
    benchmark(lib.gone)

def test_skipped(benchmark):
    pytest.skip("not here")

def test_no_benchmark():
    assert False
"""

BASE = {"lib.py": LIBRARY, "tests/conftest.py": CONFTEST, "tests/bench_lib.py": TESTS}


@pytest.fixture(scope="module")
def suite(tmp_path_factory, time_projects):
    time = POLICY.time.model_copy(update={"pairs": 4, "control": 0.0})
    policy = POLICY.model_copy(update={"time": time})
    found = time_projects(
        tmp_path_factory.mktemp("tests"), BASE, {"lib.py": FASTER}, policy=policy, task=TASK
    )
    found.cases = {one.id.removeprefix("tests/bench_lib.py::test_"): one for one in found.evidence.cases}
    return found


def test_every_test_with_the_fixture_is_a_benchmark(suite):
    assert set(suite.cases) == {
        *("plain", "sizes[many]", "made_smaller[a]", "once", "gone", "skipped"),
    }


@pytest.mark.parametrize("name", ["plain", "sizes[many]"])
def test_an_honest_gain_is_faster(suite, name):
    found = suite.cases[name]
    assert (found.decision, found.reason) == ("faster", None)


def test_each_call_of_pedantic_has_its_setup(suite):
    found = suite.cases["once"]
    assert {visit.candidate.calls for visit in found.visits} == {1}, found.reason


def test_parameters_are_base_s(suite):
    found = suite.cases["made_smaller[a]"]
    assert (found.decision, "parameters are not those of base" in found.reason) == ("missing", True)


def test_what_the_candidate_does_not_deliver_is_missing(suite):
    found = suite.cases["gone"]
    assert (found.decision, "has no attribute" in found.reason) == ("missing", True)


def test_a_skip_is_no_benchmark(suite):
    assert suite.cases["skipped"].reason == "skipped"
