r"""A path that leaves the tree (absolute, `..`) writes where the judge keeps its own files.

Empty and `.` components name one file in two ways, so a pattern sees one name and the disk another.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from truelap.rules import Ruling

if TYPE_CHECKING:
    from truelap.rules import Change, Scene

_DRIVE = re.compile(rb"^[A-Za-z]:[/\\]")


def judge(change: Change, scene: Scene) -> Ruling | None:  # noqa: ARG001 - every rule has this shape
    r"""Refuse a path that is not a plain relative one; `\` counts as a separator where it would lead out."""
    path = change.path
    if path.startswith((b"/", b"\\")) or _DRIVE.match(path):
        return Ruling("refuse", "an absolute path")
    if b".." in path.replace(b"\\", b"/").split(b"/"):
        return Ruling("refuse", "a path that leads out of the tree")
    if not all(change.parts) or b"." in change.parts:
        return Ruling("refuse", "a path with an empty or `.` component")
    return None
