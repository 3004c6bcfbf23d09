"""Shows what a step touched in its tree, though everything be put back: by the time of change that the kernel keeps per inode.

No program can set that time, short of setting the machine's clock. It moves when a file is written or its mode changes, and for
a folder when a name in it comes or goes. So a record of it, made when the judge has laid the last hand on a tree and nothing
of the step runs yet, tells afterwards what was done in between.
"""

from __future__ import annotations

import mmap
import os
import re
import tempfile
import time
from functools import lru_cache
from typing import TYPE_CHECKING

from truelap.errors import WorldError
from truelap.model import SYMLINK
from truelap.policy import matches

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from truelap.world.files import TreeOnDisk

Facts = tuple[int, int, int]
"""Device, inode and time of change (nanoseconds) of a file or folder; zeros when there is none."""

_GONE = (0, 0, 0)
_COARSE = 5
"""Number of the clock that the kernel takes times of files from; it goes in ticks."""


class Seal:
    """The record of one step's tree. The backend takes it, whoever asked for the step reads it afterwards."""

    def __init__(self) -> None:
        self._facts: dict[bytes, Facts] | None = None

    def take(self, root: Path) -> None:
        """Record a tree as it is now."""
        start = os.fsencode(root)
        self._facts = {path: _facts(start, path) for path in _everything(start)}
        # A tick later, so that whatever happens from here on bears another time.
        time.sleep(time.clock_getres(_COARSE))

    def touched(self, root: Path) -> frozenset[bytes]:
        """Files and folders of the record that are not as they were then, or not there; the tree's own folder is b"".

        Raises:
            WorldError: no record was taken.
        """
        if self._facts is None:
            raise WorldError("a tree was not sealed before its step; this is a fault of truelap")
        start = os.fsencode(root)
        return frozenset(path for path, before in self._facts.items() if _facts(start, path) != before)


def telling(
    touched: Iterable[bytes], tree: TreeOnDisk, patterns: tuple[str, ...], roots: Iterable[str]
) -> tuple[bytes, ...]:
    """Which touches bear on tests or benchmarks: of such a file, or of a folder where a rival of one could have lain.

    Such a folder holds Python files of theirs; or modules are imported from it, and it holds a folder of theirs that has no
    `__init__.py` and that they import by its name: a module would be imported in its place.

    Args:
        touched: files and folders.
        tree: the one that the step's was copied from.
        patterns: of tests and benchmarks.
        roots: folders that modules are imported from, relative to the tree's root.

    Returns:
        Their paths, sorted; folders end with a slash.
    """
    moved = frozenset(touched)
    guarded = frozenset(path for path in tree.manifest if matches(patterns, path))
    # The one at the root is read before anything of the tree can run.
    modules = [path for path in guarded if path.endswith(b".py") and path != b"conftest.py"]
    homes = {path.rpartition(b"/")[0] for path in modules}
    places = {os.fsencode(root.strip("/.")) for root in roots} & moved - homes
    folders = (homes & moved) | {place for place in places if _imports_from(place, homes, modules, tree)}
    return tuple(sorted((*(guarded & moved), *((path or b".") + b"/" for path in folders))))


def _imports_from(place: bytes, homes: set[bytes], modules: list[bytes], tree: TreeOnDisk) -> bool:
    """Whether one of the modules imports, by its name, a folder of theirs in this place that is not a regular package."""
    names = [
        re.escape(home.rpartition(b"/")[2])
        for home in homes
        if home and home.rpartition(b"/")[0] == place and home + b"/__init__.py" not in tree.manifest
    ]
    wanted = re.compile(rb"^[ \t]*(from|import)[ \t]+(%b)\b" % b"|".join(names), re.MULTILINE)
    files = (tree.root / os.fsdecode(path) for path in modules if tree.manifest[path][0] != SYMLINK)
    return bool(names) and any(wanted.search(file.read_bytes()) for file in files)


@lru_cache(maxsize=8)
def shows_mapped_writes(folder: Path) -> bool:
    """Whether the file system of a folder moves the time of change when a file is written through mapped memory.

    One in memory does not, for pages that were read first.
    """
    with tempfile.TemporaryFile(dir=folder) as file:
        file.write(bytes(mmap.PAGESIZE))
        file.flush()
        before = os.fstat(file.fileno()).st_ctime_ns
        time.sleep(2 * time.clock_getres(_COARSE))
        with mmap.mmap(file.fileno(), mmap.PAGESIZE) as memory:
            memory[0] = memory[1] + 1
        return os.fstat(file.fileno()).st_ctime_ns != before


def _everything(start: bytes) -> Iterator[bytes]:
    cut = len(start) + 1
    for place, folders, files in os.walk(start):
        yield place[cut:]
        # A link to a folder counts as a folder there, and is not entered.
        for name in (*files, *(name for name in folders if os.path.islink(os.path.join(place, name)))):  # noqa: PTH114, PTH118
            yield os.path.join(place, name)[cut:]  # noqa: PTH118 - paths of bytes


def _facts(start: bytes, path: bytes) -> Facts:
    try:
        found = os.lstat(os.path.join(start, path))  # noqa: PTH118
    except OSError:
        return _GONE
    return found.st_dev, found.st_ino, found.st_ctime_ns
