"""Undoes what base's own `text`, `eol` and `ident` attributes did to files when git checked them out.

Only base's attributes count, read from base's tree; those of a working tree are content like any other.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable

    from truelap.world.git import Store

_NAMES = ("text", "eol", "ident")
_IDENT = re.compile(rb"\$Id:[^$\n]*\$")
_LONE_CR = re.compile(rb"\r(?!\n)")


class Conversion(NamedTuple):
    """How a checkout may have changed a file."""

    lines: bool
    """Line ends may have become CRLF."""
    only_text: bool
    """... but not in content that looks binary to git."""
    ident: bool
    """`$Id$` may have been filled in."""

    def undo(self, content: bytes) -> bytes:
        r"""The content as git would store it.

        >>> Conversion(lines=True, only_text=False, ident=True).undo(b"a\r\n$Id: 1234 $\r\n")
        b'a\n$Id$\n'
        """
        if self.lines and not (self.only_text and _looks_binary(content)):
            content = content.replace(b"\r\n", b"\n")
        return _IDENT.sub(b"$Id$", content) if self.ident else content


def conversions(store: Store, tree: str, paths: Iterable[bytes]) -> dict[bytes, Conversion]:
    """The conversion of each path that has one, by the attribute files of a tree."""
    asked = b"".join(path + b"\0" for path in paths)
    with store.index(tree) as git:
        told = git.run("check-attr", "-z", "--stdin", "--cached", *_NAMES, stdin=asked).split(b"\0")[:-1]
    values: dict[bytes, dict[bytes, bytes]] = {}
    for path, name, value in zip(told[0::3], told[1::3], told[2::3], strict=True):
        values.setdefault(path, {})[name] = value
    found = {path: _conversion(attributes) for path, attributes in values.items()}
    return {path: conversion for path, conversion in found.items() if conversion.lines or conversion.ident}


def _conversion(attributes: dict[bytes, bytes]) -> Conversion:
    text, eol = attributes[b"text"], attributes[b"eol"]
    lines = text in {b"set", b"auto", b"input"} or (text == b"unspecified" and eol in {b"lf", b"crlf"})
    return Conversion(lines=lines, only_text=text == b"auto", ident=attributes[b"ident"] == b"set")


def _looks_binary(content: bytes) -> bool:
    return b"\0" in content or _LONE_CR.search(content) is not None
