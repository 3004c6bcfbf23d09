"""The parameters of a benchmark are base's: where the suite takes them from the product, a patch could make them smaller. Pure."""

from __future__ import annotations

from itertools import zip_longest
from typing import Any

Values = tuple[tuple[tuple[str, str], ...], ...]
"""Every value, axis by axis: of what kind it is, and what is printed of it."""


def read_values(told: Any) -> Values:
    """The values that a worker says it has.

    Raises:
        ValueError: they have another form.

    >>> read_values([[["int", "1000"]]])
    ((('int', '1000'),),)
    """
    try:
        found = tuple(tuple((kind, shown) for kind, shown in axis) for axis in told)
    except (TypeError, ValueError) as error:
        raise ValueError("parameters in a form that is not known") from error
    if not all(type(part) is str for axis in found for pair in axis for part in pair):
        raise ValueError("parameters in a form that is not known")
    return found


def other_values(base: Values, again: Values, candidate: Values) -> str | None:
    """What the candidate has in place of base's parameters; None where they are base's.

    Of a value that base itself does not print alike in two workers only the kind counts.

    Args:
        base: as base's worker has them, started like the candidate's.
        again: as another worker of base's has them.
        candidate: as the candidate's worker says.

    >>> told = ((("int", "1000"), ("int", "2000")),)
    >>> other_values(told, told, ((("int", "1000"), ("int", "20")),))
    "the benchmark's parameters are not those of base: 20, not 2000"
    """
    for axis, known, found in zip_longest(base, again, candidate, fillvalue=()):
        for ours, same, theirs in zip_longest(axis, known, found):
            if ours is None or theirs is None:
                return "the benchmark's parameters are not those of base: another number of them"
            if ours[0] != theirs[0] or (ours == same and ours != theirs):
                return f"the benchmark's parameters are not those of base: {_text(theirs, ours)}, not {_text(ours, theirs)}"
    return None


def _text(value: tuple[str, str], other: tuple[str, str]) -> str:
    kind, shown = value
    return " ".join((f"{kind} {shown}" if kind != other[0] or shown == other[1] else shown).split())[:100]
