"""What counts as base's parameters. The workers' own side of it is tested in checks/timing and checks/outputs."""

import pytest

from truelap.workers.parameters import other_values, read_values

INTS = ((("int", "1000"), ("int", "2000")),)
THINGS = ((("object Thing", "<Thing 0x7f01>"),),)


@pytest.mark.parametrize(
    ("candidate", "told"),
    [
        ((("int", "1000"), ("int", "20")), "20, not 2000"),
        ((("int", "1000"), ("object N", "2000")), "object N 2000, not int 2000"),
        ((("int", "1000"),), "another number"),
        ((("int", "1000"), ("int", "2000"), ("int", "3")), "another number"),
    ],
)
def test_other_values_are_told(candidate, told):
    assert told in other_values(INTS, INTS, (candidate,))


def test_the_same_values_are_no_matter():
    assert other_values(INTS, INTS, INTS) is None
    assert other_values((), (), ()) is None


def test_of_what_base_prints_in_two_ways_the_kind_counts():
    again = ((("object Thing", "<Thing 0x7f02>"),),)
    assert other_values(THINGS, again, ((("object Thing", "<Thing 0x7f03>"),),)) is None
    assert "not object Thing" in other_values(THINGS, again, ((("object Other", "<Thing 0x7f03>"),),))


@pytest.mark.parametrize("told", [None, 1, [1], [[1]], [[["int"]]], [[["int", 1]]], [[["a", "b", "c"]]]])
def test_what_is_no_list_of_values_is_garbled(told):
    with pytest.raises(ValueError, match="form"):
        read_values(told)
