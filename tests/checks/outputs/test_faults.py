"""What a candidate does not deliver, and what a task or the environment asks for."""

import pytest

from truelap.errors import WorldError
from truelap.policy import load_policy
from truelap.task import OutputChoice, Skip, Task

POLICY = load_policy()

SUITE = """
import lib

class Suite:
    params = [1, 2]

    def time_one(self, n): lib.one(n)
    def time_two(self, n): lib.two(n)

def time_number(): lib.number()
def time_last(): lib.last()
"""

LIBRARY = """
def one(n): return [n]
def two(n): return [n]
def number(): return 3.0
def last(): return "last"
"""

BROKEN = """
import os, sys, time

def one(n):
    if n == 2:
        raise NotImplementedError
    os._exit(0)
def two(n):
    if n == 2:
        os.kill(os.getppid(), 9)
        time.sleep(9)
    while True:
        pass
def number():
    sys.exit(3)
def last(): return "last"
"""

QUICK = POLICY.model_copy(update={"time": POLICY.time.model_copy(update={"benchmark_timeout_s": 3.0})})


def test_what_is_not_delivered_is_missing_and_the_rest_goes_on(compared):
    came = compared((LIBRARY, SUITE), BROKEN, policy=QUICK)
    assert came.statuses() == {
        "Suite.time_one-0": "missing",
        "Suite.time_one-1": "missing",
        "Suite.time_two-0": "missing",
        "Suite.time_two-1": "missing",
        "time_number": "missing",
        "time_last": "equal",
    }
    assert came.codes().count("outputs:missing") == 5


def test_a_module_that_only_the_candidate_cannot_import_is_missing(compared):
    came = compared((LIBRARY, SUITE), "raise ImportError('gone')\n", bench="number")
    assert came.statuses() == {"time_number": "missing"}


def test_what_base_does_not_deliver_is_asked_of_nobody(compared):
    came = compared((BROKEN, SUITE), LIBRARY, policy=QUICK, bench="one")
    assert set(came.statuses().values()) == {"not_comparable"}
    assert came.codes() == ["outputs:compared"]


def test_a_task_widens_and_leaves_out(compared):
    task = Task(
        outputs=OutputChoice(
            rtol=1e-3,
            overrides={"b.time_last": {"rtol": 1.0}},
            skip=(Skip(benchmark="b.Suite.time_one", reason="any list will do"),),
        )
    )
    other = (
        LIBRARY.replace("3.0", "3.001").replace("return [n]", "return [n, 0]", 1).replace('"last"', "'Last'")
    )
    came = compared((LIBRARY, SUITE), other, task=task)
    assert came.statuses() == {
        "Suite.time_one-0": "not_comparable",
        "Suite.time_one-1": "not_comparable",
        "Suite.time_two-0": "equal",
        "Suite.time_two-1": "equal",
        "time_number": "equal",
        "time_last": "differs",
    }
    assert came["b.Suite.time_one-1"].reason == "left out by the task: any list will do"


ARRAYS = """
import numpy as np

DATA = np.linspace(0.0, 1.0, 5000)

def sums(): return np.cumsum(DATA)
def holes(): return np.array([1.0, np.nan, np.inf])
def large(): return np.ones(400_000) * DATA[7]
def integers(): return np.arange(10)
def scalar(): return DATA.mean()
def loud(): raise ValueError("no %r" % DATA[1])
"""

ARRAY_SUITE = """
import lib

def time_sums(): lib.sums()
def time_holes(): lib.holes()
def time_large(): lib.large()
def time_integers(): lib.integers()
def time_scalar(): lib.scalar()
def time_loud(): lib.loud()
"""


def test_arrays_of_an_honest_patch_are_equal(compared):
    pytest.importorskip("numpy")
    honest = ARRAYS.replace(
        "np.cumsum(DATA)", "np.cumsum(DATA[::-1])[::-1] * 0 + np.add.accumulate(DATA * (1 + 1e-12))"
    )
    honest = honest.replace("DATA.mean()", "DATA.sum() / len(DATA)").replace(
        "np.arange(10)", "np.array(range(10))"
    )
    came = compared((ARRAYS, ARRAY_SUITE), honest)
    assert set(came.statuses().values()) == {"equal"}, came.evidence.cases
    assert 0 < came["b.time_sums"].largest_error < 1e-9


def test_arrays_of_another_kind_differ(compared):
    pytest.importorskip("numpy")
    wrong = ARRAYS.replace("np.cumsum(DATA)", "np.cumsum(DATA.astype('f4')).astype('f8')")
    wrong = wrong.replace("np.nan, np.inf", "np.inf, np.nan").replace(
        "np.arange(10)", "np.arange(10, dtype='i4')"
    )
    wrong = wrong.replace("DATA.mean()", "float(DATA.mean())").replace("no %r", "No %r")
    wrong = wrong.replace("* DATA[7]", "* DATA[8]")
    came = compared((ARRAYS, ARRAY_SUITE), wrong)
    assert came.statuses() == dict.fromkeys(came.statuses(), "differs")


SIZED_SUITE = "import lib\n\ndef time_it(n):\n    n + 1\n    lib.one()\n\ntime_it.params = lib.SIZES\n"


@pytest.mark.parametrize(
    ("sizes", "status"), [("[1000]", "equal"), ("[10 ** 3]", "equal"), ("[10]", "missing")]
)
def test_parameters_that_the_product_provides_are_base_s(compared, sizes, status):
    base = "SIZES = [1000]\n\ndef one():\n    return 1\n"
    came = compared((base, SIZED_SUITE), base.replace("[1000]", sizes))
    assert came.statuses() == {"time_it-0": status}
    open_door = compared(
        (base, SIZED_SUITE), base.replace("[1000]", sizes), policy=POLICY.without(["parameters"])
    )
    assert open_door.statuses() == {"time_it-0": "differs" if status == "missing" else status}


EARLY = Task.model_validate({"environment": {"env": {"PYTHONPATH": "/workspace/repo"}}})
"""What base has at its root comes before the judge's first word."""
STARTER = {"sitecustomize.py": "import lib\n"}
ONE = ("def one(): return 1\n", "import lib\n\ndef time_one(): lib.one()\n")


@pytest.mark.parametrize(
    ("changed", "status"), [("\n", "equal"), ("import os\nos._exit(3)\n", "missing")], ids=["honest", "ends"]
)
def test_a_candidate_that_ends_its_worker_before_the_first_word_has_failed(compared, changed, status):
    came = compared(ONE, changed + ONE[0], task=EARLY, fixed=STARTER)
    assert came.statuses() == {"time_one": status}


def test_a_base_that_does_is_no_fault_of_the_candidate(compared):
    with pytest.raises(WorldError, match="did not start"):
        compared(("import os\nos._exit(3)\n", ONE[1]), ONE[0], task=EARLY, fixed=STARTER)
