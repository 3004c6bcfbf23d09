"""Reads a working tree against base by walking the file system; its own git is not asked, and nothing of it runs.

Every path of base is compared by content, whatever index flags or ignore files say. New files count unless base's own
`.gitignore` files name them and so do those of the working tree, Python has left them in a `__pycache__` folder, or they lie in a
folder that is a tool's; none of these reaches the candidate.
"""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from truelap.model import EXECUTABLE, REGULAR, SYMLINK
from truelap.world.disk import SPECIAL, UnreadableError, is_git, walk
from truelap.world.git_attributes import conversions
from truelap.world.git_blobs import blob_id
from truelap.world.git_ignore import ignored, is_ignore_file, rules_of
from truelap.world.git_lfs import LONGEST_POINTER, pointer
from truelap.world.git_listing import Tally, TooMuchError
from truelap.world.tool_folders import marked, outermost

if TYPE_CHECKING:
    from collections.abc import Callable, Collection
    from pathlib import Path

    from truelap.world.disk import Item
    from truelap.world.git import EntryTuple, Store
    from truelap.world.git_attributes import Conversion
    from truelap.world.git_blobs import BlobWriter
    from truelap.world.git_listing import Bounds, TreeFile

_CACHE = re.compile(rb"(^|/)__pycache__/[^/]+\.pyc\Z")
_NAMES_BYTES = 256 << 20
"""What the names in a working tree may take in memory: some millions of files."""
_PER_NAME = 100
_RULES_BYTES = 4 << 20
_RULES_FILES = 4096


@dataclass
class Seen:
    """What a working tree holds that base does not, and what of it cannot or need not be held."""

    changes: list[EntryTuple] = field(default_factory=list)
    unholdable: list[bytes] = field(default_factory=list)
    """Names that git refuses: `.git` in other letters, a `.gitmodules` that is a link."""
    special: list[bytes] = field(default_factory=list)
    """Sockets, pipes and devices."""
    left_out: list[bytes] = field(default_factory=list)
    """New files that base's ignore rules name and the tree's own too, and the bytecode that Python leaves in `__pycache__`."""
    of_tools: tuple[bytes, ...] = ()
    """New folders that are a tool's own."""


def compare(store: Store, tree: str, folder: Path, passed_over: Collection[bytes], bounds: Bounds) -> Seen:
    """What differs between base and a working tree.

    Args:
        store: where base is; new contents are added to it.
        tree: base.
        folder: the working tree.
        passed_over: paths that do not count, nor does what lies below them.
        bounds: how much may be changed or new.

    Raises:
        TooMuchError: more is.
        UnreadableError: something in the folder cannot be read.
    """
    base = {file.path: file for file in store.list_tree(tree)}
    seen = _survey(store, base, folder, passed_over)
    absent = {*passed_over, *seen.of_tools}
    left_out = frozenset(seen.left_out)
    converted = conversions(store, tree, base) if any(_has_attributes(path) for path in base) else {}
    there, tally = set(passed_over), Tally(bounds)
    with store.writer() as writer, store.reader() as read:
        reader = _Reader(base, converted, read, writer, tally)
        for item in walk(folder, passed_over=_Passing(absent)):
            if item.path in left_out:
                continue
            if _cannot_be_held(item, seen):
                tally.add(item.path, 0)
                continue
            there.add(item.path)
            seen.changes += reader.change(item)
    for path in base:
        if path not in there:
            tally.add(path, 0)
            seen.changes.append((path, 0, ""))
    return seen


class _Passing:
    """Says what a walk passes over, and ends one that finds more names than a judge can keep."""

    def __init__(self, absent: Collection[bytes]) -> None:
        self._absent = absent
        self._room = _NAMES_BYTES
        self._names = 0

    def __call__(self, path: bytes) -> bool:
        self._room -= len(path) + _PER_NAME
        self._names += 1
        if self._room < 0:
            raise TooMuchError(f"the folder holds more than {self._names} names", files=self._names)
        return is_git(path) or path in self._absent


def _survey(store: Store, base: dict[bytes, TreeFile], folder: Path, passed_over: Collection[bytes]) -> Seen:
    """What is new and does not count."""
    new: list[bytes] = []
    tools: list[bytes] = []
    for item in walk(folder, passed_over=_Passing(passed_over)):
        if item.path not in base:
            new.append(item.path)
            if (tool := marked(item)) is not None:
                tools.append(tool)
    of_tools = outermost(tools, base)
    below = tuple(folder + b"/" for folder in of_tools)
    new = [path for path in new if not path.startswith(below)] if below else new
    rules = rules_of(store, base.values())
    left_out = ignored(store.git, rules, new)
    if left_out:
        own = _own_rules(folder, {*passed_over, *of_tools}, left_out)
        # An author may take a path out of the rules, and may not hide one by them.
        left_out = left_out if own == rules else ignored(store.git.bounded(), own, left_out)
    left_out |= {path for path in new if _CACHE.search(path)}
    return Seen(left_out=sorted(left_out), of_tools=of_tools)


def _own_rules(folder: Path, absent: Collection[bytes], left_out: Collection[bytes]) -> dict[bytes, bytes]:
    """The working tree's own ignore files. One that is left out, cannot be read or is one too many counts for nothing."""
    found: dict[bytes, bytes] = {}
    room = _RULES_BYTES
    for item in walk(folder, passed_over=_Passing(absent)):
        is_rule = is_ignore_file(item.path) and item.mode in {REGULAR, EXECUTABLE}
        if not is_rule or item.path in left_out or item.size > room or len(found) >= _RULES_FILES:
            continue
        with suppress(UnreadableError):
            found[item.path] = item.read()
        room -= item.size
    return found


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
        base: dict[bytes, TreeFile],
        converted: dict[bytes, Conversion],
        read: Callable[[str], bytes],
        writer: BlobWriter,
        tally: Tally,
    ) -> None:
        self._base, self._converted, self._read, self._writer = base, converted, read, writer
        self._tally = tally

    def change(self, item: Item) -> list[EntryTuple]:
        """The change that an item makes to base: one, or none."""
        old = self._base.get(item.path)
        if old is not None and self._is_named_by(old, item):
            return self._same(old, item)
        if old is None or item.size != old.size:
            self._tally.check(item.path, item.size)
        content = item.read()
        if old is not None:
            content = self._as_stored(old, item, content)
            if blob_id(content) == old.blob:
                return self._same(old, item)
        self._tally.add(item.path, len(content))
        return [(item.path, item.mode, self._writer.add(content))]

    def _same(self, old: TreeFile, item: Item) -> list[EntryTuple]:
        if item.mode == old.mode:
            return []
        self._tally.add(item.path, 0)
        return [(item.path, item.mode, old.blob)]

    def _is_named_by(self, old: TreeFile, item: Item) -> bool:
        files = {REGULAR, EXECUTABLE}
        if old.size > LONGEST_POINTER or item.size == old.size or not {old.mode, item.mode} <= files:
            return False
        named = pointer(self._read(old.blob))
        return named is not None and named.names(item)

    def _as_stored(self, old: TreeFile, item: Item, content: bytes) -> bytes:
        conversion = self._converted.get(item.path)
        files = {REGULAR, EXECUTABLE}
        if conversion is None or item.mode not in files or old.mode not in files:
            return content
        undone = conversion.undo(content)
        if blob_id(undone) == old.blob:
            return undone
        # Base may hold the file as it is written, against its own attributes; then so does an edit.
        stored = self._read(old.blob)
        normal = conversion.undo(stored)
        if undone == normal:
            return stored
        return undone if normal == stored else content
