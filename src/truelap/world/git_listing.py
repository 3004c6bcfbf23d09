"""The files of a tree, one by one; and how many of them a submission may change before nobody reads on."""

from __future__ import annotations

from typing import IO, TYPE_CHECKING, NamedTuple

from truelap.model import shown
from truelap.world.disk import UnreadableError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from truelap.world.git_process import Git

_CHUNK = 1 << 16
_LONGEST = 1 << 20
_WITHIN_S = 120.0


class TreeFile(NamedTuple):
    """One file of a tree. `size` is in bytes, -1 for a gitlink and for what is not there."""

    path: bytes
    mode: int
    blob: str
    size: int


class Bounds(NamedTuple):
    """How much a submission may change: files, and bytes of all changed and new files together."""

    files: int
    unpacked_bytes: int


class TooMuchError(UnreadableError):
    """A submission changes more than it may; `files` and `unpacked_bytes` say how much, as far as it was read."""

    def __init__(self, message: str, *, files: int = 0, unpacked_bytes: int = 0) -> None:
        super().__init__(message)
        self.files = files
        self.unpacked_bytes = unpacked_bytes


class Tally:
    """Adds up what a submission changes."""

    def __init__(self, bounds: Bounds) -> None:
        self._bounds = bounds
        self._files = self._bytes = 0

    def add(self, path: bytes, size: int) -> None:
        """Count one changed or new file.

        Raises:
            TooMuchError: with it there are too many, or they are too large.
        """
        self._files += 1
        self._bytes += max(size, 0)
        self.check(path)

    def check(self, path: bytes, coming: int = 0) -> None:
        """See whether so many bytes more would be too many."""
        files, size = self._files, self._bytes + coming
        if files > self._bounds.files:
            message = (
                f"more than {self._bounds.files} files are changed or new ({shown(path)} is one too many)"
            )
            raise TooMuchError(message, files=files)
        if size > self._bounds.unpacked_bytes:
            message = f"{shown(path)} brings the changed files to {size} bytes; the limit is {self._bounds.unpacked_bytes}"
            raise TooMuchError(message, unpacked_bytes=size)


def list_files(git: Git, tree: str, *, within_s: float | None = None) -> Iterator[TreeFile]:
    """Every file of a tree, sorted by path, read as git finds them.

    Args:
        git: where the tree is.
        tree: its id.
        within_s: seconds until git is ended; a few objects can name more folders than anybody could visit.

    Raises:
        GitError: there is no such tree, a part of it is missing, or the time is over.
        UnreadableError: a path without end.
    """
    deadline = {} if within_s is None else {"within_s": within_s}
    with git.talk("ls-tree", "-r", "-z", "-l", "--full-tree", tree, **deadline) as pipes:
        for line in _fields(pipes.stdout):
            facts, path = line.split(b"\t", 1)
            mode, _, blob, size = facts.split()
            yield TreeFile(path, int(mode, 8), blob.decode(), int(size) if size.isdigit() else -1)


def bound_tree(git: Git, tree: str, base: Mapping[bytes, str], bounds: Bounds) -> None:
    """See that a submission's tree does not differ from base in more than it may; nothing but sizes is read.

    Args:
        git: where the submission's objects are; the sizes that they claim can only be too large.
        tree: the submission's.
        base: path and blob of every file of base.
        bounds: what it may.

    Raises:
        TooMuchError: it differs in more.
        GitError: see `list_files`.
    """
    tally = Tally(bounds)
    for file in list_files(git, tree, within_s=_WITHIN_S):
        if base.get(file.path) != file.blob:
            tally.add(file.path, file.size)


def _fields(stream: IO[bytes]) -> Iterator[bytes]:
    rest = b""
    while chunk := stream.read(_CHUNK):
        *whole, rest = (rest + chunk).split(b"\0")
        yield from whole
        if len(rest) > _LONGEST:
            raise UnreadableError(f"{shown(rest[:80])}...: a path of more than {_LONGEST} bytes")
