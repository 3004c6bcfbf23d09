"""A mode that git does not define (setuid, sticky, a folder) means one thing to git and another to whoever writes files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from truelap.model import EXECUTABLE, GITLINK, REGULAR, SYMLINK
from truelap.rules import Ruling

if TYPE_CHECKING:
    from truelap.rules import Change, Scene

_DEFINED = (0, REGULAR, EXECUTABLE, SYMLINK, GITLINK)


def judge(change: Change, scene: Scene) -> Ruling | None:  # noqa: ARG001 - every rule has this shape
    """Refuse an undefined mode; one that base already has (old trees hold 100664) may stay."""
    entry = change.entry
    if entry.new_mode in _DEFINED or entry.new_mode == entry.old_mode:
        return None
    return Ruling("refuse", f"file mode {entry.new_mode:06o}")
