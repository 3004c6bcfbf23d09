"""What workers may claim: JSON of any kind, encodings of values, and messages of the right form or with one thing wrong."""

from __future__ import annotations

import json
import re
import struct

from hypothesis import strategies as st

# What a JSON reader may make of any text, and what only Python's would: numbers without end, lone surrogates.
LEAVES = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=5)
    | st.sampled_from([1 << 70, -(10**4299), "\ud800", "\0", "", float("inf")])
)
JSON = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=12,
)
# Python's own reader goes about a thousand deep: what it lets through must not be too deep for whoever comes next.
DEEP = st.integers(200, 990).map(lambda depth: f"<{depth} deep>")


def text_of(message) -> str:
    """A message as JSON; what stands for something deep becomes that."""
    return re.sub(
        '"<([0-9]+) deep>"', lambda found: "[" * int(found[1]) + "]" * int(found[1]), json.dumps(message)
    )


def framed(message) -> bytes:
    """A message as it is sent."""
    body = text_of(message).encode()
    return struct.pack(">I", len(body)) + body


def messages(forms):
    """Any message of the right form.

    Args:
        forms: for each type, what its other fields may hold.
    """
    return st.one_of(
        [st.fixed_dictionaries({"type": st.just(kind), **fields}) for kind, fields in forms.items()]
    )


@st.composite
def spoilt(draw, right):
    """A message with one thing wrong."""
    message = dict(draw(right))
    key = draw(st.sampled_from([*message, "extra"]))
    if draw(st.booleans()):
        message[key] = draw(JSON | DEEP)
    else:
        message.pop(key, None)
    return message


TAGS = [
    "l",
    "t",
    "st",
    "fs",
    "d",
    "f",
    "c",
    "s",
    "b",
    "x",
    "o",
    "sub",
    "big",
    "no",
    "a",
    "n",
    "cls",
    "i",
    "again",
    "up",
]
ENCODINGS = st.recursive(
    LEAVES,
    lambda inner: st.builds(
        lambda tag, rest: [tag, *rest],
        st.sampled_from(TAGS),
        st.lists(inner | st.lists(inner, max_size=3), max_size=4),
    ),
    max_leaves=8,
)
GOOD = st.sampled_from(
    [
        *(
            None,
            True,
            3,
            "x",
            ["f", "0x1.8p+1"],
            ["l", [1, 2]],
            ["t", ["printed", "3\n", ["l", ["ELLIPSIS"]]]],
            ["t", ["iterator", "lazy", ["l", [1, ["f", "0x1p-1"]]], None]],
        ),
        *(["d", [["a", 1]]], ["x", "builtins:ValueError", ["no"]], ["o", "m:C", [], None]),
        *(["t", ["raised", "ValueError: no\n", ["l", []]]], ["st", [1, 2]], ["big", "l", 9, "ab", "cd"]),
    ]
)
# What Python would take for ever to work out, or to look through.
ENDLESS = st.sampled_from(
    [
        *(["r", 0, 1 << 60, 1], ["v", "fraction", "1e999999999", None], ["v", "decimal", "1e999999999"]),
        *(["i", "f" * 3000], ["sub", "collections:OrderedDict", ["r", 0, 1 << 60, 1], []], ["f", "0x1p-1"]),
    ]
)
ANY = st.one_of(JSON, ENCODINGS, GOOD, ENDLESS, DEEP)
"""Encodings, of which some are none."""
