"""Other numbers and texts that stand to each other as those before: what is equal stays equal, what is less stays less.

Functions may ask for ascending input, or for names that differ; a caller that breaks this proves nothing about them. Pure.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

Number = int | float
_TRIES = 8


def numbers(wholes: Mapping[Number, bool], other: Callable[[Number], Number]) -> dict[Number, Number]:
    """Others for numbers without their signs; the order holds with the signs put back.

    Args:
        wholes: the numbers, and of each whether it has to be an integer.
        other: what is wanted for one; itself, to leave it.

    Returns:
        By number; empty when there is no room for them.
    """
    try:
        return _ascending(wholes, other)
    except OverflowError:  # integers that no float can hold, beside floats
        return {}


def _ascending(wholes: Mapping[Number, bool], other: Callable[[Number], Number]) -> dict[Number, Number]:
    found: dict[Number, Number] = {}
    old, last = 0, -1  # type: Number, Number
    for value in sorted(wholes):
        new = other(int(value) if wholes[value] else value)
        if new <= last:
            # What does not fit between its neighbours stays as far from the one before, or as near as integers can.
            near = max(int(value) + (new != value), math.floor(last) + 1)
            new = near if wholes[value] else last + (value - old)
        if new <= last or new == math.inf != value:
            return {}
        found[value] = new
        old, last = value, new
    return found


def texts(displays: Iterable[Iterable[Any]], other: Callable[[Any, int], Any]) -> dict[Any, Any]:
    """Others for texts, or bytes, that stand together. They only move up, the last one first: so there is always room to stay.

    Args:
        displays: texts between which the order has to hold; one text may stand in several.
        other: another for one, and for each attempt; itself, to leave it.
    """
    above: dict[Any, set[Any]] = {}
    for display in displays:
        row = sorted({*display})
        for text, following in zip(row, [*row[1:], None], strict=True):
            above.setdefault(text, set()).update(() if following is None else (following,))
    found: dict[Any, Any] = {}
    for text in sorted(above, reverse=True):
        limits = [found[following] for following in above[text]]
        fits = (new for new in (other(text, attempt) for attempt in range(_TRIES)) if text < new)
        found[text] = next((new for new in fits if all(new < limit for limit in limits)), text)
    return found
