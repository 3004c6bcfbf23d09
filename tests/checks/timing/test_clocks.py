"""Whether a worker's own clock is right: from made-up samples, and for real."""

import pytest
from tests.checks.timing.test_decide import evidence, side

from truelap.checks.timing import judge
from truelap.checks.timing.clocks import ClockCheck, Reading, clock_lie, doubtful
from truelap.checks.timing.evidence import CaseResult, Visit
from truelap.policy import load_policy


def told(*claims, took=0.004):
    return [Reading(claimed, took, took) for claimed in claims]


RIGHT = told(*[0.0039] * 12)


@pytest.mark.parametrize(
    ("candidate", "wrong"),
    [
        (RIGHT, False),
        (told(*[0.0004] * 12), True),
        (told(*[0.0] * 12), True),
        (told(*[0.04] * 12), True),
        # Base's own worst claim is 0.975 of what it took, and 0.5 ms are the conversation's.
        (told(*[0.0025] * 12), False),
        (told(*[0.0023] * 12), True),
        # Twice the machine came between two readings.
        (told(*[0.0004] * 2, *[0.0039] * 10), False),
        (told(*[0.0004] * 7, *[0.0039] * 5), True),
        # A sample of 20 us is all conversation.
        (told(*[0.000001] * 12, took=0.00002), False),
    ],
)
def test_a_clock_must_tell_about_the_same(candidate, wrong):
    assert doubtful(RIGHT, candidate) is wrong


def test_what_base_itself_shows_is_no_lie():
    slow = told(*[0.0004] * 12)
    assert not doubtful(slow, slow)


@pytest.mark.parametrize(
    ("claimed", "took", "lies"),
    [
        (0.099, 0.1, False),
        (0.01, 0.1, True),
        (0.2, 0.1, True),
        # A thread that keeps the interpreter delays the answer.
        (0.085, 0.1, False),
        # Much quicker than the samples before it: too short to say.
        (0.001, 0.02, False),
    ],
)
def test_an_accusation_rests_on_a_long_sample(claimed, took, lies):
    assert bool(ClockCheck(claimed_s=claimed, took_s=took, wall_s=took).lie) is lies


def visit(clock):
    return Visit(base=side(0.004), candidate=side(0.004), clock=clock)


WRONG = ClockCheck(claimed_s=0.01, took_s=0.1, wall_s=0.11)


def test_one_right_visit_is_enough_not_to_be_accused():
    assert clock_lie([visit(WRONG), visit(None)]) is None
    assert clock_lie([visit(WRONG)] * 2) == "its own clock says 0.01 s where the judge's says 0.11 s"


def test_it_is_tampering():
    case = CaseResult(id="a", decision="same", visits=(visit(WRONG),))
    found = judge(evidence(case), load_policy())
    assert [(one.code, one.level) for one in found] == [("tamper:clock", "fail")]
    assert judge(evidence(case), load_policy().without(["claims"])) == ()


FILES = {
    "asv.conf.json": '{"benchmark_dir": "benches"}',
    "benches/__init__.py": "",
    "benches/b.py": "import lib\ndef time_work(): lib.work()\n",
    "lib.py": "def work():\n    return sum(range(20000))\n",
}
# In each process of a case: a thread does not live on in a forked one.
BUSY = """
import threading

threads = []

def spin():
    while True:
        sum(range(1000))

def work():
    if not threads:
        threads.append(threading.Thread(target=spin, daemon=True))
        threads[0].start()
    return sum(range(20000))
"""
SLOW_CLOCK = (
    FILES["lib.py"] + "import time\nreal = time.perf_counter\ntime.perf_counter = lambda: real() / 10\n"
)


def test_a_slow_clock_is_told_for_real(timed):
    assert timed(FILES, {"lib.py": SLOW_CLOCK}).codes() == ["tamper:clock"]


def test_a_busy_thread_is_no_lie(timed):
    came = timed(FILES, {"lib.py": BUSY})
    assert "tamper:clock" not in came.codes(), came["b.time_work"].visits
    assert came["b.time_work"].decision != "faster"
