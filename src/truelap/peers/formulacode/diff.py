"""The older rule on protected files, read from the text of a git diff. Pure.

A protected file with an added or removed line that is neither blank nor a comment counts as edited. So does one whose lines
the diff does not show (binary), and one that is moved into or out of a protected place.
"""

from __future__ import annotations

import io
import re
from typing import TYPE_CHECKING

from truelap.policy import matches

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_HUNK = re.compile(rb"@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@")
_ESCAPE = re.compile(rb"\\([0-7]{3}|.)", re.DOTALL)
_PLAIN = {b"a": b"\a", b"b": b"\b", b"t": b"\t", b"n": b"\n", b"v": b"\v", b"f": b"\f", b"r": b"\r"}
_QUOTED = re.compile(rb'"((?:[^"\\]|\\.)*)"', re.DOTALL)
_PREFIX = re.compile(rb"^[a-z]/")
_NO_FILE = b"/dev/null"


class DiffError(ValueError):
    """The text is not a diff that git writes."""


class _File:
    """One file's part of the diff."""

    def __init__(self, names: Iterable[bytes] = ()) -> None:
        self.header = list(names)
        self.names: list[bytes] = []
        self.moved: list[bytes] = []
        self.source: bytes | None = None
        """Where the file was copied from: that one is not edited."""
        self.has_hunks = False
        self.edited = False

    def touched(self) -> Iterator[bytes]:
        """Names under which the file counts as edited."""
        yield from self.moved
        if self.edited:
            names = self.names or self.header
            if not (names or self.moved):
                raise DiffError("a file is edited, and nothing says which one")
            yield from (n for n in names if n != self.source)


def edited_files(diff: bytes, patterns: tuple[str, ...]) -> tuple[bytes, ...]:
    """Paths that match a pattern and count as edited, sorted.

    Raises:
        DiffError: the text is cut short or was not written by git.
    """
    names = {_without_prefix(n, patterns) for file in _files(diff) for n in file.touched() if n != _NO_FILE}
    return tuple(sorted(name for name in names if matches(patterns, name)))


def unquote(name: bytes) -> bytes:
    r"""A name as git writes it in a diff: plain, or in quotes with escapes as in C.

    >>> unquote(b'"a/\\303\\251\\".py"')
    b'a/\xc3\xa9".py'
    """
    quoted = _QUOTED.fullmatch(name)
    if not quoted:
        return name.split(b"\t", 1)[0]
    return _ESCAPE.sub(lambda m: _escaped(m[1]), quoted[1])


def _escaped(code: bytes) -> bytes:
    return bytes([int(code, 8) & 0xFF]) if len(code) > 1 else _PLAIN.get(code, code)


def _without_prefix(name: bytes, patterns: tuple[str, ...]) -> bytes:
    # The prefixes a/ and b/ may be switched off, so a name that matches with its first letter kept is taken too.
    short = _PREFIX.sub(b"", name)
    return short if matches(patterns, short) else name


def _files(diff: bytes) -> Iterator[_File]:
    lines = (line.removesuffix(b"\n") for line in io.BytesIO(diff))
    file = _File()
    for line in lines:
        if line.startswith(b"diff --git "):
            yield file
            file = _File(_header_names(line.removeprefix(b"diff --git ")))
        elif line.startswith(b"--- ") and file.has_hunks:
            yield file
            file = _File()
            _take(file, line)
        elif line.startswith(b"@@"):
            file.has_hunks = True
            file.edited |= _edits(line, lines)
        else:
            _take(file, line)
    yield file


def _take(file: _File, line: bytes) -> None:
    key, _, value = line.partition(b" ")
    if key in {b"---", b"+++"}:
        file.names.append(unquote(value))
    elif line.startswith((b"rename from ", b"rename to ", b"copy to ")):
        file.moved.append(unquote(line.split(b" ", 2)[2]))
    elif line.startswith(b"copy from "):
        file.source = b"a/" + unquote(line.removeprefix(b"copy from "))
    elif line.startswith((b"GIT binary patch", b"Binary files ")):
        file.edited = True


def _edits(hunk: bytes, lines: Iterator[bytes]) -> bool:
    """Consume a hunk by its counts, so that no content passes for a header; whether a line of it counts."""
    counts = _HUNK.match(hunk)
    if not counts:
        raise DiffError(f"not a hunk of git: {hunk[:60]!r}")
    old, new = (1 if count is None else int(count) for count in counts.groups())
    found = False
    while old > 0 or new > 0:
        line = next(lines, None)
        if line is None or line[:1] not in {b" ", b"-", b"+", b"\\", b""}:
            raise DiffError("a hunk is cut short")
        sign = line[:1]
        old -= sign in {b" ", b"-", b""}
        new -= sign in {b" ", b"+", b""}
        found |= sign in {b"-", b"+"} and _counts(line[1:])
    return found


def _counts(content: bytes) -> bool:
    return not content.strip().startswith(b"#") if content.strip() else False


def _header_names(rest: bytes) -> list[bytes]:
    """Both names of `diff --git`; unquoted ones may hold spaces, so the split that makes them equal is taken.

    Without one there are none: such a file was moved, and other lines name it.
    """
    quoted = _QUOTED.match(rest)
    if quoted:
        return [unquote(quoted[0]), unquote(rest[quoted.end() + 1 :])]
    if rest.endswith(b'"'):
        first, _, second = rest.partition(b' "')
        return [first, unquote(b'"' + second)]
    # Equal but for a prefix on either side, so the split is in the middle or beside it.
    middle = len(rest) // 2
    splits = [
        (rest[:at], rest[at + 1 :]) for at in (middle - 1, middle, middle + 1) if rest[at : at + 1] == b" "
    ]
    same = [pair for pair in splits if _PREFIX.sub(b"", pair[0]) == _PREFIX.sub(b"", pair[1])]
    return [name for pair in same for name in pair]
