"""Speed that cannot be, time that no CPU clock shows, and time without end; each with its honest twin."""

from statistics import median

import pytest

from truelap.policy import load_policy

POLICY = load_policy()

BASE = {
    "asv.conf.json": "{}",
    "benchmarks/__init__.py": "",
    "benchmarks/bench.py": "import lib\n\ndef time_it():\n    lib.f(3000)\n",
    "lib.py": "def f(n):\n    return sum(range(n)) % 7\n",
}
CACHED = "class Known:\n    answer = sum(range(3000)) % 7\n\ndef f(n):\n    return Known.answer\n"
# Each finds what it is after wherever it is hidden.
REPLACED_METHOD = """
import gc
for found in gc.get_objects():
    if isinstance(found, type) and found.__name__ == "Case":
        found.run = lambda self, calls, empty: None
"""
REPLACED_ON_THE_OBJECT = """
import gc
def f(n):
    for found in gc.get_objects():
        if type(found).__name__ == "Case":
            found.run = lambda calls, empty: None
    return sum(range(n)) % 7
"""


def told(found):
    return [finding.code for finding in found.findings]


@pytest.mark.parametrize("attack", [BASE["lib.py"] + REPLACED_METHOD, REPLACED_ON_THE_OBJECT])
def test_a_loop_that_does_not_call_is_impossible(timed, attack):
    found = timed(BASE, {"lib.py": attack}, policy=POLICY.without(["own_code"]))
    assert told(found) == ["tamper:impossible_speed"]
    assert found["bench.time_it"].decision == "same"
    open_door = timed(BASE, {"lib.py": attack}, policy=POLICY.without(["own_code", "floor"]))
    assert told(open_door) == []
    assert open_door["bench.time_it"].decision == "faster"


def test_functions_of_ours_that_were_replaced_are_noticed(timed):
    found = timed(BASE, {"lib.py": BASE["lib.py"] + REPLACED_METHOD})
    assert told(found) == ["benchmarks:missing"]
    assert "were replaced" in found["bench.time_it"].reason


def test_a_cached_answer_is_as_fast_as_it_is(timed):
    warns = "import warnings\nwarnings.warn('a module of ours gets a record of this', stacklevel=2)\n"
    found = timed(
        BASE,
        {
            "lib.py": CACHED.replace("    return", "    warn()\n    return")
            + (
                f"def warn(done=[]):\n    if not done:\n        done.append(1)\n        {warns.replace(chr(10), chr(10) + '        ')}\n"
            ).replace("stacklevel=2", "stacklevel=4")
        },
    )
    assert told(found) == []
    assert found["bench.time_it"].decision == "faster"
    assert found["bench.time_it"].visits[0].empty_s > 0


ASLEEP = "import time\n\ndef f(n):\n    time.sleep(0.002)\n    return sum(range(n)) % 7\n"
ASLEEP_BUT_CHEAP = "import time\n\ndef f(n):\n    time.sleep(0.002)\n    return 1\n"
IN_A_CHILD = """
import subprocess, sys
def f(n):
    subprocess.run([sys.executable, "-S", "-c", "sum(range(100000))"])
"""


@pytest.mark.parametrize("lib", [ASLEEP, ASLEEP_BUT_CHEAP, IN_A_CHILD], ids=["sleep", "cheap sleep", "child"])
def test_time_that_no_cpu_clock_shows_is_lost_all_the_same(timed, lib):
    found = timed(
        {**BASE, "benchmarks/bench.py": BASE["benchmarks/bench.py"].replace("3000", "30000")}, {"lib.py": lib}
    )
    assert found["bench.time_it"].decision == "slower"
    assert found["bench.time_it"].log_ratio < -0.5
    assert told(found) == ["benchmarks:regressed"]


PARTLY_IN_A_CHILD = """
import os
def f(n):
    child = os.fork()
    if not child:
        sum(range(n // 10))
        os._exit(0)
    os.waitpid(child, 0)
    return sum(range(n // 5)) % 7
"""


LONG = {**BASE, "benchmarks/bench.py": BASE["benchmarks/bench.py"].replace("3000", "3000000")}


def by_cpu(found):
    return median(visit.effect.log_ratio for visit in found.judged)


def test_a_gain_that_a_child_works_for_is_paid_without_the_child_s_share(timed):
    found = timed(LONG, {"lib.py": PARTLY_IN_A_CHILD})["bench.time_it"]
    assert found.decision == "faster"
    assert found.waits
    assert 0 < found.log_ratio < by_cpu(found) - 0.2


@pytest.mark.parametrize(
    ("lib", "off"),
    [(PARTLY_IN_A_CHILD, ["waiting"]), (BASE["lib.py"].replace("(n)) %", "(n // 5)) %"), [])],
    ids=["no defence", "honest"],
)
def test_what_does_not_wait_is_paid_by_cpu_and_so_is_all_without_the_defence(timed, lib, off):
    found = timed(LONG, {"lib.py": lib}, policy=POLICY.without(off))["bench.time_it"]
    assert found.decision == "faster"
    assert found.log_ratio == by_cpu(found) > 1.2


def test_without_the_defence_sleep_costs_nothing(timed):
    base = {**BASE, "benchmarks/bench.py": BASE["benchmarks/bench.py"].replace("3000", "100000")}
    found = timed(base, {"lib.py": ASLEEP_BUT_CHEAP}, policy=POLICY.without(["waiting"]))
    assert found["bench.time_it"].decision == "same"


def test_less_sleep_is_a_gain(timed):
    longer = ASLEEP.replace("0.002", "0.005")
    found = timed({**BASE, "lib.py": longer}, {"lib.py": ASLEEP})
    assert found["bench.time_it"].decision == "faster"


MANY = {
    **BASE,
    "benchmarks/bench.py": "import lib\n"
    + "".join(f"\ndef time_{n}():\n    lib.f(3000)\n" for n in range(4)),
}
SLOW = "import time\n\ndef f(n):\n    time.sleep(1)\n"


def bounded(seconds):
    return POLICY.model_copy(update={"time": POLICY.time.model_copy(update={"station_s": seconds})})


def test_a_candidate_that_takes_all_the_time_has_not_delivered_the_rest(timed):
    found = timed(MANY, {"lib.py": SLOW}, policy=bounded(12.0))
    decisions = [case.decision for case in found.evidence.cases]
    assert 1 <= decisions.count("missing") < 4
    assert set(told(found)) <= {"benchmarks:missing", "benchmarks:regressed"}
    assert any("used up by the candidate" in finding.message for finding in found.findings)


def test_a_base_that_takes_it_is_nobody_s_fault(timed):
    found = timed({**MANY, "lib.py": SLOW}, {"lib.py": BASE["lib.py"]}, policy=bounded(6.0))
    assert "time:out_of_time" in told(found)
    assert not any(code.startswith("benchmarks:") for code in told(found))
    assert {f.level for f in found.findings} <= {"info", "inconclusive"}


SIZED = {
    **BASE,
    "benchmarks/bench.py": "import lib\n\ndef time_it(n):\n    lib.f(int(n))\n\ntime_it.params = lib.SIZES\n",
    "lib.py": BASE["lib.py"] + "\nSIZES = [3000]\n",
}
OTHER_KIND = (
    BASE["lib.py"]
    + """
class N(int):
    def __repr__(self):
        return "3000"

SIZES = [N(10)]
"""
)


@pytest.mark.parametrize("lib", [SIZED["lib.py"].replace("3000", "10"), OTHER_KIND], ids=["value", "kind"])
def test_parameters_that_the_product_makes_smaller_are_not_base_s(timed, lib):
    found = timed(SIZED, {"lib.py": lib})
    assert told(found) == ["benchmarks:missing"]
    assert "parameters are not those of base" in found["bench.time_it-0"].reason


def test_without_the_defence_smaller_parameters_are_a_gain(timed):
    smaller = SIZED["lib.py"].replace("3000", "10")
    found = timed(SIZED, {"lib.py": smaller}, policy=POLICY.without(["parameters"]))
    assert found["bench.time_it-0"].decision == "faster"


THINGS = """
import random

class Size:
    def __init__(self, n):
        self.n = n
    def __int__(self):
        return self.n
    def __repr__(self):
        return f"{self.n} at {id(self)}, {random.random()}"

class Plain(Size):
    __repr__ = object.__repr__

SIZES = [Size(3000), Plain(3000)]
"""


def test_parameters_that_base_prints_in_many_ways_accuse_nobody(timed):
    base = {**SIZED, "lib.py": BASE["lib.py"] + THINGS}
    found = timed(base, {"lib.py": base["lib.py"] + "\nunused = [Size(n) for n in range(99)]\n"})
    assert told(found) == []


CALLED = "\ndef once():\n    return 3000\n\nSIZES = [once]\n"


def test_a_function_as_a_parameter_is_the_product_s_to_change(timed):
    suite = SIZED["benchmarks/bench.py"].replace("int(n)", "n()")
    base = {**SIZED, "benchmarks/bench.py": suite, "lib.py": BASE["lib.py"] + CALLED}
    cached = "import functools\n" + base["lib.py"].replace("def once", "@functools.lru_cache\ndef once")
    assert told(timed(base, {"lib.py": cached})) == []
