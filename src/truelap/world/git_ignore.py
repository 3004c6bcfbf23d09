"""Which paths a tree's own `.gitignore` files leave out, as git itself reads them.

The rules are given as contents, so nobody's working tree, `info/exclude` or index has a say.
"""

from __future__ import annotations

import os
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from truelap.model import SYMLINK

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from truelap.world.git import Store
    from truelap.world.git_listing import TreeFile
    from truelap.world.git_process import Git


def is_ignore_file(path: bytes) -> bool:
    """Whether the last component is `.gitignore`."""
    return path == b".gitignore" or path.endswith(b"/.gitignore")


def rules_of(store: Store, files: Iterable[TreeFile]) -> dict[bytes, bytes]:
    """Path and content of every `.gitignore` file of a tree; a link counts for nothing, as with git."""
    found = [file for file in files if is_ignore_file(file.path) and file.mode != SYMLINK]
    contents = store.blobs(file.blob for file in found)
    return {file.path: content for file, (_, content) in zip(found, contents, strict=True)}


def ignored(git: Git, rules: Mapping[bytes, bytes], paths: Iterable[bytes]) -> frozenset[bytes]:
    """Those of the `paths` that are ignored.

    Args:
        git: a git directory of ours.
        rules: path and content of every `.gitignore` file.
        paths: of files, relative to the same root; none of them has to exist.
    """
    # With `./` before it, no path is taken for a pathspec with magic.
    asked = b"".join(b"./%s\0" % path for path in paths)
    if not (rules and asked):
        return frozenset()
    with TemporaryDirectory(prefix="ignore-", dir=git.git_dir) as name:
        for path, content in rules.items():
            place = Path(name, os.fsdecode(path))
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(content)
        there = git.having(cwd=Path(name), GIT_WORK_TREE=name)
        # Exit status 1 says that none of them is ignored.
        found = there.run("check-ignore", "-z", "--stdin", "--no-index", stdin=asked, accept=(0, 1))
    return frozenset(path.removeprefix(b"./") for path in found.split(b"\0")[:-1])
