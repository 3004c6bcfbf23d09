"""The arithmetic of the timing benches: bounds, costs whose ratio is known, and what is said of other ways to time."""

import math
import sys
from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture
def bench(monkeypatch):
    """A module of bench/ by its name."""
    monkeypatch.syspath_prepend(str(ROOT / "bench"))
    before = set(sys.modules)
    yield import_module
    for name in set(sys.modules) - before:
        where = getattr(sys.modules[name], "__file__", None) or ""
        if Path(where).parent in {ROOT / "bench", ROOT / "examples"}:
            sys.modules.pop(name)


def test_the_bounds_are_clopper_and_pearson_s(bench):
    bounds = bench("bounds")
    assert bounds.upper(0, 1000) == pytest.approx(1 - 0.05 ** (1 / 1000))
    assert bounds.upper(3, 100) == pytest.approx(0.0757, abs=1e-4)
    assert bounds.upper(4, 4) == 1.0
    assert bounds.lower(4, 4) == pytest.approx(0.05 ** (1 / 4))
    assert bounds.lower(0, 4) == 0.0


def test_a_task_has_every_cost_with_both_signs_and_the_true_ratio_is_exact(bench):
    ab, bundle = bench("ab"), bench("bundle")
    costs = bundle.injected(ab.COSTS, 3)
    assert sorted(costs.values()) == sorted(sign * cost for cost in ab.COSTS for sign in (1, -1))
    assert costs != bundle.injected(ab.COSTS, 4)
    assert ab.true_ratio(0.07) == pytest.approx(-math.log(107 / 100))
    assert ab.true_ratio(-0.07) == pytest.approx(math.log(107 / 100))
    assert "range(107)" in bundle.files({"heap": 0.07})["lib.py"]


def test_power_bias_and_coverage_of_made_up_rows(bench):
    ab = bench("ab")
    true = ab.true_ratio(-0.1)
    near, far = [true - 0.01, true + 0.01], [true + 0.01, true + 0.02]
    rows = [
        {"decision": "faster", "log_ratio": true, "interval": near, "visits": [0.1] * 4},
        {"decision": "same", "log_ratio": true + 0.02, "interval": far, "visits": [0.1]},
    ]
    assert ab.bias(rows, true) == pytest.approx(math.expm1(0.01))
    assert ab.coverage(rows, true) == 0.5
    assert "50.0%" in ab.row_of(-0.1, rows)


def rows(way, seconds, decisions):
    """Two tasks of one way, each with these (cost, decision)."""
    return [
        {"way": way, "seed": seed, "seconds": seconds, "cost": cost, "decision": decision}
        for seed in (1, 2)
        for cost, decision in decisions
    ]


def test_a_way_s_score_counts_seconds_false_calls_and_what_it_finds_in_the_right_direction(bench):
    peers, bounds = bench("peers"), bench("bounds")
    told = [(0.0, "same"), (-0.0, "slower"), (0.1, "slower"), (-0.1, "slower"), (0.1, "missing")]
    score = peers.score(rows("asv continuous", 8.0, told))
    assert (score.trials, score.undecided) == (2, 2)
    assert score.seconds == pytest.approx(16 / 8)
    assert score.false == (2, 4, bounds.upper(2, 4))
    assert score.found == (2, 6, bounds.lower(2, 6))


def test_a_way_without_one_verdict_has_no_score(bench):
    with pytest.raises(ValueError, match="not one verdict"):
        bench("peers").score(rows("asv continuous", 8.0, [(0.0, "missing")]))


def test_three_ratios_are_held_to_what_is_asked(bench):
    peers = bench("peers")
    ours = peers.score(rows("truelap", 1.0, [(0.0, "same"), (0.1, "slower")]))
    bad = peers.score(rows("asv continuous", 5.0, [(0.0, "faster"), (0.1, "same")]))
    seconds, false, power = peers.against(ours, bad)
    assert seconds.met
    assert seconds.value == pytest.approx(5.0)
    assert false.met
    assert false.value == 0.0
    assert false.bound > 1
    assert power.met
    assert power.value is None
    assert [one.met for one in peers.against(ours, ours)] == [False, False, False]


def test_the_table_names_every_way_and_ours_first(bench):
    peers = bench("peers")
    found = peers.scores(
        rows("asv continuous", 5.0, [(0.0, "faster"), (0.1, "slower")])
        + rows("truelap", 1.0, [(0.0, "same"), (0.1, "slower")])
    )
    lines = peers.table(found)
    assert lines[1].startswith("truelap ")
    assert lines[2].startswith("asv continuous ")
    assert lines[3] == "truelap against asv continuous:"
    assert [line.rpartition(": ")[2] for line in lines[4:]] == ["met", "met", "NOT met"]


def test_rounds_are_paired_and_dropped_when_too_few_of_them_are_usable(bench):
    abba = bench("abba")
    base, candidate = [1.1, None, 1.1, 1.2, 1.1], [1.0, 1.0, 1.0, 1.0, None]
    assert abba.pairs(base, candidate) == pytest.approx([math.log(1.1), math.log(1.1), math.log(1.2)])
    assert abba.pairs([None, None, None, 1.0, 1.0], [1.0] * 5) == []
    assert abba.call(abba.pairs(base, candidate)) == "faster"
    assert abba.call([-0.06, -0.06, 0.5]) == "slower"
    assert abba.call([]) == "missing"


def test_a_round_times_both_trees_and_puts_them_back(bench, tmp_path):
    abba, bundle, experiment = bench("abba"), bench("bundle"), bench("experiment")
    sides = [experiment.written(tmp_path / name, bundle.files({})) for name in ("base", "candidate")]
    times = abba.passed(experiment.Project(*sides), ["b.time_words"], rounds=1)
    assert all(found["b.time_words"][0] > 0 for found in times)
    assert sorted(tmp_path.iterdir()) == sides
    assert abba.passed(experiment.Project(*sides), ["b.time_none"], rounds=1)[0] == {"b.time_none": [None]}


@pytest.mark.parametrize(
    ("first", "second", "both"),
    [
        ("same", None, "same"),
        ("faster", "faster", "faster"),
        ("faster", "slower", "same"),
        ("slower", "missing", "missing"),
    ],
)
def test_a_call_stands_where_both_passes_make_it(bench, first, second, both):
    assert bench("abba").confirmed(first, second) == both


def test_asv_s_table_is_read(bench):
    said = """
| Change   | Before [0ebfc978] <main~1>   | After [7c32b3a5] <main>   | Ratio   | Benchmark (Parameter)   |
|----------|------------------------------|---------------------------|---------|-------------------------|
| +        | 338±2μs                      | 557±8μs                   | 1.65    | b.time_chains           |
| -        | 482±2μs                      | 374±2μs                   | 0.78    | b.time_document         |
| !        | 482±2μs                      | failed                    | n/a     | b.time_heap             |

SOME BENCHMARKS HAVE CHANGED SIGNIFICANTLY.
"""
    assert bench("continuous").changes(said) == {"b.time_chains": "slower", "b.time_document": "faster"}
