"""Encoded values as Python's own plain data, and comparisons that the judge makes itself."""

from __future__ import annotations

import base64
import math
import operator
from collections import OrderedDict
from decimal import Decimal
from fractions import Fraction
from itertools import chain
from typing import TYPE_CHECKING, Any

from truelap.values.codec import numbers_of, text_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

_DEPTH = 60
_LONGEST_RANGE = 1 << 20
_NAMING = ("o", "enum", "sub", "x", "again")
"""Tags that a type's name follows."""
_UNTOLD = ("big", "much", "up", "no")
"""Tags that say nothing of the type."""
_LONG = {"i": "int", "s": "str"}
"""Tags of what usually stands for itself."""
_DICTS = ("collections:Counter", "collections:defaultdict")
_SEQUENCES: dict[str, Callable[[list[Any]], Any]] = {
    "l": list,
    "t": tuple,
    "st": set,
    "fs": frozenset,
    "dk": frozenset,
}
_OPAQUE = ("o", "again", "m", "pt", "fn", "cls", "mod", "x", "up", "no")
"""Tags of what is told only in part: objects, functions, exceptions, and what was not encoded at all."""
_PARTS: dict[str, Callable[[list[Any]], Iterable[Any]]] = {
    **dict.fromkeys(("l", "t", "st", "fs", "dk", "dv", "di"), lambda value: value[1]),
    "d": lambda value: chain.from_iterable(value[1]),
    "dq": lambda value: value[2],
    "sub": lambda value: [value[2], *(part for _, part in value[3])],
    "ao": lambda value: value[4],
    "as": lambda value: [part for _, part in value[3]],
}
"""What an encoding of several parts holds."""
_OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "in": lambda left, right: left in right,
    "not in": lambda left, right: left not in right,
}


class NotPlainError(ValueError):
    """The encoded value has no counterpart that Python itself could compare."""


def holds(op: str, left: Any, right: Any) -> bool | None:
    """Apply a comparison to two encoded values, as Python would to the values they stand for.

    Args:
        op: `==`, `!=`, `<`, `<=`, `>`, `>=`, `in`, `not in`, `is` or `is not`.
        left: encoding of the left operand.
        right: encoding of the right operand.

    Returns:
        The truth of it, or None when the judge cannot say: objects with their own idea of equality, arrays, NaN inside
        containers (there Python asks for identity), identity of two values of one type other than None, True, False and the
        like.

    >>> holds("==", 1, ["f", "0x1.0p+0"]), holds("in", 3, ["l", [1, 2]]), holds("is", ["o", "m:C", [], None], None)
    (True, False, False)
    """
    if op in ("is", "is not"):
        same = _identical(left, right)
        return same if op == "is" or same is None else not same
    if op not in _OPERATORS:
        return None
    try:
        return bool(_OPERATORS[op](plain(left), plain(right)))
    except (ValueError, TypeError, LookupError, AttributeError, ArithmeticError, RecursionError):
        return None


def _singleton(value: Any) -> bool:
    return value is None or isinstance(value, bool) or (isinstance(value, list) and value[:1] == ["k"])


def _identical(left: Any, right: Any) -> bool | None:
    if _singleton(left) or _singleton(right):
        return type(left) is type(right) and bool(left == right)
    kinds = _type(left), _type(right)
    # One object has one type. Equal data of one type may be one object or two.
    return None if None in kinds or kinds[0] == kinds[1] else False


def _type(value: Any) -> str | None:
    """The type of an encoded value, None where it is not told."""
    if isinstance(value, int | str):
        return type(value).__name__
    if not isinstance(value, list) or not value:
        return None
    tag = str(value[0])
    if tag in _NAMING:
        return value[1] if len(value) > 1 and isinstance(value[1], str) else None
    return None if tag in _UNTOLD else _LONG.get(tag, tag)


def plain(value: Any) -> Any:
    """Decode an encoding of plain data.

    Raises:
        ValueError: it is no plain data (`NotPlainError`), or no encoding.
    """
    try:
        return _decode(value, 0)
    except ValueError:
        raise
    except (TypeError, LookupError, AttributeError, ArithmeticError, RecursionError) as error:
        # A hostile worker may send anything under a known tag.
        raise NotPlainError(f"no encoding: {type(error).__name__}") from error


def numbers(value: Any) -> list[complex] | None:
    """All numbers of an encoding in a row, whatever holds them; None where it holds anything else, or is too long to be told.

    >>> numbers(["l", [1, ["t", [["f", "0x1.0p+1"]]]]])
    [1, 2.0]
    """
    try:
        return list(_numbers(value))
    except (ValueError, TypeError, LookupError, AttributeError, ArithmeticError, RecursionError):
        return None


def _numbers(value: Any) -> Iterator[complex]:
    tag = value[0] if isinstance(value, list) else None
    if tag == "a":
        found = numbers_of(value[1], value[4])
        if found is None:
            raise NotPlainError("an array of something else")
        yield from map(complex, found[::2], found[1::2]) if value[1][1] == "c" else found
    elif tag in {"l", "t"}:
        for part in value[1]:
            yield from _numbers(part)
    elif tag == "sub":
        yield from _numbers(value[2])
    else:
        number = plain(value)
        if not isinstance(number, int | float | complex | Decimal | Fraction):
            raise NotPlainError("no number")
        yield number if isinstance(number, int | float | complex) else float(number)


def is_data(value: Any) -> bool:
    """Whether an encoding tells all there is: numbers, texts, arrays, and containers of these, however long.

    >>> is_data(["l", ["o", 1]]), is_data(["d", [["a", ["o", "m:C", [], None]]]])
    (True, False)
    """
    if not isinstance(value, list):
        return True
    try:
        parts = _PARTS[value[0]](value) if value[0] in _PARTS else ()
        return value[0] not in _OPAQUE and all(map(is_data, parts))
    except (TypeError, LookupError, ValueError, RecursionError):
        return False


def _decode(value: Any, depth: int) -> Any:
    if not isinstance(value, list):
        return value
    tag = value[0]
    if depth > _DEPTH or not isinstance(tag, str):
        raise NotPlainError("nested too deeply or no encoding")
    if tag in _SEQUENCES:
        return _SEQUENCES[tag]([_inside(item, depth) for item in value[1]])
    if tag == "d":
        return {_inside(key, depth): _inside(item, depth) for key, item in value[1]}
    if tag == "sub":
        return _subclass(value, depth)
    if tag in _LEAVES:
        return _LEAVES[tag](value)
    raise NotPlainError(f"{tag} is not plain")


def _inside(value: Any, depth: int) -> Any:
    found = _decode(value, depth + 1)
    if isinstance(found, float) and math.isnan(found):
        raise NotPlainError("NaN inside a container equals itself only by identity")
    return found


def _subclass(value: Any, depth: int) -> Any:
    content = _decode(value[2], depth + 1)
    if value[1] == "collections:OrderedDict":
        return OrderedDict(content)
    if value[1] in _DICTS:
        return content
    raise NotPlainError(f"{value[1]} may have its own equality")


def _numpy_scalar(value: Any) -> Any:
    numbers = numbers_of(value[1], value[2])
    if numbers is None:
        raise NotPlainError(f"{value[1]} is no number")
    return complex(*numbers) if value[1][1] == "c" else numbers[0]


def _whole(value: Any) -> int:
    found = plain(value)
    if type(found) is not int:
        # From a text, `Fraction` works out powers of ten that have no end.
        raise NotPlainError("a fraction of something else than whole numbers")
    return found


def _range(value: Any) -> range:
    found = range(*value[1:])
    if len(found) > _LONGEST_RANGE:
        raise NotPlainError("looking for a float in a range goes through all of it")
    return found


def _exact_value(value: Any) -> Any:
    if value[1] == "decimal":
        return Decimal(value[2])
    if value[1] == "fraction":
        return Fraction(_whole(value[2]), _whole(value[3]))
    raise NotPlainError(f"{value[1]} is not decoded")


_LEAVES: dict[str, Callable[[Any], Any]] = {
    "i": lambda value: int(value[1], 16),
    "f": lambda value: float.fromhex(value[1]),
    "c": lambda value: complex(float.fromhex(value[1]), float.fromhex(value[2])),
    "s": text_of,
    "b": lambda value: base64.b64decode(value[1], validate=True),
    "ba": lambda value: bytearray(base64.b64decode(value[1], validate=True)),
    "r": _range,
    "n": _numpy_scalar,
    "v": _exact_value,
}
