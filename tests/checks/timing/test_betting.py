"""Bets, what they must win among many, and the interval of a few visits."""

import math
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from truelap.checks.timing.betting import Proof, at_least, borne_chance, needed, winnings
from truelap.checks.timing.interval import visit_interval


@given(st.integers(0, 8), st.floats(0.01, 0.5))
def test_a_bet_on_chance_alone_wins_nothing_in_the_mean(visits, chance):
    mean = sum(
        math.comb(visits, hits)
        * chance**hits
        * (1 - chance) ** (visits - hits)
        * winnings([True] * hits + [False] * (visits - hits), chance)
        for hits in range(visits + 1)
    )
    assert mean == pytest.approx(1.0)


@given(st.lists(st.floats(0, 1e6), min_size=1, max_size=30))
def test_the_best_pass_together_or_none(evidence):
    least = needed(evidence, 0.05)
    if least is None:
        assert all(
            value * count < len(evidence) / 0.05 for count, value in enumerate(sorted(evidence)[::-1], 1)
        )
    else:
        passed = sum(value >= least for value in evidence)
        assert least == pytest.approx(len(evidence) / 0.05 / passed)


def test_false_discoveries_are_as_few_as_the_level_says():
    draw, shares = Random(5), []
    for _ in range(400):
        # Ten of twenty have something to show, five visits each; the others are beyond the margin as often as chance may be.
        rates = [0.9] * 10 + [0.05] * 10
        evidence = [winnings([draw.random() < rate for _ in range(5)], 0.05) for rate in rates]
        least = needed(evidence, 0.05)
        passed = [number for number, value in enumerate(evidence) if least is not None and value >= least]
        shares.append(sum(number >= 10 for number in passed) / max(1, len(passed)))
    assert sum(shares) / len(shares) < 0.05


def test_a_change_needs_visits_and_evidence():
    strong = {"faster": 1157.0, "needed": 480.0, "least": 3}
    assert Proof(**strong, visits=3).claim == "faster"
    assert Proof(**strong, visits=2).claim == "same"
    assert Proof(**strong | {"needed": None}, visits=3).claim == "same"
    assert Proof(**strong, slower=1157.0, visits=3).claim == "slower", "a loss goes first"


@pytest.mark.parametrize(
    ("hits", "visits", "chance"),
    [
        (0, 0, 0.05),
        (1, 1, 0.05),
        (1, 3, 0.05),
        (2, 3, 0.1),
        (3, 3, 0.2),
        (4, 4, None),
        (6, 8, None),
        (2, 20, 0.05),
    ],
)
def test_base_beside_itself_says_what_chance_does(hits, visits, chance):
    assert borne_chance((0.05, 0.1, 0.2), hits, visits) == chance


def test_so_many_hits_or_more():
    assert at_least(2, 3, 0.1) == pytest.approx(0.028)


@pytest.mark.parametrize(("visits", "half"), [(1, 0.0694), (2, 0.0406), (3, 0.0346), (8, 0.0141)])
def test_the_interval_of_visits_that_agree(visits, half):
    low, high = visit_interval([0.1] * visits)
    assert (low + high) / 2 == pytest.approx(0.1)
    assert (high - low) / 2 == pytest.approx(half, rel=0.02)
