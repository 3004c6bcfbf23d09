"""Decisions, evidence and findings from made-up visits."""

import json
import math

import pytest

from truelap.checks.timing import TimingEvidence, judge
from truelap.checks.timing import decide as decisions
from truelap.checks.timing.decide import broken, not_reached, unmeasured
from truelap.checks.timing.evidence import Side, Visit
from truelap.checks.timing.proof import goes_on, prove
from truelap.policy import load_policy
from truelap.workers.cases import NOT_TIMED, Benchmark, Timed
from truelap.workers.worker import Undelivered

BENCHMARK = Benchmark(**{"module": "b.m", "class": None, "attr": "time_f", "name": "m.time_f", "error": None})
CASE = Timed(id="m.time_f", benchmark=BENCHMARK, param=None, params=())
POLICY = load_policy()


def side(seconds, *, wall=None, elapsed=(), stray=0.0, asleep=0.0, pairs=8):
    walls = (seconds if wall is None else wall,) * pairs
    return Side(
        calls=4,
        cpu_per_call=(seconds,) * pairs,
        wall_per_call=walls,
        elapsed_per_call=elapsed,
        queued_s=0.0,
        stray_s=stray,
        asleep_s=asleep,
        cpu_s=seconds * 4 * pairs,
    )


def visit(ratio, **candidate):
    """A visit in which the candidate is `ratio` times as fast as base."""
    return Visit(base=side(0.001), candidate=side(0.001 / ratio, **candidate))


RULES = POLICY.time.model_copy(update={"visits": 2})


def proof(visits, without=frozenset(), control=()):
    """Of the only benchmark of its task."""
    return prove([visits], control, RULES, without)[0]


def decide(visits, margin=0.05, without=frozenset()):
    return decisions.decide(visits, proof(visits, without), margin, without)


def measured(case, visits, margin=0.05, without=frozenset()):
    return decisions.measured(case, visits, proof(visits, without), margin, without)


def open_after(visits):
    return goes_on(visits, proof(visits), RULES)


def evidence(*cases, **more):
    return TimingEvidence(
        config="asv.conf.json",
        protocol={},
        seed=1,
        order=(),
        cases=cases,
        failed_modules=more.pop("failed", {}),
        **more,
    )


@pytest.mark.parametrize(
    ("ratios", "decision", "reason"),
    [
        ((3.0, 3.1, 2.9), "faster", None),
        ((0.5, 0.6, 0.5), "slower", None),
        ((1.01,), "same", None),
        ((1.2, 1.01), "same", "the visits disagree"),
        ((1.2, 0.8), "same", "not established: the visits do not agree enough"),
        ((1.2, 1.2), "same", "not established: the visits do not agree enough"),
        ((1.2, 1.0, 1.2, 1.2), "faster", None),
        ((1.0, 1.2, 1.2), "faster", None),
    ],
)
def test_the_visits_after_the_first_must_agree(ratios, decision, reason):
    assert decide([visit(ratio) for ratio in ratios], 0.05) == (decision, reason)


def test_a_gain_that_wall_does_not_show_is_disputed():
    visits = [visit(3.0, wall=0.001)] * 3
    assert decide(visits, 0.05) == ("same", "disputed: CPU and wall time tell different stories")


SLEEPS = {"wall": 0.002, "elapsed": (0.002,) * 8}


@pytest.mark.parametrize("ratio", [1.0, 3.0, 0.98])
def test_a_loss_of_time_is_a_loss_whatever_cpu_says(ratio):
    visits = [visit(ratio, **SLEEPS)] * 3
    assert decide(visits, 0.05) == ("slower", "it takes longer than its CPU time shows")
    assert decide(visits, 0.05, frozenset({"waiting"}))[0] == "same"
    result = measured(CASE, visits, 0.05)
    assert result.log_ratio == pytest.approx(-math.log(2))
    assert sum(result.interval) / 2 == pytest.approx(-math.log(2))
    assert result.as_data()["candidate"]["seconds_per_call"][0] == 0.002


def test_a_loss_that_cpu_shows_as_well_is_told_by_cpu():
    assert decide([visit(0.5)] * 3, 0.05) == ("slower", None)
    assert decide([visit(0.8, **SLEEPS)] * 3, 0.05) == ("slower", "it takes longer than its CPU time shows")


def test_a_loss_of_time_in_one_visit_or_in_some_pairs_is_none():
    assert decide([visit(1.0, **SLEEPS), visit(1.0)], 0.05)[0] == "same"
    mixed = {"elapsed": (0.0011,) * 5 + (0.0009,) * 3}
    assert decide([visit(1.0, **mixed)] * 2, 0.05)[0] == "same"


def test_a_loss_of_time_is_looked_at_as_often_as_a_gain():
    assert open_after([visit(1.0, **SLEEPS)])
    assert open_after([visit(1.0, **SLEEPS)] * 2)
    assert not open_after([visit(1.0, **SLEEPS)] * 3)


HALF_HIDDEN = {"wall": 0.0005, "elapsed": (0.0005,) * 8}


def test_a_gain_that_is_partly_waiting_is_paid_by_what_it_takes_in_all():
    visits = [visit(4.0, **HALF_HIDDEN)] * 3
    assert decide(visits, 0.05) == ("faster", "it takes longer than its CPU time shows")
    result = measured(CASE, visits, 0.05)
    assert result.log_ratio == pytest.approx(math.log(2))
    assert result.as_data()["candidate"]["seconds_per_call"][0] == 0.0005
    assert measured(CASE, visits, 0.05, frozenset({"waiting"})).log_ratio == pytest.approx(math.log(4))


@pytest.mark.parametrize(
    "visits",
    [
        [visit(4.0, **HALF_HIDDEN), visit(4.0), visit(4.0)],
        [visit(4.0, elapsed=(0.0005,) * 5 + (0.00025,) * 3)] * 3,
        [visit(4.0, wall=0.00026, elapsed=(0.00026,) * 8)] * 3,
        [visit(400.0, wall=0.00001, elapsed=(0.00001,) * 8)] * 3,
        [visit(4.0, wall=0.0005, elapsed=(0.00025,) * 8)] * 3,
    ],
    ids=["one visit", "some pairs", "below the margin", "a short sample's question", "a crowded machine"],
)
def test_noise_of_wall_time_takes_nothing_of_a_gain(visits):
    assert decide(visits, 0.05) == ("faster", None)


def test_a_gain_that_is_all_waiting_is_none():
    slow = Visit(base=side(0.1), candidate=side(0.09, wall=0.0947, elapsed=(0.097,) * 8))
    assert decide([slow] * 3, 0.05) == ("same", "disputed: it takes longer than its CPU time shows")


def test_calls_cheaper_than_nothing_are_impossible():
    cheap = visit(1e6).model_copy(update={"empty_s": 30e-9})
    assert decide([cheap] * 3, 0.05)[0] == "same"
    assert decide([cheap] * 3, 0.05, frozenset({"floor"}))[0] == "faster"
    found = judge(evidence(measured(CASE, [cheap], 0.05)), POLICY)
    assert [(f.code, f.level) for f in found] == [("tamper:impossible_speed", "fail")]
    assert judge(evidence(measured(CASE, [cheap], 0.05)), POLICY.without(["floor"])) == ()
    as_cheap_as_it_gets = visit(1e4).model_copy(update={"empty_s": 120e-9})
    assert decide([as_cheap_as_it_gets] * 3, 0.05) == ("faster", None)


@pytest.mark.parametrize(
    ("visits", "late", "decision"),
    [((), "candidate", "missing"), ((), "base", "invalid"), ((visit(3.0),), "candidate", "same")],
)
def test_what_the_time_did_not_reach(visits, late, decision):
    result = not_reached(CASE, visits, late)
    assert result.decision == decision
    assert "used up by" in result.reason


def test_a_gain_by_work_between_the_samples_is_disputed():
    # 32 calls of 1/3 ms claim 21 ms saved; 15 ms of it turn up elsewhere.
    decision, reason = decide([visit(3.0, stray=0.015)] * 3, 0.05)
    assert (decision, reason) == ("same", "disputed: the candidate computes between its samples")


def test_a_gain_by_work_while_it_is_stopped_is_disputed():
    decision, reason = decide([visit(3.0, asleep=0.002)] * 3, 0.05)
    assert (decision, reason) == ("same", "disputed: the candidate computes while it is stopped")


def test_a_little_conversation_disputes_nothing():
    assert decide([visit(3.0, stray=0.002, asleep=0.0001)] * 3, 0.05) == ("faster", None)


def test_what_looks_the_same_is_left_after_one_visit():
    assert open_after([])
    assert open_after([visit(1.2)])
    assert open_after([visit(1.04)]), "a change at the margin is seen below it half of the time"
    assert not open_after([visit(1.03)])
    assert not open_after([visit(1.2)] * 3)


def test_what_wall_does_not_bear_out_gets_as_many_visits_again():
    hidden = visit(3.0, wall=0.001)
    assert open_after([hidden] * 4)
    assert not open_after([hidden] * 5)
    assert not open_after([hidden, visit(3.0), visit(3.0)])


FAILED, SKIPPED = Undelivered("failed", "boom"), Undelivered("skipped", "no")


@pytest.mark.parametrize(
    ("failures", "decision", "reason", "runs_skipped"),
    [
        ({"candidate": FAILED}, "missing", "boom", False),
        ({"candidate": SKIPPED}, "missing", "it skips what base runs", False),
        ({"base": FAILED}, "invalid", "base does not run it: boom", False),
        ({"base": FAILED, "candidate": FAILED}, "invalid", "base does not run it: boom", False),
        ({"base": SKIPPED, "candidate": SKIPPED}, "invalid", "skipped", False),
        ({"base": SKIPPED}, "invalid", "skipped at base, not by the candidate", True),
    ],
)
def test_who_failed_decides_what_it_means(failures, decision, reason, runs_skipped):
    result = broken(CASE, failures)
    assert (result.decision, result.reason, result.candidate_runs_skipped) == (decision, reason, runs_skipped)


def test_the_ratio_is_not_taken_from_the_visit_that_chose():
    result = measured(CASE, [visit(9.0), visit(2.0), visit(2.0)], 0.05)
    assert result.log_ratio == pytest.approx(math.log(2))
    assert sum(result.interval) / 2 == pytest.approx(math.log(2))


def test_the_interval_is_as_wide_as_visits_are_apart():
    close, apart = (measured(CASE, [visit(9.0), *map(visit, seen)]) for seen in ((2.0, 2.0), (2.0, 3.0)))
    assert close.interval == pytest.approx((math.log(2) - 0.0406, math.log(2) + 0.0406), abs=0.002)
    low, high = apart.interval
    assert low <= math.log(2)
    assert high >= math.log(3)


def test_speedup_counts_what_is_not_established_as_one():
    kept = evidence(
        measured(CASE, [visit(8.0)] * 3, 0.05),
        measured(CASE, [visit(1.04)], 0.05),
        measured(CASE, [visit(8.0, wall=0.001)] * 3, 0.05),
        unmeasured(CASE, "missing", "boom"),
        unmeasured(CASE, "invalid", "no"),
    )
    summary = kept.summary()
    assert summary["speedup"] == pytest.approx(2.0)
    assert (summary["n_faster"], summary["n_same"], summary["n_missing"], summary["n_invalid"]) == (
        1,
        2,
        1,
        1,
    )


def test_timing_json_is_finite_json_with_the_contract_s_keys():
    kept = evidence(measured(CASE, [visit(2.0)] * 3, 0.05))
    written = json.loads(json.dumps(kept.artifacts()["timing.json"], allow_nan=False))
    told = written["benchmarks"]["m.time_f"]
    assert told["decision"] == "faster"
    assert told["speedup"] == pytest.approx(2.0)
    assert len(told["base"]["seconds_per_call"]) == 24
    assert told["base"]["cpu_s"] > 0
    assert told["first_pass"]["pairs"] == 8
    assert told["confirmation"]["visits"] == 2
    assert told["confirmation"]["evidence"] == {"faster": 10.5**2, "slower": 0.25}
    assert told["confirmation"]["needed"] == 40.0
    assert written["control"] == {"visits": 0, "log_ratios": [], "margin": None, "chance": None}
    assert {"protocol", "seed", "order"} <= written.keys()


def test_where_base_beside_itself_changes_nothing_is_established():
    wild = [visit(1.3), visit(0.7)] * 3
    result = decisions.measured(CASE, [visit(2.0)] * 8, proof([visit(2.0)] * 8, control=wild), 0.05)
    assert result.reason == "not established: base beside itself changes as often"
    found = judge(evidence(result, control=tuple(wild)), POLICY)
    assert [(one.code, one.level) for one in found] == [("time:too_noisy", "inconclusive")]


def codes(kept, policy=POLICY):
    return [(finding.code, finding.level) for finding in judge(kept, policy)]


def test_a_missing_benchmark_fails_and_is_named():
    (finding,) = judge(evidence(unmeasured(CASE, "missing", "boom")), POLICY)
    assert (finding.code, finding.level, finding.message) == ("benchmarks:missing", "fail", "m.time_f: boom")


def test_an_honest_result_has_no_findings():
    assert codes(evidence(measured(CASE, [visit(2.0)] * 3, 0.05))) == []


@pytest.mark.parametrize(("rule", "level"), [("report", "info"), ("reject", "fail")])
def test_the_policy_says_what_a_regression_is_worth(rule, level):
    verdict = POLICY.verdict.model_copy(update={"regressions": rule})
    policy = POLICY.model_copy(update={"verdict": verdict})
    assert codes(evidence(measured(CASE, [visit(0.5)] * 3, 0.05)), policy) == [
        ("benchmarks:regressed", level)
    ]


@pytest.mark.parametrize("cases", [(), (unmeasured(CASE, "invalid", "no"),)])
def test_nothing_measured_is_never_a_pass(cases):
    assert codes(evidence(*cases)) == [("time:nothing_measured", "inconclusive")]


@pytest.mark.parametrize(
    ("cases", "failed", "why"),
    [
        ((), {}, "holds no benchmark"),
        ((), {"m": "ImportError"}, "no module of base's suite can be imported; does --python name"),
        ((unmeasured(CASE, "invalid", "no"),), {"m": "ImportError"}, "delivers none"),
        (
            (unmeasured(CASE, "invalid", f"{NOT_TIMED} mem"),),
            {},
            "none can be (not timed: benchmarks of kind mem",
        ),
    ],
)
def test_it_says_why_nothing_was_measured(cases, failed, why):
    found = judge(evidence(*cases, failed=failed), POLICY)
    assert why in next(one.message for one in found if one.code == "time:nothing_measured")


def test_nothing_delivered_is_the_submission_s_fault_and_not_inconclusive():
    assert codes(evidence(unmeasured(CASE, "missing", "boom"))) == [("benchmarks:missing", "fail")]


def test_benchmarks_that_are_missing_for_one_reason_are_one_finding():
    gone = [unmeasured(CASE, "missing", "boom"), unmeasured(CASE, "missing", "boom")]
    found = judge(evidence(*gone, unmeasured(CASE, "missing", "else")), POLICY)
    assert [one.message for one in found] == [
        "2 benchmarks (m.time_f, m.time_f): boom",
        "m.time_f: else",
    ]


def test_what_else_there_is_to_know():
    kept = evidence(
        measured(CASE, [visit(1.0)], 0.05),
        measured(CASE, [visit(3.0, wall=0.001)] * 3, 0.05),
        broken(CASE, {"base": SKIPPED}),
        failed={"b.x": "ImportError: y"},
        changed_files=("pkg/a.py",),
    )
    assert sorted(codes(kept)) == [
        ("tamper:tree_changed", "fail"),
        ("time:disputed", "info"),
        ("time:module_failed", "info"),
        ("time:skip_differs", "info"),
    ]
