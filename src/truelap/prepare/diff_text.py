"""What a diff's text says of itself, before git reads it: what it unpacks to, how its names start, how its lines end. Pure."""

from __future__ import annotations

import base64
import codecs
import re
import zlib
from contextlib import suppress
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

_BINARY = re.compile(rb"^GIT binary patch", re.MULTILINE)
_HEADER = re.compile(rb"^diff --git ([^\n]*)$", re.MULTILINE)
_PART = re.compile(rb"^(literal|delta) [ \t\v\f\r]*(-?)\+?(\d+)", re.MULTILINE)
_PREFIXES = re.compile(rb'"?([a-z0-9])/[^\n]* "?([a-z0-9])/')
_WHOLE_NAMES = ("-p0",)
_DIGITS = 18
_PARTS = 100_000
"""More than any diff within the limits has, at two a file."""
_ENDLESS = 1 << 62
_VARINTS = 20
"""Bytes at the start of a delta that hold both of its sizes."""


class Reading(NamedTuple):
    """One way to take a diff's text."""

    text: bytes
    options: tuple[str, ...]
    """For `git apply`."""


def readings(diff: bytes) -> Iterator[Reading]:
    """The ways to read a diff, likeliest first: as it is, then as it was before something changed all or some line ends.

    UTF-16, which some shells write, is turned back. A final line without its end gets one: every line of a diff has one.
    A diff without a line of git's own says nothing of prefixes: it is read with one part of each name off, then whole.
    """
    plain = _of_bytes(diff)
    for text in (plain, plain.replace(b"\r\n", b"\n")) if b"\r\n" in plain else (plain,):
        headers = [header.rstrip(b"\r") for header in _HEADER.findall(text)]
        yield Reading(text, _strip(headers))
        if not headers:
            yield Reading(text, _WHOLE_NAMES)


_HINTS = (
    (re.compile(rb"\x1b\["), "it holds colour codes: make it with git diff --no-color"),
    (
        re.compile(rb"^\*{15}", re.MULTILINE),
        "it is a context diff: make a unified one, with git diff or diff -u",
    ),
    (
        re.compile(rb"^\d+(,\d+)?[acd]\d", re.MULTILINE),
        "it has no context: make a unified one, with git diff or diff -u",
    ),
    (
        re.compile(rb"^(---|\+\+\+) (/(?!dev/null)|\.\./)", re.MULTILINE),
        "its names lead out of the repository: make it at its root, with git diff",
    ),
)
_HUNK = re.compile(
    rb"^(@@ |GIT binary patch|(old|new|deleted file|new file) mode|rename |copy )", re.MULTILINE
)


def hint(diff: bytes) -> str:
    """What form is expected in place of a diff that does not apply, to go behind a sentence.

    >>> hint(b"garbage")
    '; it holds no change in the form of git diff'
    """
    text = _of_bytes(diff)
    for pattern, said in _HINTS:
        if pattern.search(text):
            return f"; {said}"
    if not _HUNK.search(text):
        return "; it holds no change in the form of git diff"
    return "; is it against this base, with names from the repository's root (git diff BASE, without --relative)?"


def _of_bytes(diff: bytes) -> bytes:
    if diff.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        with suppress(UnicodeDecodeError):
            diff = diff.decode("utf-16").encode()
    return diff if diff.endswith(b"\n") else diff + b"\n"


def _strip(headers: list[bytes]) -> tuple[str, ...]:
    """Names without prefixes (`git diff --no-prefix`) are the same on both sides; git would cut their first folder off."""
    prefixed = (match for header in headers if (match := _PREFIXES.match(header)))
    if any(match[1] != match[2] for match in prefixed):
        return ()
    return _WHOLE_NAMES if any(_is_twice_the_same(header) for header in headers) else ()


def _is_twice_the_same(header: bytes) -> bool:
    middle = len(header) // 2
    return header[middle : middle + 1] == b" " and header[:middle] == header[middle + 1 :]


def unpacked_bytes(diff: bytes) -> int:
    r"""How many bytes the binary parts of a diff say that git is to unpack them to, old contents included.

    >>> unpacked_bytes(b"GIT binary patch\nliteral 700\n...\n\nliteral 0\n")
    700
    """
    _, *blocks = _BINARY.split(diff)
    parts = (size for block in blocks for size in _of_block(block.partition(b"\ndiff --git ")[0]))
    return sum(islice(parts, _PARTS)) + (_ENDLESS if next(parts, None) is not None else 0)


def _of_block(block: bytes) -> Iterator[int]:
    for part in _PART.finditer(block):
        kind, sign, digits = part.groups()
        # A negative number is an enormous one to git.
        size = _ENDLESS if sign or len(digits) > _DIGITS else int(digits)
        yield size + (_of_delta(block, block.find(b"\n", part.end()) + 1) if kind == b"delta" else 0)


def _of_delta(block: bytes, start: int) -> int:
    """The size of what a delta makes: the second of two numbers at its start, seven bits a byte, lowest first."""
    head = _inflated(block, start)
    sizes, shift = [0], 0
    for byte in head:
        sizes[-1] |= (byte & 127) << shift
        shift += 7
        if byte < 128:  # noqa: PLR2004 - the high bit says that more follows
            if len(sizes) == 2:  # noqa: PLR2004 - the source's and the result's
                return sizes[1]
            sizes, shift = [*sizes, 0], 0
    return 0


def _inflated(block: bytes, start: int) -> bytes:
    inflater, found = zlib.decompressobj(), b""
    while len(found) < _VARINTS:
        end = block.find(b"\n", start)
        line = block[start : end if end >= 0 else len(block)].rstrip(b"\r")
        try:
            packed = base64.b85decode(line[1:])[: _line_length(line)]
            found += inflater.decompress(packed, _VARINTS)
        except (ValueError, zlib.error):
            break
        if not line or end < 0 or inflater.eof:
            break
        start = end + 1
    return found


def _line_length(line: bytes) -> int:
    first = line[:1].decode("latin-1")
    return "0ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".find(first) if first else 0
