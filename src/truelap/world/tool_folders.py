"""Which new folders of a working tree are a tool's and nobody's edit: environments, caches, what a build or an installation leaves.

Each is known by a file that its tool leaves in it, or by the name that setuptools gives it. Whoever plants such a file loses the folder: it is left out of the
submission, so nothing in it is ever used. A folder that holds a file of base is never one.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from truelap.model import REGULAR

if TYPE_CHECKING:
    from collections.abc import Iterable

    from truelap.world.disk import Item

_MARKS = (b"/pyvenv.cfg", b"/conda-meta/history", b"/CMakeCache.txt", b"/meson-info/meson-info.json")
_OF_SETUPTOOLS = re.compile(
    rb"(\.eggs|build/(?:lib|(?:lib|temp|bdist|scripts)[.-][^/]+)|dist(?=/[^/]+\.(?:whl|egg|tar\.gz|zip)\Z))/"
)
"""At the root: what it fetches, builds and packs. `dist` is a name that others use too, so there an archive has to lie in it."""
_METADATA = b".egg-info/PKG-INFO"
_CACHE = b"/CACHEDIR.TAG"
_SIGNATURE = b"Signature: 8a477f597d28d172789f06886806bc55"
_LONG_TAG = 4096


def marked(item: Item) -> bytes | None:
    """The folder that a file marks as a tool's, relative to the working tree; None for any other file."""
    if item.mode != REGULAR:
        return None
    if (made := _OF_SETUPTOOLS.match(item.path)) is not None:
        return made[1]
    if item.path.endswith(_METADATA):
        return item.path.removesuffix(b"/PKG-INFO")
    for mark in _MARKS:
        if item.path.endswith(mark):
            return item.path.removesuffix(mark)
    if item.path.endswith(_CACHE) and item.size <= _LONG_TAG and item.read().startswith(_SIGNATURE):
        return item.path.removesuffix(_CACHE)
    return None


def outermost(folders: Iterable[bytes], base: Iterable[bytes]) -> tuple[bytes, ...]:
    """Those folders in which base has nothing, without those that lie in another of them; sorted."""
    occupied = {folder for path in base for folder in _above(path)}
    found: dict[bytes, None] = {}
    for folder in sorted(folders, key=lambda name: name.count(b"/")):
        if folder not in occupied and not any(above in found for above in _above(folder)):
            found[folder] = None
    return tuple(sorted(found))


def _above(path: bytes) -> list[bytes]:
    parts = path.split(b"/")
    return [b"/".join(parts[:count]) for count in range(1, len(parts))]
