"""A coding cookie makes Python read a source through a codec: one that the package registers, or one such as UTF-7.

What a reader sees in the file is then not what runs.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from truelap.rules import Ruling, is_file

if TYPE_CHECKING:
    from truelap.rules import Change, Scene

_SOURCES = (".py", ".pyw", ".pyi", ".pyx", ".pxd", ".pxi")
_COOKIE = re.compile(rb"^[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)")
# Python cuts off what follows `utf-8-` (Emacs writes `utf-8-unix`), but looks `utf8-x` up as a codec of its own.
_PLAIN = re.compile(rb"utf[-_]8(?:[-_].*)?|utf8|u8|(?:us[-_])?ascii", re.IGNORECASE)
_HEAD = 8192  # no honest cookie stands further in; a longer first line is looked at as a whole


def judge(change: Change, scene: Scene) -> Ruling | None:
    """Refuse a source whose cookie names neither UTF-8 nor ASCII, unless base's file at that path names the same."""
    if not is_file(change) or not change.content or not _is_source(change):
        return None
    odd = {cookie for cookie in cookies(change.content) if not _PLAIN.fullmatch(cookie)}
    if not odd or odd <= cookies(scene.base_content(change.path) or b""):
        return None
    return Ruling("refuse", f"a coding cookie other than UTF-8: {min(odd).decode('ascii', 'replace')}")


def cookies(content: bytes) -> set[bytes]:
    r"""The codecs that some Python would read from the first two lines.

    Which bytes end a line differs between Pythons, so a lone carriage return is tried both ways.

    >>> cookies(b"#!/usr/bin/python\n# -*- coding: utf-7 -*-\n")
    {b'utf-7'}
    """
    head = content.removeprefix(b"\xef\xbb\xbf")
    if b"coding" not in head[:_HEAD] and head.count(b"\n", 0, _HEAD) > 1:
        return set()
    lines = [*head.split(b"\n", 2)[:2], *re.split(rb"\r\n|\r|\n", head, maxsplit=2)[:2]]
    return {found[1] for line in lines if (found := _COOKIE.match(line))}


def _is_source(change: Change) -> bool:
    return change.folded[-1].endswith(_SOURCES) or (change.content or b"").startswith(b"#!")
