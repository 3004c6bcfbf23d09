"""Whether a worker's own clock is right: from made-up samples."""

import pytest
from tests.checks.timing.test_decide import evidence, side

from truelap.checks.timing import judge
from truelap.checks.timing.clocks import clock_lie
from truelap.checks.timing.evidence import CaseResult, Visit
from truelap.policy import load_policy


def told(*claims, calls=1, took=0.004):
    made = side(took)
    return made.model_copy(
        update={
            "calls": calls,
            "wall_per_call": (took,) * len(claims),
            "cpu_per_call": (took,) * len(claims),
            "elapsed_per_call": (),
            "claimed_per_call": claims,
        }
    )


def visit(base, candidate):
    return Visit(base=base, candidate=candidate)


RIGHT = told(*[0.0039] * 12)


@pytest.mark.parametrize(
    ("candidate", "lies"),
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
        (told(), False),
    ],
)
def test_a_clock_must_tell_about_the_same(candidate, lies):
    assert bool(clock_lie([visit(RIGHT, candidate)])) is lies


def test_what_base_itself_shows_is_no_lie():
    slow = told(*[0.0004] * 12)
    assert clock_lie([visit(slow, slow)]) is None


def test_one_right_visit_is_enough_not_to_be_accused():
    wrong = told(*[0.0004] * 12)
    assert clock_lie([visit(RIGHT, wrong), visit(RIGHT, RIGHT)]) is None
    assert "its own clock says 0.0004 s where the judge's says 0.004 s" in (
        clock_lie([visit(RIGHT, wrong)] * 2) or ""
    )


def test_it_is_tampering():
    case = CaseResult(id="a", decision="same", visits=(visit(RIGHT, told(*[0.0] * 12)),))
    found = judge(evidence(case), load_policy())
    assert [(one.code, one.level) for one in found] == [("tamper:clock", "fail")]
    assert judge(evidence(case), load_policy().without(["claims"])) == ()
