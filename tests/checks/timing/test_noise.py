"""What a machine lets timing tell: by visits that are made up, and by a real look at this one."""

import json
import sys
from pathlib import Path
from random import Random

import pytest

from truelap.checks.timing.noise import LAPS, measure
from truelap.checks.timing.resolving import resolve, shifted, spread
from truelap.policy import load_policy
from truelap.settings import Settings

from .test_decide import visit

POLICY = load_policy()


def found(*ratios, margin=0.05):
    rules = POLICY.time.model_copy(update={"margin": margin})
    return resolve([visit(ratio) for ratio in ratios], rules, Random(1))


def test_on_a_quiet_machine_the_margin_alone_is_in_the_way():
    resolves, wrong = found(*[1.0] * 12)
    assert 0.05 < resolves < 0.056
    assert wrong == 0


def test_noise_adds_to_the_margin():
    quiet, _ = found(*[0.99, 1.0, 1.01] * 6)
    loud, _ = found(*[0.9, 1.0, 1.1] * 6)
    assert None not in {quiet, loud}
    assert 0.055 < quiet < 0.08
    assert 0.12 < loud < 0.25


def test_decisions_on_identical_code_that_see_a_change_are_counted():
    _, wrong = found(*[1.2] * 12)
    assert wrong == 1
    assert spread([visit(0.8), visit(1.0), visit(1.25)]) == pytest.approx(0.25)


def test_where_nothing_can_be_told_that_is_said():
    resolves, _ = found(*[0.3, 3.0] * 6)
    assert resolves is None


def test_a_change_is_put_into_all_clocks():
    made = shifted(visit(1.0), 0.1).effect
    assert made.log_ratio == pytest.approx(0.1)
    assert made.check == pytest.approx(0.1)
    assert made.elapsed == pytest.approx(0.1)


def test_this_machine_is_measured_by_the_real_instrument(tmp_path):
    settings = Settings(python=Path(sys.executable), seed=1, slots=tmp_path)
    noise = measure(POLICY, settings, seconds=0.1)
    data = json.loads(json.dumps(noise.as_data()))
    assert data["taken"] == LAPS
    assert data["slot"]["cores"]
    # Which changes it can tell is the machine's affair, and a busy one tells few.
    assert data["resolves"] is None or data["resolves"] > POLICY.time.margin
    assert noise.told.startswith("Noise: ")
    assert "\n" not in noise.told
