"""The encoder's format, as far as the judge writes or decodes it."""

from __future__ import annotations

import base64
import json
import struct
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

_LETTERS = {
    "b1": "?",
    "i1": "b",
    "u1": "B",
    "i2": "h",
    "u2": "H",
    "i4": "i",
    "u4": "I",
    "i8": "q",
    "u8": "Q",
} | {
    "f2": "e",
    "f4": "f",
    "f8": "d",
    "c8": "f",
    "c16": "d",
}

_SHOWN = 120


def canonical(value: Any) -> str:
    """The one text of an encoding: equal texts are equal values, `True` is not `1`.

    >>> canonical(True) == canonical(1)
    False
    """
    return json.dumps(value, separators=(",", ":"), check_circular=False)


def _text(value: str) -> Any:
    try:
        value.encode()
    except UnicodeEncodeError:
        return ["s", value.encode("utf-8", "surrogatepass").hex()]
    return value


def _integer(value: int) -> Any:
    return value if -(1 << 63) < value < 1 << 63 else ["i", hex(value)]


_SIMPLE: dict[Any, Callable[[Any], Any]] = {
    type(None): lambda value: value,
    bool: lambda value: value,
    type(...): lambda _: ["k", "Ellipsis"],
    str: _text,
    int: _integer,
    float: lambda value: ["f", value.hex()],
    complex: lambda value: ["c", value.real.hex(), value.imag.hex()],
    bytes: lambda value: ["b", base64.b64encode(value).decode()],
}
_SEQUENCES: dict[Any, str] = {list: "l", tuple: "t", set: "st", frozenset: "fs"}


def literal(value: Any) -> Any:
    """Encode a literal of a source text as the encoder in the sandbox would.

    Args:
        value: what `ast.literal_eval` gives.

    Raises:
        ValueError: for a type that no literal has.

    >>> literal((1, 2.5, "a", None))
    ['t', [1, ['f', '0x1.4000000000000p+1'], 'a', None]]
    """
    kind: Any = type(value)
    if kind in _SIMPLE:
        return _SIMPLE[kind](value)
    if kind in _SEQUENCES:
        items = [literal(item) for item in value]
        return [_SEQUENCES[kind], items if kind in (list, tuple) else sorted(items, key=canonical)]
    if kind is dict:
        return ["d", [[literal(key), literal(item)] for key, item in value.items()]]
    raise ValueError(f"{kind.__name__} is no literal")


def shortened(value: Any) -> str:
    """An encoding for a message."""
    said = value if isinstance(value, str) else canonical(value)
    return said if len(said) <= _SHOWN else f"{said[:_SHOWN]}..."


def text_of(value: Any) -> str | None:
    """The text that an encoding stands for, or None when it is no text."""
    if isinstance(value, str):
        return value
    if isinstance(value, list) and len(value) == 2 and value[0] == "s" and isinstance(value[1], str):  # noqa: PLR2004
        return bytes.fromhex(value[1]).decode("utf-8", "surrogatepass")
    return None


def numbers_of(dtype: str, data: str) -> tuple[Any, ...] | None:
    """The numbers of a numpy array or scalar; real and imaginary parts in turn; None for other dtypes.

    Args:
        dtype: numpy's `dtype.str`, such as `<f8`.
        data: the raw bytes in base64.

    Raises:
        ValueError: the data does not fit the dtype.
    """
    letter = _LETTERS.get(dtype[1:])
    if letter is None:
        return None
    order = ">" if dtype[0] == ">" else "<"
    raw = base64.b64decode(data, validate=True)
    count, rest = divmod(len(raw), struct.calcsize(order + letter))
    if rest:
        raise ValueError("bytes left over")
    return struct.unpack(f"{order}{count}{letter}", raw)
