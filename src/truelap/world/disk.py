"""Reads a folder that hostile code has written: no link is followed, no special file opened, nothing is run or changed."""

from __future__ import annotations

import errno
import hashlib
import os
import stat
from contextlib import contextmanager
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from truelap.errors import UsageError
from truelap.model import EXECUTABLE, REGULAR, SYMLINK, shown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

SPECIAL = 0
"""Mode of a socket, pipe or device: nothing that a tree can hold."""

_MAX_DEPTH = 200
_MAX_NAMES = 2_000_000
_PIECE = 1 << 20
_OPEN = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


class UnreadableError(UsageError):
    """Something in a folder cannot be read, or cannot be part of a tree; the text names it."""


class Item(NamedTuple):
    """One file, link or special file, while its folder is open."""

    path: bytes
    """Relative to the root of the walk."""
    mode: int
    size: int
    folder: int
    """Descriptor of the folder it lies in; valid until the walk goes on."""
    name: str

    def read(self) -> bytes:
        """Content of a file, or target of a link.

        Raises:
            UnreadableError: no permission, or it is something else by now.
        """
        try:
            if self.mode == SYMLINK:
                return os.fsencode(os.readlink(self.name, dir_fd=self.folder))
            with os.fdopen(os.open(self.name, _OPEN, dir_fd=self.folder), "rb") as stream:
                if not stat.S_ISREG(os.fstat(stream.fileno()).st_mode):
                    raise UnreadableError(f"{shown(self.path)} is no regular file any more")
                return stream.read()
        except OSError as error:
            raise _unreadable(self.path, error) from error

    def sha256(self) -> str:
        """Digest of a file's content, read piece by piece, or of a link's target.

        Raises:
            UnreadableError: as for `read`.
        """
        if self.mode == SYMLINK:
            return hashlib.sha256(self.read()).hexdigest()
        digest, left = hashlib.sha256(), self.size
        try:
            with os.fdopen(os.open(self.name, _OPEN, dir_fd=self.folder), "rb") as stream:
                while left > 0 and (piece := stream.read(min(left, _PIECE))):
                    digest.update(piece)
                    left -= len(piece)
        except OSError as error:
            raise _unreadable(self.path, error) from error
        return digest.hexdigest()


def is_git(path: bytes) -> bool:
    """Whether the last component is `.git`."""
    return path == b".git" or path.endswith(b"/.git")


def walk(root: Path, *, passed_over: Callable[[bytes], bool] = is_git) -> Iterator[Item]:
    """Every file, link and special file below a folder, sorted folder by folder.

    Args:
        root: an existing folder (a link to one is followed here, and only here).
        passed_over: says of a path, relative to `root`, that it and what lies below it do not count;
            normally every component named `.git`.

    Raises:
        UnreadableError: a folder cannot be listed or is enormous, or folders are nested deeper than 200.
    """
    with _opened(b"", str(root), None, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC) as folder:
        yield from _walk(folder, b"", passed_over, 0)


def _walk(folder: int, prefix: bytes, passed_over: Callable[[bytes], bool], depth: int) -> Iterator[Item]:
    if depth > _MAX_DEPTH:
        raise UnreadableError(f"{shown(prefix[:80])}...: folders are nested deeper than {_MAX_DEPTH}")
    with os.scandir(folder) as found:
        names = sorted(entry.name for entry in islice(found, _MAX_NAMES))
    if len(names) == _MAX_NAMES:
        raise UnreadableError(f"{shown(prefix[:80]) or '.'}: holds {_MAX_NAMES} names or more")
    for name in names:
        path = prefix + os.fsencode(name)
        if passed_over(path):
            continue
        try:
            facts = os.stat(name, dir_fd=folder, follow_symlinks=False)
        except FileNotFoundError:
            continue
        if not stat.S_ISDIR(facts.st_mode):
            yield Item(path, git_mode(facts.st_mode), facts.st_size, folder, name)
        else:
            with _opened(path, name, folder, _OPEN | os.O_DIRECTORY) as inner:
                yield from _walk(inner, path + b"/", passed_over, depth + 1)


def git_mode(mode: int) -> int:
    """Git's mode for what `lstat` says; `SPECIAL` for what git does not hold."""
    if stat.S_ISLNK(mode):
        return SYMLINK
    if stat.S_ISREG(mode):
        return EXECUTABLE if mode & stat.S_IXUSR else REGULAR
    return SPECIAL


def read_file(path: Path | bytes, limit: int) -> bytes:
    """Content of a regular file of bounded size.

    Raises:
        UnreadableError: a link, something special, too large, or no permission.
    """
    try:
        with os.fdopen(os.open(path, _OPEN), "rb") as stream:
            content = stream.read(limit + 1) if stat.S_ISREG(os.fstat(stream.fileno()).st_mode) else None
    except OSError as error:
        raise _unreadable(os.fsencode(path), error) from error
    if content is None or len(content) > limit:
        raise UnreadableError(f"{shown(os.fsencode(path))}: no regular file of at most {limit} bytes")
    return content


@contextmanager
def _opened(path: bytes, name: str, folder: int | None, flags: int) -> Iterator[int]:
    try:
        descriptor = os.open(name, flags, dir_fd=folder)
    except OSError as error:
        raise _unreadable(path or os.fsencode(name), error) from error
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def _unreadable(path: bytes, error: OSError) -> UnreadableError:
    why = "it turned into a link" if error.errno == errno.ELOOP else error.strerror
    return UnreadableError(f"{shown(path)}: cannot be read: {why}")
