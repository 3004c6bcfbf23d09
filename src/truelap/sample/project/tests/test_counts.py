import pytest

from wordmill import frequencies, hapaxes, top, words


def test_counts_stand_in_order_of_first_occurrence():
    assert frequencies(["b", "a", "b", "c", "a", "b"]) == [("b", 3), ("a", 2), ("c", 1)]


def test_nothing_has_no_counts():
    assert frequencies([]) == []


def test_equal_counts_stand_by_alphabet():
    assert top(["b", "a", "c", "b", "a"], 2) == [("a", 2), ("b", 2)]


def test_top_of_a_story(story):
    assert top(words(story), 2) == [("the", 5), ("turns", 3)]


def test_a_negative_top_is_an_error():
    with pytest.raises(ValueError):
        top(["a"], -1)


def test_hapaxes_occur_once():
    assert hapaxes(["x", "y", "x", "z"]) == ["y", "z"]
