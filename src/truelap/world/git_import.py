"""Brings one tree out of a repository that is not trusted: git reads its objects, never its configuration.

Names are resolved in a scratch directory of ours that holds nothing of the repository but its references. Objects come
in as content only: the store computes every id itself, so an object that was forged under an old id is not found again.
"""

from __future__ import annotations

import hashlib
import os
import re
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, NamedTuple

from truelap.errors import UsageError
from truelap.model import EXECUTABLE, REGULAR, shown
from truelap.world.disk import read_file, walk
from truelap.world.git_listing import bound_tree
from truelap.world.git_process import Git, GitError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from truelap.world.git import Store
    from truelap.world.git_listing import Bounds

_REFS_BYTES = 1 << 26
_REF_BYTES = 1 << 12
_MAX_REFS = 200_000
_COMMIT_BYTES = 1 << 24
_HEX = re.compile(rb"[0-9a-f]{40}")
_ABBREVIATED = re.compile("[0-9a-fA-F]{4,39}")
_SHA256_HEX = re.compile(rb"[0-9a-f]{64}")
_REF_NAME = re.compile(rb"refs/(?!replace/)[^\x00-\x20\x7f~^:?*\[\\]+")
# Old repositories hold trees with such modes; the store writes its own form of every tree anyway.
_STRICT = "--strict=zeroPaddedFilemode=ignore"


class DamagedError(UsageError):
    """Objects of a repository are missing, cannot be read, or are not what their ids say."""


class Submitted(NamedTuple):
    """What a submission's tree is held against: path and blob of every file of base, and how much may differ."""

    base: Mapping[bytes, str]
    bounds: Bounds


class Imported(NamedTuple):
    """A tree that came in: the commit it was named by, and the gitlinks (path, commit id) that were left out of it."""

    commit: str
    tree: str
    gitlinks: tuple[tuple[bytes, str], ...]


def import_revision(store: Store, repo: Path, revision: str, of: Submitted | None) -> Imported:
    """See `Store.import_revision`."""
    git_dir, common = find_git_dir(repo)
    with TemporaryDirectory(prefix="import-", dir=store.folder) as name:
        try:
            scratch = _scratch(Path(name), git_dir, common)
            commit = _commit_id(scratch, repo, revision)
            tree = _tree_of(scratch, commit, repo)
            if of is not None:
                bound_tree(scratch, tree, of.base, of.bounds)
            pack = _pack(scratch, tree, Path(name))
            if pack is not None:
                with pack.open("rb") as stream:
                    store.git.bounded().run("index-pack", _STRICT, "--stdin", stdin=stream)
            canonical, gitlinks = store.without_gitlinks(tree)
        except GitError as failed:
            raise DamagedError(
                f"{repo}: objects of {revision!r} are missing or not what their ids say ({failed.reason});"
                " fetch them whole, or take a clean clone"
            ) from failed
    return Imported(commit, canonical, gitlinks)


def find_git_dir(repo: Path) -> tuple[Path, Path]:
    """The git directory of a repository's root folder, and the one that it shares objects and references with.

    They differ for a linked worktree only. A bare repository is its own git directory.

    Raises:
        UsageError: there is no repository here.
    """
    try:
        git_dir, common = _git_dirs(repo)
        whole = (git_dir / "HEAD").is_file() and (common / "objects").is_dir()
        found = git_dir.resolve(), common.resolve()
    except (OSError, ValueError, RuntimeError):
        # A name that no file system holds, or links in a circle: whoever wrote `.git` wrote that.
        whole = False
    if not whole:
        raise UsageError(
            f"{repo}: no git repository; name its root folder, or give a plain folder with --base-dir"
        )
    return found


def _git_dirs(repo: Path) -> tuple[Path, Path]:
    git_dir = repo / ".git"
    if git_dir.is_file():
        pointer = read_file(git_dir, _REF_BYTES)
        git_dir = repo / os.fsdecode(pointer.removeprefix(b"gitdir:").strip())
    elif not git_dir.is_dir():
        git_dir = repo
    common_file = git_dir / "commondir"
    common = (
        git_dir / os.fsdecode(read_file(common_file, _REF_BYTES).strip())
        if common_file.is_file()
        else git_dir
    )
    return git_dir, common


def _scratch(folder: Path, git_dir: Path, common: Path) -> Git:
    for item in walk(common / "objects"):
        if item.mode not in {REGULAR, EXECUTABLE}:
            # git would wait for a pipe's other end without end.
            raise UsageError(f"{common}: a link or special file lies among the objects ({shown(item.path)})")
    git = Git(folder / "git").bounded()
    git.git_dir.mkdir()
    git.run("init", "--quiet", "--bare", "--template=")
    refs = dict(_references(common))
    head = read_file(git_dir / "HEAD", _REF_BYTES).strip()
    if any(_SHA256_HEX.fullmatch(value) for value in (head, *refs.values())):
        raise UsageError(
            f"{git_dir}: SHA-256 object names are not supported; give the folder with --base-dir"
        )
    resolved = {name: _resolve(refs, value) for name, value in refs.items()}
    lines = [b"%s %s\n" % (value, name) for name, value in sorted(resolved.items()) if value]
    (git.git_dir / "packed-refs").write_bytes(b"".join(lines))
    (git.git_dir / "HEAD").write_bytes((_resolve(refs, head) or b"ref: refs/heads/none") + b"\n")
    shallow = common / "shallow"
    if shallow.is_file():
        grafts = [line for line in read_file(shallow, _REFS_BYTES).splitlines() if _HEX.fullmatch(line)]
        (git.git_dir / "shallow").write_bytes(b"".join(line + b"\n" for line in grafts))
    return git.having(GIT_ALTERNATE_OBJECT_DIRECTORIES=_quoted(common / "objects"))


def _references(common: Path) -> Iterator[tuple[bytes, bytes]]:
    packed = common / "packed-refs"
    if packed.is_file():
        for line in read_file(packed, _REFS_BYTES).splitlines():
            value, _, name = line.partition(b" ")
            if _REF_NAME.fullmatch(name):
                yield name, value
    for count, item in enumerate(walk(common / "refs")):
        if count > _MAX_REFS:
            raise UsageError(f"{common}: more than {_MAX_REFS} references; pack them (git pack-refs --all)")
        name = b"refs/" + item.path
        if item.mode == REGULAR and item.size <= _REF_BYTES and _REF_NAME.fullmatch(name):
            yield name, item.read().strip()


def _resolve(refs: dict[bytes, bytes], value: bytes) -> bytes | None:
    for _ in range(5):
        if _HEX.fullmatch(value):
            return value
        value = refs.get(value.removeprefix(b"ref:").strip(), b"")
    return None


def _cut(scratch: Git) -> str:
    cut = (scratch.git_dir / "shallow").is_file()
    return " (it is a shallow clone; take a whole one)" if cut else ""


def _commit_id(scratch: Git, repo: Path, revision: str) -> str:
    if _ABBREVIATED.fullmatch(revision) and _is_ambiguous(scratch, revision):
        raise UsageError(
            f"{repo}: {revision} is short for a commit id and also the name of a branch or tag; name the commit by its full id"
        )
    try:
        return scratch.text("rev-parse", "--verify", "--quiet", "--end-of-options", revision + "^{commit}")
    except (GitError, ValueError) as error:
        raise UsageError(
            f"{repo}: no commit {revision!r}; name a commit id, branch or tag that this repository holds{_cut(scratch)}"
        ) from error


def _is_ambiguous(scratch: Git, revision: str) -> bool:
    """Git takes a reference of that name before the commit, and whoever owns the repository can make one."""
    named = scratch.text(
        "for-each-ref",
        *(f"{place}/{revision}" for place in ("refs/heads", "refs/tags", "refs/remotes", "refs")),
    )
    return bool(named) and bool(scratch.text("rev-parse", f"--disambiguate={revision}"))


def _tree_of(scratch: Git, commit: str, repo: Path) -> str:
    if int(scratch.text("cat-file", "-s", commit)) > _COMMIT_BYTES:
        raise DamagedError(f"{repo}: commit {commit} has more than {_COMMIT_BYTES} bytes")
    content = scratch.run("cat-file", "commit", commit)
    digest = hashlib.sha1(b"commit %d\0" % len(content), usedforsecurity=False)
    digest.update(content)
    if digest.hexdigest() != commit or not content.startswith(b"tree "):
        raise DamagedError(
            f"{repo}: commit {commit} is not what its id says; the repository is damaged or forged"
        )
    return content[5:45].decode("ascii", "replace")


def _pack(scratch: Git, tree: str, folder: Path) -> Path | None:
    scratch.run(
        "pack-objects", "--quiet", "--revs", "--window=0", str(folder / "pack"), stdin=f"{tree}\n".encode()
    )
    return next(folder.glob("pack-*.pack"), None)


def _quoted(path: Path) -> str:
    r"""A path as git reads it from a list of directories, whatever characters it holds.

    >>> _quoted(Path('/a:b"c'))
    '"/a:b\\"c"'
    """
    escaped = str(path).replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'
