"""Whether a gain is paid for elsewhere: from made-up costs."""

import pytest
from tests.checks.timing.test_decide import evidence
from tests.checks.timing.test_own_input import own

from truelap.checks.timing import judge
from truelap.checks.timing.moved import (
    Moved,
    Outside,
    import_growth,
    memory_growth,
    put_off,
    weighed,
    without_moved,
)
from truelap.policy import load_policy
from truelap.verdict import failure_reason

TIME = load_policy().time


def costs(load=0.1, setup=0.01, first=0.003, again=0.01, peak=20_000_000):
    return Outside(
        load_s=(load,) * 3,
        setup_s=(setup,) * 3,
        first_s=(first,) * 3,
        again_s=(again,) * 3,
        peak_bytes=(peak,) * 3,
    )


@pytest.mark.parametrize(
    ("candidate", "status"),
    [
        (costs(), "kept"),
        (costs(setup=0.001, again=0.001), "kept"),
        # A call saves 2 ms here.
        (costs(again=0.0112), "kept"),
        (costs(again=0.0114), "moved"),
        (costs(setup=0.06), "kept"),
        (costs(setup=0.07), "moved"),
    ],
)
def test_what_a_call_saves_may_not_be_spent_in_setup(candidate, status):
    assert weighed(own(0.003, 0.001), costs(), candidate, TIME).status == status


def test_setups_that_differ_as_two_processes_do_are_the_same():
    quick = own(0.000002, 0.000001)
    assert weighed(quick, costs(), costs(again=0.0112), TIME).status == "kept"
    assert weighed(quick, costs(), costs(again=0.0114), TIME).status == "moved"


@pytest.mark.parametrize(
    ("base_s", "candidate_s", "put"),
    [
        (0.0, 0.0, False),
        (0.5, 0.1, False),
        (0.0, 0.0031, False),
        (0.0, 0.0033, True),
        (0.01, 0.0131, False),
        (0.1, 0.11, False),
        (0.1, 0.111, True),
    ],
)
def test_what_the_samples_save_may_not_be_spent_beside_them(base_s, candidate_s, put):
    gain = own(0.0003, 0.0001)
    visit = gain.visits[0]
    sides = {
        "base": visit.base.model_copy(update={"outside_s": base_s}),
        "candidate": visit.candidate.model_copy(update={"outside_s": candidate_s}),
    }
    assert bool(put_off(gain.model_copy(update={"visits": (visit.model_copy(update=sides),)}))) is put


@pytest.mark.parametrize(
    ("base", "candidate", "grown"),
    [(0.1, 0.34, False), (0.1, 0.36, True), (1.0, 1.9, False), (1.0, 2.1, True)],
)
def test_imports_may_take_a_little_longer(base, candidate, grown):
    assert bool(import_growth(costs(load=base), costs(load=candidate), TIME)) is grown


@pytest.mark.parametrize(
    ("base", "candidate", "grown"), [(20, 86, False), (20, 88, True), (200, 399, False), (200, 401, True)]
)
def test_a_table_may_be_as_large_as_what_was_there(base, candidate, grown):
    found = memory_growth(costs(peak=base * 10**6), costs(peak=candidate * 10**6), TIME)
    assert bool(found) is grown


def test_first_calls_stand_beside():
    assert weighed(
        own(0.003, 0.001), costs(first=0.004), costs(first=0.002), TIME
    ).first_call == pytest.approx(0.6931, abs=1e-3)


@pytest.mark.parametrize(("rule", "reason"), [("report", None), ("reject", "unearned_speedup")])
def test_a_policy_may_reject_it(rule, reason):
    shipped = load_policy()
    policy = shipped.model_copy(update={"verdict": shipped.verdict.model_copy(update={"moved": rule})})
    lost = without_moved(own(0.003, 0.001), Moved(status="moved", reason="each setup"))
    kept = without_moved(own(0.003, 0.001), Moved(status="not_tried"))
    assert (lost.decision, kept.decision) == ("same", "faster")
    assert lost.as_data()["moved"]["status"] == "moved"
    assert without_moved(own(0.003, 0.001), Moved(status="moved"), credit=True).decision == "faster"
    found = judge(evidence(lost, kept), policy)
    assert [(f.code, f.message) for f in found] == [("time:moved", "a: moved: each setup")]
    assert failure_reason("rejected" if reason else "accepted", found) == reason
