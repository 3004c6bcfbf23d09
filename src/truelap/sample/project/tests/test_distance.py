import pytest

from wordmill import closest, edit_distance


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [("", "", 0), ("", "abc", 3), ("mill", "mill", 0), ("kitten", "sitting", 3), ("flaw", "lawn", 2), ("ab", "ba", 2)],
)
def test_edit_distance(a, b, expected):
    assert edit_distance(a, b) == expected
    assert edit_distance(b, a) == expected


def test_the_closest_word():
    assert closest("mil", ["hill", "mill", "mile"]) == "mill"


def test_an_empty_vocabulary_is_an_error():
    with pytest.raises(ValueError):
        closest("a", [])
