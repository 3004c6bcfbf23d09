import pytest

from tallybook import peaks, running
from tallybook._checks import same


def test_running_sums(rainfall):
    same(running(rainfall, 3), [15, 19, 19, 12, 14, 15])


def test_a_width_of_one_changes_nothing():
    same(running([4, 2], 1), [4, 2])


def test_a_width_beyond_the_end():
    assert running([1, 2], 5) == []


def test_no_width():
    with pytest.raises(ValueError):
        running([1], 0)


def test_peaks(rainfall):
    assert peaks(rainfall) == [2, 6]


def test_the_sum_of_all(rainfall):
    [37].index(*running(rainfall, 8))
