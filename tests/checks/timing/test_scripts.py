"""Plain scripts as benchmarks: the same instrument, on real scripts of the two common styles."""

import pytest

from truelap.policy import load_policy
from truelap.task import Task

POLICY = load_policy()
TASK = Task.model_validate({"benchmarks": {"scripts": ["work/*.py"]}})

LIBRARY = """
def ordered(numbers):
    for _ in range(4):
        found = sorted(numbers)
    return found

def total(numbers):
    return sum([number for number in numbers])

def gone():
    return 1
"""

FASTER = """
def ordered(numbers):
    return sorted(numbers)

def total(numbers):
    return sum([number for number in numbers])
"""

GLOBALS = """
import random
import statistics
import timeit

import lib
import beside

def setup():
    global numbers
    numbers = [random.random() for _ in range(beside.COUNT)]

def workload():
    global numbers
    found = lib.ordered(numbers)
    numbers.clear()

runtimes = timeit.repeat(workload, number=1, repeat=10**9, setup=setup)

print("Mean:", statistics.mean(runtimes))
"""

PASSED = """
import argparse
import timeit

import lib

def setup():
    return list(range(2000)), 1

def experiment(numbers, more):
    return lib.total(numbers) + more

def run_test():
    return timeit.timeit(lambda: experiment(*setup()), number=1)

if __name__ == "__main__":
    argparse.ArgumentParser().parse_args(["--not-known"])
"""

BARE = """
import lib

def run():
    return lib.total(range(3000))
"""

BASE = {
    "lib.py": LIBRARY,
    "work/globals.py": GLOBALS,
    "work/passed.py": PASSED,
    "work/bare.py": BARE,
    "work/missing.py": "import lib\n\ndef run():\n    lib.gone()\n",
    "work/beside.py": "COUNT = 3000\n",
}


@pytest.fixture(scope="module")
def scripts(tmp_path_factory, time_projects):
    time = POLICY.time.model_copy(update={"pairs": 4, "control": 0.0})
    policy = POLICY.model_copy(update={"time": time})
    folder = tmp_path_factory.mktemp("scripts")
    return time_projects(folder, BASE, {"lib.py": FASTER}, policy=policy, task=TASK)


def test_an_honest_gain_is_faster(scripts):
    found = scripts["work/globals.py"]
    assert (found.decision, found.reason) == ("faster", None)


def test_each_call_has_a_setup_of_its_own(scripts):
    # The list is empty after one call, and `timeit` at the end would never return.
    assert {visit.base.calls for visit in scripts["work/globals.py"].visits} == {1}


def test_what_setup_returns_is_passed_on(scripts):
    found = scripts["work/passed.py"]
    assert found.visits, found.reason


def test_without_a_setup_a_sample_is_many_calls(scripts):
    found = scripts["work/bare.py"]
    assert found.visits, found.reason
    assert all(visit.base.calls > 1 for visit in found.visits)


def test_what_the_candidate_does_not_deliver_is_missing(scripts):
    assert scripts["work/missing.py"].decision == "missing"
    assert "benchmarks:missing" in scripts.codes()


def test_a_script_without_a_function_to_time_is_told(scripts):
    assert "no function run" in scripts["work/beside.py"].reason
