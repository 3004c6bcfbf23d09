"""The arithmetic of timing, on numbers whose answers are known."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from truelap.stats import (
    Cost,
    Effect,
    Pair,
    borne_out,
    effect_of,
    is_impossible,
    log_ratio,
    loses_time,
    median_interval,
    next_calls,
    quantile,
    speedup,
    stray_limit_s,
)


def pair(base, candidate, base_wall=None, candidate_wall=None):
    return Pair(Cost(base, base_wall or base), Cost(candidate, candidate_wall or candidate))


def effect(value, check=None, clock="cpu"):
    return Effect(value, value if check is None else check, clock)


def test_the_effect_is_the_median_of_pair_ratios_not_the_ratio_of_medians():
    # A slow moment of the machine doubles both halves of three pairs: each pair still says two.
    pairs = [pair(2.0, 1.0), pair(4.0, 2.0), pair(2.0, 1.0), pair(4.0, 2.0), pair(4.0, 2.0)]
    assert effect_of(pairs, 0.0) == Effect(math.log(2), math.log(2), "cpu", math.log(2))


def test_one_wild_pair_moves_nothing():
    pairs = [pair(1.0, 1.0)] * 6 + [pair(1000.0, 1.0)]
    assert effect_of(pairs, 0.0).log_ratio == 0.0


def test_wall_is_read_from_pairs_that_nothing_disturbed():
    # The candidate lost its core in two of four samples; CPU does not notice, and neither may the wall check.
    calm, lost = pair(2.0, 1.0), pair(2.0, 1.0, 2.0, 9.0)
    assert effect_of([calm, lost, calm, lost, lost], 0.0).check == math.log(2)


def test_work_in_processes_that_the_cpu_clock_missed_shows_in_wall():
    # Every candidate sample waits: no pair is calm, so all of them speak.
    hidden = [pair(2.0, 0.1, 2.0, 2.0)] * 8
    seen = effect_of(hidden, 0.0)
    assert seen.log_ratio == pytest.approx(math.log(20))
    assert seen.check == 0.0
    assert not borne_out([seen], 0.05)


def test_a_benchmark_that_waits_at_base_is_judged_by_wall():
    waiting = [pair(0.001, 0.001, 0.010, 0.005)] * 8
    assert effect_of(waiting, 0.9) == Effect(math.log(2), 0.0, "wall", math.log(2))
    assert borne_out([effect_of(waiting, 0.9)], 0.05)


def test_a_base_that_stands_in_line_for_its_core_is_still_judged_by_cpu():
    assert effect_of([pair(1.0, 1.0, 3.0, 3.0)] * 6, 0.05).clock == "cpu"


def test_a_base_whose_best_samples_compute_all_the_time_is_judged_by_cpu():
    pairs = [pair(1.0, 1.0, 3.0, 3.0)] * 4 + [pair(1.0, 1.0)] * 2
    assert effect_of(pairs, 0.5).clock == "cpu"


@pytest.mark.parametrize(
    ("shown", "check", "clock", "holds"),
    [
        (1.0, 0.5, "cpu", True),
        (1.0, 0.49, "cpu", False),
        (1.0, -1.0, "cpu", False),
        (-1.0, -0.5, "cpu", True),
        (-1.0, 0.0, "cpu", False),
        (1.0, 0.0, "wall", True),
        (1.0, -0.04, "wall", True),
        (1.0, -0.06, "wall", False),
    ],
)
def test_the_second_clock_must_agree(shown, check, clock, holds):
    assert borne_out([effect(shown, check, clock)], 0.05) is holds


def test_stray_work_is_measured_against_the_saving_that_is_claimed():
    # Three times faster over 48 ms claims 96 ms saved.
    assert stray_limit_s(math.log(3), 0.048) == pytest.approx(0.001 + 0.048)
    assert stray_limit_s(-1.0, 0.048) == 0.001


def test_nothing_measured_is_no_gain():
    assert log_ratio(1.0, 0.0) == 0.0
    assert log_ratio(0.0, 1.0) == 0.0
    assert log_ratio(1.0, -1.0) == 0.0


@pytest.mark.parametrize(
    ("calls", "seconds", "most", "expected"),
    [
        (1, 0.001, 10**9, 4),
        (1, 0.00001, 10**9, 10),
        (100, 0.0, 10**9, 1000),
        (1, 20.0, 10**9, 1),
        (10, 0.001, 25, 25),
        (4, 0.004, 10**9, 4),
    ],
)
def test_calibration_grows_to_the_sample_length(calls, seconds, most, expected):
    assert next_calls(calls, seconds, 0.004, most) == expected


@pytest.mark.parametrize(
    ("count", "low", "high"),
    [(1, 1, 1), (2, 1, 2), (5, 1, 5), (6, 1, 6), (8, 1, 8), (9, 2, 8), (12, 3, 10), (15, 4, 12), (20, 6, 15)],
)
def test_the_interval_takes_the_textbook_ranks(count, low, high):
    assert median_interval([float(n) for n in range(1, count + 1)]) == (low, high)


@given(st.lists(st.floats(-5, 5), min_size=1, max_size=60))
def test_the_interval_holds_the_median_and_lies_within_the_values(values):
    low, high = median_interval(values)
    assert min(values) <= low <= quantile(values, 0.5) <= high <= max(values)


@given(st.lists(st.tuples(st.floats(1e-6, 10), st.floats(1e-6, 10)), min_size=1, max_size=30))
def test_swapping_the_sides_changes_the_sign_alone(costs):
    there = effect_of([pair(base, candidate) for base, candidate in costs], 0.0)
    back = effect_of([pair(candidate, base) for base, candidate in costs], 0.0)
    assert there.log_ratio == pytest.approx(-back.log_ratio)


def test_speedup_is_the_geometric_mean():
    assert speedup([math.log(8), 0.0, 0.0]) == pytest.approx(2.0)
    assert speedup([]) is None


def test_time_in_line_for_a_core_is_no_time_of_the_program():
    calm, crowded = Cost(1.0, 1.0, 1.0), Cost(1.0, 9.0, 1.0)
    assert effect_of([Pair(calm, crowded)] * 4, 0.0).elapsed == 0.0
    assert effect_of([Pair(calm, Cost(1.0, 3.0))] * 4, 0.0).elapsed == pytest.approx(-math.log(3))


@pytest.mark.parametrize(
    ("elapsed", "lost"), [((-0.1, -0.2, -0.1), True), ((-0.1, -0.04), False), ((0.5,), False)]
)
def test_time_is_lost_where_every_visit_loses_it(elapsed, lost):
    assert loses_time([Effect(0.0, 0.0, "cpu", value) for value in elapsed], 0.05) is lost


@pytest.mark.parametrize(
    ("cpu", "wall", "impossible"),
    [(9e-9, 9e-9, True), (9e-9, 1e-6, False), (1e-6, 9e-9, False), (11e-9, 11e-9, False)],
)
def test_a_call_costs_at_least_half_of_an_empty_one_on_one_clock(cpu, wall, impossible):
    assert is_impossible(Cost(cpu, wall), 20e-9) is impossible
