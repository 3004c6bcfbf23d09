"""The links of a tree on disk. None is followed by the machine: what they lead to is worked out from the tree alone."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from truelap.links import Links
from truelap.model import SYMLINK

if TYPE_CHECKING:
    from truelap.world.files import TreeOnDisk


def links_on_disk(tree: TreeOnDisk) -> Links:
    """The links of a tree."""
    names = {path: os.fsdecode(path) for path in tree.manifest}
    links = [path for path, (mode, *_) in tree.manifest.items() if mode == SYMLINK]
    targets = {names[path]: str((tree.root / names[path]).readlink()) for path in links}
    return Links(targets, [name for path, name in names.items() if name not in targets])


def real_files(tree: TreeOnDisk) -> dict[bytes, bytes]:
    """Every name under which a file of a tree is seen, with the file's own path."""
    aliases = links_on_disk(tree).aliases()
    own = (path for path, (mode, *_) in tree.manifest.items() if mode != SYMLINK)
    return {path: path for path in own} | {
        os.fsencode(name): os.fsencode(end) for name, end in aliases.items()
    }
