"""File contents in and out of the private store, one at a time: any number of them in the memory of the largest."""

from __future__ import annotations

import hashlib
from contextlib import contextmanager
from itertools import islice
from typing import IO, TYPE_CHECKING

from truelap.errors import WorldError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from truelap.world.git_process import Git, Pipes

# Requests written ahead of their answers; small enough for a pipe's buffer, so neither end waits for the other.
_AHEAD = 256
_CHUNK = 1 << 20


def blob_id(content: bytes) -> str:
    """The id that git gives to a file's content.

    >>> blob_id(b"")
    'e69de29bb2d1d6434b8b29ae775ad8c2e48c5391'
    """
    digest = hashlib.sha1(b"blob %d\0" % len(content), usedforsecurity=False)
    digest.update(content)
    return digest.hexdigest()


def read_blobs(git: Git, ids: Iterable[str], limit: int | None) -> Iterator[tuple[str, bytes | None]]:
    """Contents in the order of `ids`; None stands for one of more than `limit` bytes, which is passed over unread.

    Raises:
        WorldError: an id names nothing, or no file.
    """
    wanted = iter(ids)
    with git.talk("cat-file", "--batch") as pipes:
        while batch := list(islice(wanted, _AHEAD)):
            pipes.stdin.write("".join(f"{name}\n" for name in batch).encode())
            pipes.stdin.flush()
            for name in batch:
                yield name, _answer(pipes, name, limit)


@contextmanager
def reader(git: Git) -> Iterator[Callable[[str], bytes]]:
    """A function that gives the content of one id after the other, in any order."""
    with git.talk("cat-file", "--batch") as pipes:

        def read(name: str) -> bytes:
            pipes.stdin.write(f"{name}\n".encode())
            pipes.stdin.flush()
            return _answer(pipes, name, None) or b""

        yield read


def _answer(pipes: Pipes, name: str, limit: int | None) -> bytes | None:
    header = pipes.stdout.readline().split()
    if len(header) != 3 or header[1] != b"blob":  # noqa: PLR2004 - id, type, size
        raise WorldError(f"the private store holds no file {name}; is its disk full?")
    size = int(header[2])
    content = None
    if limit is None or size <= limit:
        content = pipes.stdout.read(size)
    else:
        _pass_over(pipes.stdout, size)
    pipes.stdout.read(1)
    return content


def _pass_over(stream: IO[bytes], size: int) -> None:
    while size:
        taken = len(stream.read(min(size, _CHUNK)))
        if not taken:
            raise WorldError("the private store ended in the middle of a file")
        size -= taken


class BlobWriter:
    """Adds contents to the store. They can be read once the `with` block of `write_blobs` has ended."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream

    def add(self, content: bytes) -> str:
        """Add one content and return its id."""
        self._stream.write(b"blob\ndata %d\n" % len(content))
        self._stream.write(content)
        self._stream.write(b"\n")
        return blob_id(content)


@contextmanager
def write_blobs(git: Git) -> Iterator[BlobWriter]:
    """A writer of contents; whether they arrived is proved by the tree that names them.

    Raises:
        GitError: the disk is full, or the like.
    """
    with git.talk("fast-import", "--quiet", "--done", "--depth=0") as pipes:
        yield BlobWriter(pipes.stdin)
        pipes.stdin.write(b"done\n")
