"""The links of a tree in the store, and its files as they are seen through them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from truelap.links import Links
from truelap.model import SYMLINK

if TYPE_CHECKING:
    from collections.abc import Iterable

    from truelap.world.git import Store
    from truelap.world.git_listing import TreeFile


def links_of(store: Store, files: Iterable[TreeFile]) -> Links:
    """The links among some files of a tree.

    Args:
        store: where the tree is.
        files: all of them.
    """
    files = tuple(files)
    links = [file for file in files if file.mode == SYMLINK]
    targets = (_text(content) for _, content in store.blobs(file.blob for file in links))
    others = (_text(file.path) for file in files if file.mode != SYMLINK)
    return Links(dict(zip((_text(file.path) for file in links), targets, strict=True)), others)


def seen(files: Iterable[TreeFile], links: Links) -> tuple[TreeFile, ...]:
    """The files of a tree under all their names. A link to a file has its bytes, and one to a folder is no file."""
    real = {_text(file.path): file for file in files if file.mode != SYMLINK}
    through = (real[end]._replace(path=_bytes(name)) for name, end in links.aliases().items())
    return tuple(sorted((*real.values(), *through)))


def _text(path: bytes) -> str:
    return path.decode("utf-8", "surrogateescape")


def _bytes(path: str) -> bytes:
    return path.encode("utf-8", "surrogateescape")
