"""Folders that a run itself writes to, where they lie in the working tree that it judges."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path


def own_folders(named: Iterable[Path], tree: Path, base: Iterable[bytes]) -> tuple[bytes, ...]:
    """Their paths in the tree; without the tree itself, and without any in which base has a file.

    Args:
        named: folders for results and the like, wherever they lie.
        tree: the working tree.
        base: every path of base.
    """
    root, known = tree.resolve(), tuple(base)
    places = (path.resolve() for path in named)
    inner = (os.fsencode(place.relative_to(root)) for place in places if place.is_relative_to(root))
    return tuple(path for path in inner if path != b"." and not _holds(path, known))


def _holds(folder: bytes, paths: Iterable[bytes]) -> bool:
    return any((path + b"/").startswith(folder + b"/") for path in paths)
