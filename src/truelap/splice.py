"""Insertions into a source text that keep every line and every other character where it was."""

from __future__ import annotations

import io
import re
import tokenize
from bisect import bisect_left
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import ast
    from collections.abc import Iterable

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")
_CONTINUED = re.compile(rb"[\x80-\xbf]")
"""Bytes of UTF-8 that begin no character."""


@dataclass(frozen=True)
class Text:
    """A source file as text, and how to get back to its bytes.

    Attributes:
        text: without byte order mark.
        encoding: of the file, by its cookie or byte order mark.
        starts: offset in `text` of each line, as Python's tokenizer sees them.
        extra: of each line in UTF-8, the places of the bytes that begin no character.
    """

    text: str
    encoding: str
    starts: tuple[int, ...]
    extra: tuple[tuple[int, ...], ...]

    def offset(self, line: int, column: int) -> int:
        """Where a position of the syntax tree (line from 1, column in UTF-8 bytes) stands in the text."""
        # Worked out once a line, not once a node: a line can hold a whole file.
        return self.starts[line - 1] + column - bisect_left(self.extra[line - 1], column)

    def span(self, node: ast.expr) -> tuple[int, int]:
        """Start and end of an expression, without the parentheses around it."""
        if node.end_lineno is None or node.end_col_offset is None:
            raise ValueError("a node without an end")
        return self.offset(node.lineno, node.col_offset), self.offset(node.end_lineno, node.end_col_offset)

    def encoded(self, text: str) -> bytes:
        """Bytes of a changed text in the file's own encoding."""
        return text.encode(self.encoding)

    def can_encode(self, text: str) -> bool:
        """Whether the file's encoding has all characters of a text."""
        try:
            self.encoded(text)
        except UnicodeError:
            return False
        return True


def read_text(source: bytes) -> Text:
    """Decode a source file as Python does.

    Raises:
        ValueError: the cookie names no known encoding, or the bytes do not follow it (`UnicodeError` is a ValueError).
    """
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(source).readline)
    except SyntaxError as error:
        raise ValueError(str(error)) from error
    text = source.decode(encoding)
    lines = _LINE.findall(text)
    starts = (0, *accumulate(map(len, lines)))
    return Text(text, encoding, starts, tuple(map(_extra, lines)))


def _extra(line: str) -> tuple[int, ...]:
    return () if line.isascii() else tuple(found.start() for found in _CONTINUED.finditer(line.encode()))


@dataclass(frozen=True)
class Wrap:
    """Put `before` and `after` around a span of the text."""

    start: int
    end: int
    before: str
    after: str


@dataclass(frozen=True)
class Swap:
    """Put `text` in place of a span that holds no wrap."""

    start: int
    end: int
    text: str


def splice(text: str, wraps: Iterable[Wrap], swaps: Iterable[Swap] = ()) -> str:
    """Apply wraps (nested or apart, never crossing) and swaps to a text.

    >>> splice("a + b", [Wrap(0, 5, "(", ")"), Wrap(0, 1, "[", "]")])
    '([a] + b)'
    """
    marks: list[tuple[tuple[int, int, int, int], int, str]] = []
    for order, wrap in enumerate(wraps):
        # Ends come before beginnings at one place; of beginnings the longer span, of ends the shorter span first.
        marks.append(((wrap.start, 1, -wrap.end, order), wrap.start, wrap.before))
        marks.append(((wrap.end, 0, -wrap.start, -order), wrap.end, wrap.after))
    marks += [((swap.start, 2, 0, 0), swap.end, swap.text) for swap in swaps]
    done, place = [], 0
    for (at, *_), following, inserted in sorted(marks, key=lambda mark: mark[0]):
        done += [text[place:at], inserted]
        place = following
    return "".join([*done, text[place:]])
