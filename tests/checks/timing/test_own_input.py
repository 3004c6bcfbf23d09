"""Whether a gain is borne out, from made-up visits."""

import math

import pytest
from tests.checks.timing.test_decide import side

from truelap.checks.timing.evidence import CaseResult, Visit
from truelap.checks.timing.own_input import OwnInput, held, without_gain


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


def test_only_what_is_not_borne_out_loses_its_gain():
    result = own(0.003, 0.001)
    for status in ("borne_out", "not_tried"):
        assert without_gain(result, OwnInput(status=status)).decision == "faster"
    lost = without_gain(result, OwnInput(status="own_input_only", reason="x1.00"))
    assert (lost.decision, lost.reason) == ("same", "own input only: x1.00")
    assert lost.as_data()["own_input"]["status"] == "own_input_only"
