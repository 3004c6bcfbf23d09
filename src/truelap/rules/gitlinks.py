"""A gitlink (submodule) is one line in a diff that stands for a whole tree which nobody has seen.

`.gitmodules` names where such trees come from and what git runs to update them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from truelap.model import GITLINK
from truelap.rules import Ruling

if TYPE_CHECKING:
    from truelap.rules import Change, Scene

_TWINS = (".gitmodules", "gitmod~1")


def judge(change: Change, scene: Scene) -> Ruling | None:  # noqa: ARG001 - every rule has this shape
    """Refuse a submodule, and any new content of a `.gitmodules` file; deleting either is fine."""
    if change.entry.new_mode == GITLINK:
        return Ruling("refuse", "a submodule; submit its files instead")
    name = change.folded[-1].partition(":")[0].rstrip(" .")
    if name in _TWINS and not change.deleted:
        return Ruling("refuse", "a .gitmodules file names repositories that git would fetch")
    return None
