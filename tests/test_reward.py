from __future__ import annotations

import math
from typing import Any, ClassVar

import pytest

from truelap.model import Base, Case, Evidence, Machine, Reward, Submission, Verdict
from truelap.policy import load_policy
from truelap.reward import with_reward


class Timed(Evidence):
    section: ClassVar[str] = "timing"
    benchmarks: dict[str, Any]

    def artifacts(self) -> dict[str, Any]:
        return {"timing.json": {"benchmarks": self.benchmarks}}


def row(decision, log_ratio=None, **more):
    return {"decision": decision, "log_ratio": log_ratio, **more}


def verdict(outcome="accepted", reason=None):
    return Verdict(
        tool="truelap",
        policy={},
        seed=0,
        task={},
        submission=Submission(sha256="", files=0, added_lines=0, removed_lines=0, candidate_tree=None),
        patch={},
        outcome=outcome,
        failure_reason=reason,
        speed="not_measured",
        findings=(),
        stations=(),
        discarded=(),
        tests={},
        outputs={},
        timing={},
        reward=Reward(value=None, scheme="log-speedup"),
        machine=Machine(system="", cpu="", cores=0, python="", sandbox=""),
    )


def reward(*rows, scheme="log-speedup", judged=None, **rules):
    shipped = load_policy()
    policy = shipped.model_copy(
        update={"reward": shipped.reward.model_copy(update={"scheme": scheme, **rules})}
    )
    case = Case(name="task", base=Base(given="x", commit=None, tree=""))
    if rows:
        case = case.plus(evidence=(("time", Timed(benchmarks={f"b{i}": r for i, r in enumerate(rows)})),))
    return with_reward(judged or verdict(), case, policy).reward


SCHEMES = ("log-speedup", "formulacode-v1", "advantage")
TWICE = math.log(2)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_inconclusive_has_no_reward(scheme):
    found = reward(
        row("faster", TWICE, reference_log_ratio=0.0), scheme=scheme, judged=verdict("inconclusive")
    )
    assert (found.value, found.scheme) == (None, scheme)
    assert found.reasons


@pytest.mark.parametrize("outcome", ["rejected", "refused"])
@pytest.mark.parametrize(
    ("scheme", "value"), [("log-speedup", -2.0), ("formulacode-v1", -1.0), ("advantage", -2.0)]
)
def test_a_failure_has_the_penalty_whatever_was_measured(outcome, scheme, value):
    found = reward(row("faster", 3.0), scheme=scheme, judged=verdict(outcome, "tamper"), fail_penalty=-2.0)
    assert found.value == value
    assert found.reasons == (f"{outcome}: tamper",)


def test_no_confirmed_change_is_zero():
    assert reward(row("same", 0.04), row("same")).value == 0.0
    assert reward().value == 0.0


def test_log_speedup_is_the_mean_over_all_measured_benchmarks():
    found = reward(
        row("faster", TWICE), row("same", 0.04), row("slower", -TWICE / 2), row("invalid"), row("missing")
    )
    assert found.value == pytest.approx(TWICE / 2 / 3)


def test_one_benchmark_cannot_carry_the_mean():
    assert reward(row("faster", 30.0), row("same", 0.0), cap=3.0).value == pytest.approx(1.5)
    assert reward(row("slower", -30.0), row("same", 0.0), cap=3.0).value == pytest.approx(-1.5)


def test_a_slower_patch_scores_below_zero():
    assert reward(row("slower", -0.2)).value == pytest.approx(-0.2)


@pytest.mark.parametrize(
    "odd",
    [
        row("faster", -1.0),
        row("slower", 1.0),
        row("faster", None),
        row("faster", math.nan),
        row("faster", math.inf),
        row("faster", True),
        row("faster", "9"),
    ],
)
@pytest.mark.parametrize("scheme", ["log-speedup", "formulacode-v1"])
def test_a_ratio_that_contradicts_its_decision_is_no_credit(odd, scheme):
    assert (
        reward(odd, row("same"), scheme=scheme).value == reward(row("same"), row("same"), scheme=scheme).value
    )


@pytest.mark.parametrize(
    ("gain", "value"),
    [
        (1.0, 1.0),
        (0.5, 0.625),
        (1.04, 1 + 2.5 * math.log(1.04) / math.log(1.08)),
        (1.08, 3.5),
        (1.08**2, 6.0),
        (100.0, 6.0),
    ],
)
def test_formulacode_v1_is_their_formula(gain, value):
    decision = "faster" if gain > 1 else "slower" if gain < 1 else "same"
    assert reward(row(decision, math.log(gain)), scheme="formulacode-v1").value == pytest.approx(value)


def test_formulacode_v1_takes_the_geometric_mean():
    rows = (row("faster", math.log(4)), row("same", 0.01))
    assert reward(*rows, scheme="formulacode-v1").value == 6.0
    assert reward(row("faster", 0.02), row("same"), scheme="formulacode-v1").value == pytest.approx(
        1 + 2.5 * 0.01 / math.log(1.08)
    )


def test_formulacode_v1_needs_a_measurement():
    assert reward(scheme="formulacode-v1").value is None


def test_advantage_is_measured_against_the_reference():
    rows = (row("faster", TWICE, reference_log_ratio=TWICE / 2), row("same", 0.0, reference_log_ratio=TWICE))
    assert reward(*rows, scheme="advantage").value == pytest.approx(-TWICE / 4)


@pytest.mark.parametrize(
    "rows", [(), (row("faster", 1.0),), (row("faster", 1.0, reference_log_ratio=1.0), row("same"))]
)
def test_advantage_without_a_reference_is_no_number(rows):
    found = reward(*rows, scheme="advantage")
    assert found.value is None
    assert "reference patch" in found.reasons[0]
    assert "task file" in found.reasons[0]


def test_advantage_caps_both_sides():
    assert reward(row("faster", 9.0, reference_log_ratio=0.5), scheme="advantage", cap=1.0).value == 0.5
    assert reward(row("same", 0.0, reference_log_ratio=9.0), scheme="advantage", cap=1.0).value == -1.0


def test_an_overflow_is_no_number():
    assert reward(row("slower", -1e308), scheme="log-speedup", cap=1e308, fail_penalty=-1.0).value == -1e308
    assert reward(judged=verdict("rejected", "tamper"), fail_penalty=math.inf).value is None
