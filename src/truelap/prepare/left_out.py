"""What a build leaves that is not kept, and held against nobody.

These are copies of tests in folders of the build's own (`build/lib/pkg/tests`), and metadata of another version than base's.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from truelap.prepare.rivals import folders_above

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from truelap.world.harvest import Product

_VERSION = re.compile(rb"(^|/)([^/]+)-\d[^/-]*(-py\d[^/-]*)?(\.(?:dist|egg)-info)(?=/|\Z)")


class LeftOut:
    """Knows where a build's own folders are, and the metadata that base's build makes.

    Args:
        base: paths of base before any build, without what is carried along.
        is_guarded: whether a path belongs to the tests or the measurement setup.
        places: folders to import from, b"" for the root.
        by_base: what base's build made.
    """

    def __init__(
        self,
        base: Iterable[bytes],
        is_guarded: Callable[[bytes], bool],
        places: Iterable[bytes],
        by_base: Mapping[bytes, Product],
    ) -> None:
        self._folders = frozenset(folder for path in base for folder in folders_above(path))
        self._is_guarded = is_guarded
        self._places = tuple(place + b"/" for place in places)
        self._older: dict[bytes, list[Product]] = {}
        for path, product in by_base.items():
            if (name := without_version(path)) != path:
                self._older.setdefault(name, []).append(product)

    def own_folder(self, path: bytes) -> bytes | None:
        """The topmost folder above a path that base lacks, if it is the build's own.

        None where there is none, where it lies among the tests itself, or where something in it is imported from: there a file
        named like test code would be seen by pytest or an import.
        """
        new = (folder + b"/" for folder in reversed(folders_above(path)) if folder not in self._folders)
        first = next(new, None)
        if first is None or self._is_guarded(first) or any(place.startswith(first) for place in self._places):
            return None
        return first

    def other_version(self, path: bytes) -> tuple[Product, ...]:
        """Base's own file, where a path is the same file of the same metadata in another version."""
        return tuple(self._older.get(without_version(path), ()))


def without_version(path: bytes) -> bytes:
    """A path whose folder of metadata names no version.

    >>> without_version(b"a/p_q-1.0.dev1.dist-info/METADATA"), without_version(b"p-q-2-py3.11.egg-info")
    (b'a/p_q.dist-info/METADATA', b'p-q-py3.11.egg-info')
    >>> without_version(b"p-1.0/METADATA"), without_version(b"p.egg-info/PKG-INFO")
    (b'p-1.0/METADATA', b'p.egg-info/PKG-INFO')
    """
    return _VERSION.sub(rb"\1\2\3\4", path)
