"""Both sides on disk: each tree is written once from the private store; a rebuild puts the built tree in its place."""

from __future__ import annotations

import hashlib
import os
import stat
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

from truelap.errors import WorldError
from truelap.world.files import Held, TreeOnDisk, copy_tree, prove, write_tree
from truelap.world.removal import remove_folder

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Hashable, Iterator, Mapping
    from pathlib import Path

    from truelap.model import Case
    from truelap.world.git import Store
    from truelap.world.workspace import Workspace


Found = TypeVar("Found")


@contextmanager
def overlaid(
    copy: TreeOnDisk, original: TreeOnDisk, sources: Mapping[bytes, bytes], *, restore: bool = False
) -> Iterator[TreeOnDisk]:
    """A step's copy with the judge's own content in place of some files, which only the judge has written so far.

    Args:
        copy: the step's.
        original: what it was copied from.
        sources: path -> content; each is a file of the tree.
        restore: put back what was there, for a copy that other steps use as well.
    """
    manifest = dict(copy.manifest)
    for path, content in sources.items():
        _overwrite(copy.root / os.fsdecode(path), content)
        manifest[path] = Held(manifest[path].mode, hashlib.sha256(content).hexdigest(), len(content))
    yield TreeOnDisk(copy.root, manifest)
    for path in sources if restore else ():
        _overwrite(copy.root / os.fsdecode(path), (original.root / os.fsdecode(path)).read_bytes())


def _overwrite(place: Path, content: bytes) -> None:
    # A step before this one may have had it read-only.
    place.chmod(place.stat().st_mode | stat.S_IWUSR)
    place.write_bytes(content)


class Trees:
    """Trees on disk by their id in the store. No step runs in one of these: each gets a copy from `fresh`."""

    def __init__(self, store: Store, workspace: Workspace) -> None:
        self._store = store
        self._workspace = workspace
        self._written: dict[str, TreeOnDisk] = {}
        self._shared: dict[Path, TreeOnDisk] = {}
        self._known: dict[tuple[Path, Hashable], Any] = {}

    def base(self, case: Case) -> TreeOnDisk:
        """The starting tree, with what its build made once the rebuild station has run."""
        return self._tree(case.base.tree)

    def candidate(self, case: Case) -> TreeOnDisk:
        """The assembled candidate, likewise. It is base as long as nothing was admitted.

        Raises:
            WorldError: no candidate was assembled yet.
        """
        if case.candidate_tree is None:
            raise WorldError("no candidate tree was assembled before it was asked for")
        return self._tree(case.candidate_tree)

    def replace(self, tree_id: str, built: TreeOnDisk) -> None:
        """Let `built` stand for a tree from now on."""
        self._written[tree_id] = built

    @contextmanager
    def fresh(
        self, tree: TreeOnDisk, name: str, *, shared: bool = False, without: Collection[bytes] = ()
    ) -> Iterator[TreeOnDisk]:
        """A copy for one step, removed afterwards. The original is proved against its manifest first.

        Args:
            tree: what to copy.
            name: of the step.
            shared: give every such step of a tree the same copy instead (the defence `fresh_tree` is off).
            without: paths that are left out.

        Raises:
            WorldError: the original is not what was written: something outside a sandbox touched it.
        """
        prove(tree, "files changed outside of any step; is another program using this folder?")
        if tree.root in self._shared:
            yield self._shared[tree.root]
            return
        folder = self._workspace.folder(name)
        copy = copy_tree(tree.without(without), folder)
        if shared:
            self._shared[tree.root] = copy
        try:
            yield copy
        finally:
            if not shared:
                remove_folder(folder)

    def known(self, tree: TreeOnDisk, key: Hashable, find: Callable[[], Found]) -> Found:
        """What was found out about a tree, once for all stations.

        Args:
            tree: of a side, not a step's copy.
            key: everything else that it depends on.
            find: finds it out.
        """
        place = tree.root, key
        if place not in self._known:
            self._known[place] = find()
        found: Found = self._known[place]
        return found

    def _tree(self, tree_id: str) -> TreeOnDisk:
        if tree_id not in self._written:
            folder = self._workspace.folder(f"tree-{tree_id[:16]}")
            self._written[tree_id] = write_tree(self._store, tree_id, folder)
        return self._written[tree_id]
