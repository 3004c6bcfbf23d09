import pytest

from tallybook import median, mode, spread


@pytest.mark.parametrize(
    ("numbers", "expected"), [([7], 7), ([3, 1, 2], 2), ([4, 1, 3, 2], 2.5), ([0, 10], 5.0), ([2, 2, 9, 9], 5.5)]
)
def test_median(numbers, expected):
    assert median(numbers) == expected


def test_median_of_a_shared_series(rainfall):
    assert median(rainfall) == 4.0


def test_no_numbers_have_no_median():
    with pytest.raises(ValueError):
        median([])


def test_mode_is_the_first_of_equals():
    assert mode([1, 5, 5, 1, 3]) == 1


def test_spread(rainfall):
    assert spread(rainfall) == 3.5
    assert spread([1, 1, 1]) == 0
