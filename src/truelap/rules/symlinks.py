"""A symbolic link in a submission makes a later reader or writer follow it out of the tree, to tests, logs or the judge.

Re-targeting a link that base already has shows no "new file mode" line, so the new mode alone decides. A link that is
deleted or becomes a regular file is fine.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from truelap.model import SYMLINK
from truelap.rules import Ruling

if TYPE_CHECKING:
    from truelap.rules import Change, Scene


def judge(change: Change, scene: Scene) -> Ruling | None:  # noqa: ARG001 - every rule has this shape
    """Refuse every entry that is a link in the candidate."""
    if change.entry.new_mode != SYMLINK:
        return None
    return Ruling("refuse", "a symbolic link; submit the file's own bytes instead")
