"""The arithmetic of the timing benches: bounds, and costs whose ratio is known."""

import math
import sys
from pathlib import Path

import pytest

BENCH = Path(__file__).resolve().parents[1] / "bench"


@pytest.fixture
def bench(monkeypatch):
    monkeypatch.syspath_prepend(str(BENCH))
    import ab
    import bundle
    import experiment

    yield ab, bundle, experiment
    for name in ("ab", "bundle", "experiment"):
        sys.modules.pop(name)


def test_the_upper_bound_is_clopper_and_pearson_s(bench):
    _, _, experiment = bench
    assert experiment.upper(0, 1000) == pytest.approx(1 - 0.05 ** (1 / 1000))
    assert experiment.upper(3, 100) == pytest.approx(0.0757, abs=1e-4)
    assert experiment.upper(4, 4) == 1.0


def test_a_task_has_every_cost_with_both_signs_and_the_true_ratio_is_exact(bench):
    ab, bundle, _ = bench
    costs = bundle.injected(ab.COSTS, 3)
    assert sorted(costs.values()) == sorted(sign * cost for cost in ab.COSTS for sign in (1, -1))
    assert costs != bundle.injected(ab.COSTS, 4)
    assert ab.true_ratio(0.07) == pytest.approx(-math.log(107 / 100))
    assert ab.true_ratio(-0.07) == pytest.approx(math.log(107 / 100))
    assert "range(107)" in bundle.files({"heap": 0.07})["lib.py"]


def test_power_bias_and_coverage_of_made_up_rows(bench):
    ab, _, _ = bench
    true = ab.true_ratio(-0.1)
    near, far = [true - 0.01, true + 0.01], [true + 0.01, true + 0.02]
    rows = [
        {"decision": "faster", "log_ratio": true, "interval": near, "visits": [0.1] * 4},
        {"decision": "same", "log_ratio": true + 0.02, "interval": far, "visits": [0.1]},
    ]
    assert ab.bias(rows, true) == pytest.approx(math.expm1(0.01))
    assert ab.coverage(rows, true) == 0.5
    assert "50.0%" in ab.row_of(-0.1, rows)
