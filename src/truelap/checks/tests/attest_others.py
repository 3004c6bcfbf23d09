"""Another literal like a given one: of the same kind, shape and size, and near. Pure."""

from __future__ import annotations

import json
import re
import string
import unicodedata
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from truelap.checks.tests.attest_order import Number

_T = TypeVar("_T")
_SMALL, _BIG = 7, 64
_LONGEST_BITS = 8192
"""Of an integer; what is longer cannot be written in decimals everywhere."""
_HUGE_FLOAT = 1e307
_ALPHABETS = (string.ascii_lowercase, string.ascii_uppercase, string.digits)
_PLAIN = bytes([*b"\t\n\r", *range(0x20, 0x80)])
_HIGH = bytes(range(0x80, 0x100))
_NEAR = 64
"""How far from a letter beyond ASCII another may stand in Unicode."""
_TRIES = 12
# What gives a text its meaning as a pattern, a template or a path: escapes, directives, fields, blocks, classes, groups, quantifiers.
_KEPT = re.compile(
    r"""
      \\(?:N\{[^}]*\}|x[0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8}|g<\w+>|[pPk][{<]\w+[}>]|\d+|.)
    | %[0-9A-Fa-f]{2} | %(?:\(\w*\))?[-#0+\ ]*(?:\d+|\*)?(?:\.\d+)?[hlL]?[A-Za-z%]
    | \{\{.*?\}\} | \{%.*?%\} | \{[\w.\[\]]*(?:![rsa])?(?::(?:[^{}]|\{\w*\})*)?\} | \{\d*,\d*\}
    | \[\^?[^\]\s]*-[^\]\s]*\] | \(\?P?[<=!:]=?\w*[>)]? | \(\?[a-zA-Z-]+[:)]
    """,
    re.VERBOSE | re.DOTALL,
)
_SPECIAL = frozenset("%{\\")
# Of a JSON text: a name with its colon, the inside of a value, a number without its exponent.
_JSON = re.compile(r""""(?:[^"\\]|\\.)*"(?P<name>\s*:)?|(?P<number>-?\d+(?:\.\d+)?)(?:[eE][-+]?\d+)?""")
_JSON_ESCAPE = re.compile(r"\\(?:u[0-9A-Fa-f]{4}|.)")


def other_value(value: object, drawn: int) -> Any:
    """Another literal of the same type; the same where there is none.

    >>> other_value(b"Hello", 1), other_value(2j, 3), other_value(True, 1)
    (b'Hfllo', 2.125j, True)
    """
    if type(value) is int or type(value) is float:
        return other_number(value, drawn)
    if type(value) is complex:
        return complex(value.real, other_number(value.imag, drawn))
    if type(value) is str:
        return other_text(value, drawn)
    return other_bytes(value, drawn) if type(value) is bytes else value


def other_number(value: Number, drawn: int) -> Number:
    """Another number without a sign, of the same type; the same where it is too large for that."""
    if isinstance(value, int):
        return _other_int(value, drawn) if value.bit_length() <= _LONGEST_BITS else value
    return _other_float(value, drawn) if value < _HUGE_FLOAT else value


def _other_int(value: int, drawn: int) -> int:
    if value <= 1:
        return value + 1 + drawn % 2
    if value <= _SMALL:
        return value - 1 if drawn % 3 == 0 else value + drawn % 3
    # One more of a dozen things in every order is a dozen times as many: from here on less is asked for.
    if value <= _BIG:
        return value - 1 - drawn % 2
    return value - 1 - drawn % (value // 16)


def _other_float(value: float, drawn: int) -> float:
    return value * (1 + (drawn % 15 + 1) / 64) if value else 0.25 + drawn % 8 / 16


def other_bytes(value: bytes, drawn: int) -> bytes:
    r"""Bytes of the same number: a text's by the rule of texts, of others one of those that are no text.

    >>> other_bytes(b"a-B", 0), other_bytes(b"\x00\xff", 1), other_bytes(b"--", 3)
    (b'b-B', b'\x00\x81', b'--')
    """
    try:
        other, odd = other_text(value.decode(), drawn).encode(), value.translate(None, _PLAIN + _HIGH)
    except UnicodeDecodeError:
        other, odd = value, value.translate(None, _PLAIN)
    places = [place for place, byte in enumerate(value) if byte in odd]
    if other != value or not places:
        return other
    place = places[drawn % len(places)]
    kind = range(0x80, 0x100) if value[place] in _HIGH else range(1, 9)
    return value[:place] + bytes([_another(value[place], kind, drawn)]) + value[place + 1 :]


def other_text(value: str, drawn: int) -> str:
    r"""A text like `value`, with another letter or digit; the same where none may be changed.

    What is JSON stays JSON of the same shape, with the same names; what can be formatted or compiled can still be.

    >>> other_text("abc", 0), other_text("αβγ", 0), other_text(r"\d+ %s {x} a", 5), other_text("--", 1)
    ('bbc', 'ββγ', '\\d+ %s {x} b', '--')
    >>> other_text('{"a": [1, "x"]}', 0)
    '{"a": [2, "x"]}'
    """
    if value.lstrip()[:1] in ("{", "[") and (shape := _shape(value)) is not None:
        for places in (_in_values(value), _places(value)):
            if other := next((new for new in _others(value, places, drawn) if _shape(new) == shape), None):
                return other
        return value
    places = _places(value)
    if not _SPECIAL.isdisjoint(value):
        kept = {place for found in _KEPT.finditer(value) for place in range(*found.span())}
        places = [place for place in places if place not in kept]
    return next(_others(value, places, drawn), value)


def _others(value: str, places: Sequence[int], drawn: int) -> Iterator[str]:
    for attempt in range(_TRIES if places else 0):
        place = places[(drawn + attempt) % len(places)]
        letter = _another(value[place], _alphabet(value[place]), (drawn >> 16) + attempt)
        yield value[:place] + letter + value[place + 1 :]


def _another(item: _T, kind: Sequence[_T], drawn: int) -> _T:
    """Another item of a kind; `item` need not be one itself."""
    if item not in kind:
        return kind[drawn % len(kind)]
    return kind[(kind.index(item) + 1 + drawn % (len(kind) - 1)) % len(kind)]


def _places(value: str) -> list[int]:
    """Where letters and digits stand that have others like them, and no mark above them."""
    found = [place for place, letter in enumerate(value) if letter.isalnum() and _alphabet(letter)]
    if value.isascii():
        return found
    return [place for place in found if not unicodedata.combining(value[place + 1 : place + 2] or " ")]


@lru_cache(maxsize=4096)
def _alphabet(letter: str) -> str:
    """Letters or digits like this one, and itself; "" where there are no others."""
    if letter.isascii():
        return next((kind for kind in _ALPHABETS if letter in kind), "")
    code = ord(letter)
    if letter.isdecimal():
        zero = code - unicodedata.decimal(letter)
        return "".join(map(chr, range(zero, zero + 10)))
    if not letter.isalpha():
        return ""
    kin = _kin(letter)
    near = map(chr, range(max(code - _NEAR, 0x80), code + _NEAR))
    found = "".join(other for other in near if other.isalpha() and _kin(other) == kin)
    return found if len(found) > 1 else ""


def _kin(letter: str) -> tuple[object, ...]:
    """What letters have in common that may stand for each other: script, case, width, direction, length when encoded."""
    return (
        unicodedata.name(letter, "").partition(" ")[0],
        unicodedata.category(letter),
        unicodedata.bidirectional(letter),
        unicodedata.east_asian_width(letter),
        bool(unicodedata.decomposition(letter)),
        letter.lower().upper() == letter.upper() and letter.upper().lower() == letter.lower(),
        len(letter.encode("utf-8", "replace")),
        letter <= "\xff",
    )


def _shape(text: str) -> object | None:
    """Of a JSON document the kinds of its parts, without names; None where it is none."""
    try:
        return _kinds(json.loads(text))
    except (ValueError, RecursionError):
        return None


def _kinds(document: object) -> object:
    if isinstance(document, dict):
        return tuple(("name", _kinds(value)) for value in document.values())
    return [_kinds(value) for value in document] if isinstance(document, list) else type(document).__name__


def _in_values(text: str) -> list[int]:
    """Letters and digits of a JSON document that belong to no name, exponent or escape."""
    found: set[int] = set()
    for part in _JSON.finditer(text):
        start, end = part.span("number") if part["number"] else part.span()
        if part["name"] is None:
            found.update(range(start, end))
            escapes = _JSON_ESCAPE.finditer(text, start, end)
            found.difference_update(*(range(*escape.span()) for escape in escapes))
    return [place for place in _places(text) if place in found]
