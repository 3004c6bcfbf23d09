"""Objects that one value holds more than once are told once: finds what was told of them. Pure.

A patch may share what base does not, and the other way round; but what stands there must be the same object in other words.
"""

from __future__ import annotations

from typing import Any

_LABEL_AT = 4
_LONGEST = 200_000


class Told:
    """What was told of the objects of one value that are met again, by number.

    Args:
        value: its encoding.
    """

    def __init__(self, value: Any) -> None:
        self._value = value
        self._found: dict[int, Any] | None = None

    def of(self, part: Any) -> Any:
        """What a part of the value stands for: itself, or what was told of it before; None where that is not to be seen."""
        if not isinstance(part, list) or part[:1] != ["again"]:
            return part
        if self._found is None:
            self._found = dict(_labelled(self._value))
        label = part[2] if len(part) > 2 else None  # noqa: PLR2004 - see probes/encode.py
        return self._found.get(label) if type(label) is int else None


class Sharing:
    """Both sides of one comparison.

    Args:
        base: its encoding.
        candidate: likewise.
    """

    def __init__(self, base: Any, candidate: Any) -> None:
        self._sides = Told(base), Told(candidate)
        self._met: set[tuple[int, int]] = set()
        self._spent = [0]

    def apart(self) -> Sharing:
        """The same two sides, for a comparison whose outcome says nothing of the whole."""
        other = Sharing(None, None)
        other._sides, other._spent = self._sides, self._spent
        return other

    def pair(self, base: Any, candidate: Any) -> tuple[Any, Any] | None:
        """What is to be compared in place of two parts; None where that was done before.

        Raises:
            ValueError: that is without end.
        """
        left, right = self._sides[0].of(base), self._sides[1].of(candidate)
        if left is None or right is None:
            return base, candidate
        if (id(left), id(right)) in self._met:
            return None
        self._spent[0] += 1
        if self._spent[0] > _LONGEST:
            raise ValueError("more references than a true encoding has")
        self._met.add((id(left), id(right)))
        return left, right


def _labelled(value: Any) -> list[tuple[int, Any]]:
    found: list[tuple[int, Any]] = []
    left = [value]
    while left:
        part = left.pop()
        if not isinstance(part, list):
            continue
        # The number stands where no value of the project's can put one: a list of its own is told inside of another.
        if len(part) == _LABEL_AT + 1 and part[0] == "o" and _is_label(part[_LABEL_AT]):
            found.append((part[_LABEL_AT][1], part))
        left += part
    return found


def _is_label(part: Any) -> bool:
    return isinstance(part, list) and len(part) == 2 and part[0] == "label" and type(part[1]) is int  # noqa: PLR2004
