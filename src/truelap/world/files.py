"""Trees on disk: written from raw contents, never by checkout, and proved by hashes.

A tree is written into a fresh folder, links last, so nothing is ever written through a link.
"""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from truelap.errors import WorldError
from truelap.model import EXECUTABLE, GITLINK, SYMLINK
from truelap.world.disk import SPECIAL, UnreadableError, walk

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from truelap.world.disk import Item
    from truelap.world.git import Store
    from truelap.world.git_listing import TreeFile


class Held(NamedTuple):
    """What a tree holds at a path: git mode, and sha256 and bytes of the content (of the target, for a link)."""

    mode: int
    sha256: str
    size: int


Manifest = Mapping[bytes, Held]
"""Path -> what is there."""

_CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


@dataclass(frozen=True)
class TreeOnDisk:
    """A written tree, and what it must look like."""

    root: Path
    manifest: Manifest

    def without(self, paths: Collection[bytes]) -> TreeOnDisk:
        """The tree as if these had never been in it. They are still on disk, so only a copy of it is whole."""
        kept = {path: entry for path, entry in self.manifest.items() if path not in paths}
        return TreeOnDisk(self.root, kept) if paths else self


@dataclass(frozen=True)
class Deviations:
    """How a folder differs from its manifest; all empty when it does not. Folders alone do not count."""

    changed: tuple[bytes, ...] = ()
    missing: tuple[bytes, ...] = ()
    added: tuple[bytes, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.changed or self.missing or self.added)


def write_tree(store: Store, tree: str, into: Path) -> TreeOnDisk:
    """Write a tree and prove it: folders 0755, files 0644 or 0755, links as links.

    Args:
        store: where the tree is.
        tree: its id.
        into: a folder that is absent or empty.

    Raises:
        WorldError: the folder holds something, or what was written is not what was meant.
    """
    _fresh(into)
    listed = [file for file in store.list_tree(tree) if file.mode != GITLINK]
    _make_folders(into, (file.path for file in listed))
    manifest: dict[bytes, Held] = {}
    # Links last (False sorts first): no file can be written through one.
    ordered = sorted(listed, key=lambda file: file.mode == SYMLINK)
    for file, (_, content) in zip(ordered, store.blobs(file.blob for file in ordered), strict=True):
        _write(into, file, content)
        manifest[file.path] = Held(file.mode, hashlib.sha256(content).hexdigest(), len(content))
    written = TreeOnDisk(into, manifest)
    prove(written, "what is on disk is not the tree that was written; is the disk full or failing?")
    return written


def prove(tree: TreeOnDisk, otherwise: str) -> None:
    """See that a tree of ours is on disk as we wrote it.

    Args:
        tree: no step has run in it.
        otherwise: what to say when it is not.

    Raises:
        WorldError: it is not, or cannot be read.
    """
    try:
        found = deviations(tree.root, tree.manifest)
    except UnreadableError as error:
        # Nobody asked for this folder, so it is no error of usage.
        raise WorldError(f"{tree.root}: what was written cannot be read back: {error}") from error
    if found:
        raise WorldError(f"{tree.root}: {otherwise}")


def copy_tree(tree: TreeOnDisk, into: Path) -> TreeOnDisk:
    """Copy a tree for one step, by the kernel and copy-on-write where the file system can.

    Only what the manifest names is copied. The copy shares nothing with the original: a step may own it.
    """
    _fresh(into)
    _make_folders(into, tree.manifest)
    for path, (mode, _, _) in tree.manifest.items():
        source, target = _at(tree.root, path), _at(into, path)
        if mode == SYMLINK:
            target.symlink_to(source.readlink())
        else:
            _copy_file(source, target, mode)
    return TreeOnDisk(into, tree.manifest)


def overlaid(tree: TreeOnDisk, other: TreeOnDisk, paths: Iterable[bytes], into: Path) -> TreeOnDisk:
    """Copy a tree with some paths as another tree has them; what stands in their way is left out.

    Args:
        tree: what to copy.
        other: holds every one of `paths`, none of them a link.
        paths: taken from there.
        into: a folder that is absent or empty.
    """
    taken = {path: other.manifest[path] for path in paths}
    folders = {folder for path in taken for folder in _folders_above(path)}
    kept = {
        path: entry
        for path, entry in tree.manifest.items()
        if path not in taken and path not in folders and taken.keys().isdisjoint(_folders_above(path))
    }
    copy_tree(TreeOnDisk(tree.root, kept), into)
    _make_folders(into, taken)
    for path, (mode, _, _) in taken.items():
        _copy_file(_at(other.root, path), _at(into, path), mode)
    return TreeOnDisk(into, {**kept, **taken})


def _folders_above(path: bytes) -> list[bytes]:
    parts = path.split(b"/")
    return [b"/".join(parts[:depth]) for depth in range(1, len(parts))]


def deviations(root: Path, manifest: Manifest) -> Deviations:
    """Compare a folder with a manifest, by content; links are not followed.

    A file of another size is another file: it is not read, so no step can make the judge read more than the manifest holds.

    Raises:
        UnreadableError: something in the folder cannot be read.
    """
    changed, added, seen = [], [], set()
    for item in walk(root, passed_over=lambda _: False):
        expected = manifest.get(item.path)
        if expected is None:
            added.append(item.path)
            continue
        seen.add(item.path)
        if not _is_as(expected, item):
            changed.append(item.path)
    return Deviations(tuple(changed), tuple(sorted(manifest.keys() - seen)), tuple(added))


def _is_as(expected: Held, item: Item) -> bool:
    # The digest comes last: it is what costs time.
    same_kind = item.mode != SPECIAL and (item.mode, item.size) == (expected.mode, expected.size)
    return same_kind and item.sha256() == expected.sha256


def _fresh(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    if folder.is_symlink() or any(folder.iterdir()):
        raise WorldError(f"{folder}: is not an empty folder; a tree is only written into a fresh one")
    folder.chmod(0o755)


def _make_folders(root: Path, paths: Iterable[bytes]) -> None:
    for parent in sorted({path.rpartition(b"/")[0] for path in paths} - {b""}):
        _at(root, parent).mkdir(mode=0o755, parents=True, exist_ok=True)
    for place, folders, _ in os.walk(root):
        for folder in folders:
            Path(place, folder).chmod(0o755)


def _at(root: Path, path: bytes) -> Path:
    return root / os.fsdecode(path)


def _create(target: Path, mode: int) -> int:
    permission = 0o755 if mode == EXECUTABLE else 0o644
    descriptor = os.open(target, _CREATE, permission)
    os.fchmod(descriptor, permission)
    return descriptor


def _write(root: Path, file: TreeFile, content: bytes) -> None:
    target = _at(root, file.path)
    if file.mode == SYMLINK:
        target.symlink_to(os.fsdecode(content))
        return
    with os.fdopen(_create(target, file.mode), "wb") as stream:
        stream.write(content)


def _copy_file(source: Path, target: Path, mode: int) -> None:
    with source.open("rb") as read, os.fdopen(_create(target, mode), "wb") as write:
        try:
            while os.copy_file_range(read.fileno(), write.fileno(), 1 << 30):
                pass
        except OSError:
            # Not across these file systems, or not with this kernel.
            read.seek(0)
            write.seek(0)
            shutil.copyfileobj(read, write, 1 << 20)
