"""Whether workers have numpy ready before the tree is there: values are told by the real one's own methods."""

from __future__ import annotations

import os
import re
import stat
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from truelap.world import World
    from truelap.world.files import TreeOnDisk


_SPEAKS = re.compile(rb"numpy|pandas|scipy")
_SOURCES = (b".py", b".pyx")


def has_numpy(world: World, base: TreeOnDisk) -> bool:
    """Whether base's code speaks of an installed numpy, or of what builds on it, and it is not the tree's own.

    The same for all stations.
    """
    if "numpy" not in {name.lower() for name in world.interpreter.packages}:
        return False
    if any(path.endswith(b"numpy/__init__.py") for path in base.manifest):
        return False
    return world.trees.known(base, "numpy", lambda: _named(base))


def _named(base: TreeOnDisk) -> bool:
    return any(
        _SPEAKS.search((base.root / os.fsdecode(path)).read_bytes())
        for path, (mode, _, _) in base.manifest.items()
        if path.endswith(_SOURCES) and stat.S_ISREG(mode)
    )
