"""Package metadata in the tree registers plugins (pytest11 and others) and says which copy of a package is installed.

`importlib.metadata` folds case when it looks for such folders, so this rule does too.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from truelap.rules import refuse_unless_tracked

if TYPE_CHECKING:
    from truelap.rules import Change, Ruling, Scene

_METADATA = re.compile(
    r"\.(?:dist-info|egg-info|egg-link)$|^egg-info$|^_distutils_hack(?:\.|$)|^__editable__"
)


def judge(change: Change, scene: Scene) -> Ruling | None:
    """Refuse new metadata anywhere in the tree; a change to metadata that base tracks is discarded."""
    if any(_METADATA.search(part) for part in change.folded):
        return refuse_unless_tracked(
            change, scene, "package metadata decides which plugins and packages load"
        )
    return None
