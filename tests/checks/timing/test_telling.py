"""Which benchmarks a verdict names, and in which order."""

import pytest

from truelap.checks.timing.decide import unmeasured
from truelap.checks.timing.telling import notable
from truelap.workers.cases import Benchmark, timed_cases

from .test_decide import measured, visit


def case(name):
    told = {"module": "b", "class": None, "attr": "f", "error": None, "kind": "time", "name": name}
    return timed_cases([Benchmark(**told)])[0]


def timed(name, ratio):
    return measured(case(name), [visit(ratio)] * 3, 0.05)


def test_the_worst_comes_first_then_the_best_then_the_rest():
    cases = [
        timed("same", 1.001),
        timed("faster", 1.5),
        unmeasured(case("odd"), "invalid", "not timed"),
        timed("slow", 0.8),
        timed("fastest", 3.0),
        unmeasured(case("gone"), "missing", "it raised"),
        timed("slowest", 0.5),
    ]
    rows = notable(cases)
    assert [row["id"] for row in rows] == ["gone", "slowest", "slow", "fastest", "faster", "same", "odd"]
    assert rows[0] == {
        "id": "gone",
        "params": [],
        "decision": "missing",
        "reason": "it raised",
        "base_s": None,
        "candidate_s": None,
        "speedup": None,
    }
    assert rows[1]["speedup"] == pytest.approx(0.5)
    assert rows[1]["base_s"] / rows[1]["candidate_s"] == pytest.approx(0.5, rel=0.1)


def test_a_long_suite_is_cut_at_both_ends():
    cases = [timed(f"{kind}{n}", ratio) for kind, ratio in (("s", 0.5), ("f", 2.0)) for n in range(20)]
    rows = notable([*cases, *(timed(f"r{n}", 1.0) for n in range(20))])
    assert [row["decision"] for row in rows] == ["slower"] * 8 + ["faster"] * 8
    few = notable([timed("s", 0.5), *(timed(f"r{n}", 1.0) for n in range(40))])
    assert [row["decision"] for row in few] == ["slower"] + ["same"] * 15
