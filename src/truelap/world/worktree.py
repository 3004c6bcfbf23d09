"""Reads a working tree against base by walking the file system; its own git is not asked, and nothing of it runs.

Every path of base is compared by content, whatever index flags or ignore files say. New files count unless base's own
`.gitignore` files name them or Python has left them in a `__pycache__` folder; neither reaches the candidate.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from truelap.model import EXECUTABLE, REGULAR, SYMLINK, shown
from truelap.world.disk import SPECIAL, UnreadableError, is_git, walk
from truelap.world.git_attributes import conversions
from truelap.world.git_blobs import blob_id
from truelap.world.git_ignore import ignored, rules_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator
    from pathlib import Path

    from truelap.world.disk import Item
    from truelap.world.git import EntryTuple, Store, TreeFile
    from truelap.world.git_attributes import Conversion
    from truelap.world.git_blobs import BlobWriter

_CACHE = re.compile(rb"(^|/)__pycache__/[^/]+\.pyc\Z")


class TooMuchError(UnreadableError):
    """What changed is larger than a submission may be; `size` is in bytes, as far as it was read."""

    def __init__(self, path: bytes, size: int, limit: int) -> None:
        super().__init__(f"{shown(path)} brings the changed files to {size} bytes; the limit is {limit}")
        self.size = size


@dataclass
class Seen:
    """What a working tree holds that base does not, and what of it cannot or need not be held."""

    changes: list[EntryTuple] = field(default_factory=list)
    unholdable: list[bytes] = field(default_factory=list)
    """Names that git refuses: `.git` in other letters, a `.gitmodules` that is a link."""
    special: list[bytes] = field(default_factory=list)
    """Sockets, pipes and devices."""
    left_out: list[bytes] = field(default_factory=list)
    """New files that base's ignore rules name, and the bytecode that Python leaves in `__pycache__`."""


def compare(store: Store, tree: str, folder: Path, passed_over: Collection[bytes], limit: int) -> Seen:
    """What differs between base and a working tree.

    Args:
        store: where base is; new contents are added to it.
        tree: base.
        folder: the working tree.
        passed_over: paths that do not count, nor does what lies below them.
        limit: bytes that changed and new files may have together.

    Raises:
        TooMuchError: they have more.
        UnreadableError: something in the folder cannot be read.
    """
    base = {file.path: file for file in store.list_tree(tree)}

    def items() -> Iterator[Item]:
        return walk(folder, passed_over=lambda path: is_git(path) or path in passed_over)

    seen = Seen()
    new = [item.path for item in items() if item.path not in base]
    left_out = ignored(store.git, rules_of(store, base.values()), new)
    left_out |= {path for path in new if _CACHE.search(path)}
    seen.left_out = sorted(left_out)
    converted = conversions(store, tree, base) if any(_has_attributes(path) for path in base) else {}
    there = set(passed_over)
    with store.writer() as writer:
        reader = _Reader(store, base, converted, writer, limit)
        for item in items():
            if item.path in left_out or _cannot_be_held(item, seen):
                continue
            there.add(item.path)
            seen.changes += reader.change(item)
    seen.changes += [(path, 0, "") for path in base if path not in there]
    return seen


def _cannot_be_held(item: Item, seen: Seen) -> bool:
    parts = item.path.lower().split(b"/")
    if item.mode == SPECIAL:
        seen.special.append(item.path)
    elif b".git" in parts or (item.mode == SYMLINK and parts[-1] == b".gitmodules"):
        seen.unholdable.append(item.path)
    else:
        return False
    return True


def _has_attributes(path: bytes) -> bool:
    return path == b".gitattributes" or path.endswith(b"/.gitattributes")


class _Reader:
    """Turns items into changes, and adds their contents to the store."""

    def __init__(
        self,
        store: Store,
        base: dict[bytes, TreeFile],
        converted: dict[bytes, Conversion],
        writer: BlobWriter,
        limit: int,
    ) -> None:
        self._store, self._base, self._converted, self._writer = store, base, converted, writer
        self._size, self._limit = 0, limit

    def change(self, item: Item) -> list[EntryTuple]:
        """The change that an item makes to base: one, or none."""
        old = self._base.get(item.path)
        if old is None or item.size != old.size:
            self._bound(item.path, self._size + item.size)
        content = item.read()
        if old is not None:
            content = self._as_stored(old, item, content)
            if blob_id(content) == old.blob:
                return [] if item.mode == old.mode else [(item.path, item.mode, old.blob)]
        self._size += len(content)
        self._bound(item.path, self._size)
        return [(item.path, item.mode, self._writer.add(content))]

    def _bound(self, path: bytes, size: int) -> None:
        if size > self._limit:
            raise TooMuchError(path, size, self._limit)

    def _as_stored(self, old: TreeFile, item: Item, content: bytes) -> bytes:
        conversion = self._converted.get(item.path)
        files = {REGULAR, EXECUTABLE}
        if conversion is None or item.mode not in files or old.mode not in files:
            return content
        undone = conversion.undo(content)
        if blob_id(undone) == old.blob:
            return undone
        # Base may hold the file as it is written, against its own attributes; then so does an edit.
        stored = self._store.blob(old.blob)
        normal = conversion.undo(stored)
        if undone == normal:
            return stored
        return undone if normal == stored else content
