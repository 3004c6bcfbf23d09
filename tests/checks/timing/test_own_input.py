"""Whether a gain is borne out, from made-up visits."""

import math

import pytest
from tests.checks.timing.test_decide import evidence, side

from truelap.checks.timing import judge
from truelap.checks.timing.evidence import CaseResult, Visit
from truelap.checks.timing.own_input import LATE, OwnInput, held, undelivered, without_gain
from truelap.policy import load_policy
from truelap.verdict import failure_reason


def visit(base, candidate):
    return Visit(base=side(base), candidate=side(candidate))


def own(base, candidate, **more):
    return CaseResult(id="a", decision="faster", visits=(visit(base, candidate),) * 2, **more)


@pytest.mark.parametrize(
    ("result", "others", "status"),
    [
        (own(0.003, 0.001), [(0.003, 0.001)], "borne_out"),
        (own(0.003, 0.001), [(0.003, 0.0015)], "borne_out"),
        (own(0.003, 0.001), [(0.003, 0.003)], "own_input_only"),
        (own(0.003, 0.001), [(0.003, 0.0029), (0.003, 0.003)], "own_input_only"),
        (own(0.003, 0.001), [(0.003, 0.0029), (0.003, 0.001)], "borne_out"),
        (own(0.003, 0.001), [(0.007, 0.007)], "not_tried"),
        (own(0.003, 0.001), [(0.001, 0.001)], "not_tried"),
        # What changes inputs costs as much as the call: a third of a gain is left, and that is all that is asked for.
        (own(0.000003, 0.000001), [(0.000006, 0.000004)], "borne_out"),
        (own(0.000003, 0.000001), [(0.000006, 0.000006)], "own_input_only"),
        (own(0.0030, 0.0028), [(0.0030, 0.0030)], "not_tried"),
    ],
)
def test_half_of_a_gain_must_be_there(result, others, status):
    found = held(result, tuple(visit(*times) for times in others), 0.05)
    assert found.status == status, found
    assert len(found.found) == len(others)


def test_what_is_looked_for_is_never_more_than_the_gain():
    assert held(own(0.003, 0.001), (visit(0.002, 0.001),), 0.05).expected == pytest.approx(math.log(3))
    assert held(own(0.003, 0.001), (visit(0.006, 0.001),), 0.05).expected == pytest.approx(math.log(1.5))


@pytest.mark.parametrize(("rule", "reason"), [("report", None), ("reject", "unearned_speedup")])
def test_a_policy_may_reject_a_gain_for_the_own_input_alone(rule, reason):
    shipped = load_policy()
    policy = shipped.model_copy(update={"verdict": shipped.verdict.model_copy(update={"memo": rule})})
    lost = without_gain(own(0.003, 0.001), OwnInput(status="own_input_only", reason="x1.00"))
    earned = without_gain(own(0.003, 0.001), OwnInput(status="borne_out"))
    found = judge(evidence(lost, earned), policy)
    assert [(f.code, f.message) for f in found] == [("time:own_input_only", "a: own input only: x1.00")]
    assert failure_reason("rejected" if reason else "accepted", found) == reason
    assert {f.level for f in found} == {"fail" if reason else "info"}


def test_only_what_is_not_borne_out_loses_its_gain():
    result = own(0.003, 0.001)
    for status in ("borne_out", "not_tried"):
        assert without_gain(result, OwnInput(status=status)).decision == "faster"
    found = OwnInput(status="own_input_only", reason="x1.00")
    credited = without_gain(result, found, credit=True)
    assert (credited.decision, credited.reason) == ("faster", "own input only: x1.00")
    lost = without_gain(result, found)
    assert (lost.decision, lost.reason) == ("same", "own input only: x1.00")
    assert lost.as_data()["own_input"]["status"] == "own_input_only"


@pytest.mark.parametrize(
    ("late", "decision", "reason"),
    [
        ("base", "faster", f"not looked at again: {LATE}"),
        ("candidate", "same", f"own input only: the candidate does not run other inputs: {LATE}"),
    ],
)
def test_one_look_takes_no_gain_where_base_has_no_time_for_another(late, decision, reason):
    result = own(0.003, 0.001)
    once = held(result, (visit(0.003, 0.003),), 0.05)
    assert once.status == "own_input_only"
    came = without_gain(result, undelivered({late: LATE}, once))
    assert (came.decision, came.reason or came.own_input.reason) == (decision, reason)
    assert came.own_input.found == once.found


def test_what_was_never_looked_at_is_said_to_be():
    assert undelivered({"base": LATE, "candidate": LATE}).reason == f"not looked at: {LATE}"
