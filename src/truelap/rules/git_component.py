r"""A path with a `.git` component writes hooks or configuration into a repository that somebody later runs git in.

git itself refuses such names, and their twins on other file systems (`.GIT`, `.git.`, `git~1`, `.git::$INDEX_ALLOCATION`,
invisible characters inside, `\` as a separator); GNU patch does not.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from truelap.rules import Ruling

if TYPE_CHECKING:
    from truelap.rules import Change, Scene

_DOT_GIT = re.compile(r"(?:^|\\)(?:\.git|git~\d+)[ .]*(?:[:\\]|$)")


def judge(change: Change, scene: Scene) -> Ruling | None:  # noqa: ARG001 - every rule has this shape
    """Refuse a path any of whose components is `.git` to some git or file system."""
    if any(_DOT_GIT.search(part) for part in change.folded):
        return Ruling("refuse", "a path inside a .git folder")
    return None
