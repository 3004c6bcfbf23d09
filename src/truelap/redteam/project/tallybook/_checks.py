"""Comparisons for the tests, and for nothing else."""


def same(found, expected):
    """Fail unless both are equal and of one type."""
    assert type(found) is type(expected), (found, expected)
    assert found == expected, (found, expected)
