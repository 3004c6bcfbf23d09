"""Brings a pristine directory in as one tree, without asking any git repository in it.

Untracked suites, nested repositories and submodules become plain files. What the directory's own ignore rules name is
left out, unless a repository tracks it or the task carries it; byte code of Python never comes along.
"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from truelap.errors import UsageError
from truelap.model import REGULAR
from truelap.world.disk import SPECIAL, is_git, read_file, walk
from truelap.world.git_ignore import ignored, is_ignore_file
from truelap.world.git_import import find_git_dir
from truelap.world.git_process import GitError

if TYPE_CHECKING:
    from pathlib import Path

    from truelap.world.git import Store

_BYTE_CODE = re.compile(rb"(^|/)__pycache__/|\.py[co]\Z")
_INDEX_BYTES = 1 << 28


def import_directory(store: Store, folder: Path, carry: tuple[str, ...]) -> str:
    """See `Store.import_directory`."""
    if not folder.is_dir():
        raise UsageError(f"{folder}: no folder; name the pristine directory with --base-dir")
    chosen = _chosen(store, folder, carry)
    with store.writer() as writer:
        entries = [
            (item.path, item.mode, writer.add(item.read())) for item in walk(folder) if item.path in chosen
        ]
    try:
        return store.replace(None, entries)
    except GitError as failed:
        raise UsageError(f"{folder}: holds a name that git cannot hold ({failed.reason})") from failed


def _chosen(store: Store, folder: Path, carry: tuple[str, ...]) -> frozenset[bytes]:
    repositories: list[bytes] = []

    def passed_over(path: bytes) -> bool:
        if is_git(path):
            repositories.append(path)
        return is_git(path) or _BYTE_CODE.search(path) is not None

    rules: dict[bytes, bytes] = {}
    paths: set[bytes] = set()
    for item in walk(folder, passed_over=passed_over):
        if item.mode != SPECIAL:
            paths.add(item.path)
        if item.mode == REGULAR and is_ignore_file(item.path):
            rules[item.path] = item.read()
    tracked = {path for place in repositories for path in _tracked(store, folder, place)}
    carried = ignored(store.git, {b".gitignore": "\n".join(carry).encode()}, paths)
    left_out = ignored(store.git, rules, paths) - carried - tracked
    return frozenset(paths - left_out)


def _tracked(store: Store, folder: Path, git_path: bytes) -> list[bytes]:
    root = git_path.removesuffix(b".git")
    try:
        git_dir, _ = find_git_dir(folder / os.fsdecode(root))
    except UsageError:
        return []
    index = git_dir / "index"
    if not index.is_file():
        return []
    copy = store.folder / "tracked"
    copy.write_bytes(read_file(index, _INDEX_BYTES))
    try:
        found = store.git.having(GIT_INDEX_FILE=str(copy)).run("ls-files", "-z")
    except GitError as failed:
        raise UsageError(f"{index}: cannot be read ({failed.reason}); take a plain checkout") from failed
    return [root + path for path in found.split(b"\0")[:-1]]
