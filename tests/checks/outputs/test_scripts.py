"""What plain scripts compute is compared like what asv's benchmarks do."""

import pytest

from truelap.checks import outputs
from truelap.task import Task

TASK = Task.model_validate({"benchmarks": {"scripts": ["work/*.py"]}})

LIBRARY = """
def made():
    return list(range(500))

def total(numbers):
    return sum([number for number in numbers])
"""

PASSED = """
import lib

def setup():
    return lib.made()

def experiment(numbers):
    return lib.total(numbers)

def teardown():
    assert lib.total([1]) == 1
"""

GLOBALS = """
import timeit
import lib

def setup():
    global numbers
    numbers = lib.made()

def workload():
    lib.total(numbers)

print(timeit.repeat(workload, number=1, repeat=3, setup=setup))
"""

BASE = {"work/passed.py": PASSED, "work/globals.py": GLOBALS}
NAMES = tuple(BASE)

HONEST = LIBRARY.replace("sum([number for number in numbers])", "sum(numbers)")

# At setup the function that is timed becomes one that does nothing.
CHEAT = (
    HONEST
    + """
import sys

def nothing(*args):
    return None

def made():
    for name, called in (("work/passed.py", "experiment"), ("work/globals.py", "workload")):
        if name in sys.modules:
            getattr(sys.modules[name], called).__code__ = nothing.__code__
    return list(range(500))
"""
)


@pytest.fixture
def statuses(on_projects, tmp_path):
    def run(candidate):
        sides = [{**BASE, "lib.py": content} for content in (LIBRARY, candidate)]
        found = on_projects(tmp_path, outputs, *sides, task=TASK)
        return {case.id: case.ruling.status for case in found.evidence.cases}, found.codes()

    return run


def test_an_honest_change_is_equal(statuses):
    assert statuses(HONEST) == (dict.fromkeys(NAMES, "equal"), ["outputs:compared"])


def test_a_package_that_empties_the_script_s_function_is_seen(statuses):
    found, codes = statuses(CHEAT)
    assert found == dict.fromkeys(NAMES, "differs")
    assert "outputs:differ" in codes


def test_an_input_that_the_package_makes_smaller_is_seen(statuses):
    # One number that comes to the same sum: as a global, and as an argument.
    found, _ = statuses(HONEST.replace("list(range(500))", "[124750]"))
    assert found == dict.fromkeys(NAMES, "differs")


def test_other_inputs_are_tried_too(statuses):
    # The answer for the script's own input alone.
    _, codes = statuses(HONEST.replace("sum(numbers)", "124750"))
    assert codes.count("outputs:sibling") == 2
