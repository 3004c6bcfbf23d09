"""How much a running step holds: memory of its processes, and what it has written to folders of the machine.

All of it is read while hostile code runs: no link is followed, and what vanishes meanwhile counts for nothing.
"""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from truelap.world import procfs, traces

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

_BLOCK = 512
_DEPTH = 200
"""Deeper folders are not looked into, and no hiding place: a tree that has any is refused after the step."""

_OPEN = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


@dataclass(frozen=True)
class Amount:
    """Bytes, and files and folders."""

    bytes: int = 0
    files: int = 0

    def __add__(self, other: Amount) -> Amount:
        return Amount(self.bytes + other.bytes, self.files + other.files)

    def __sub__(self, other: Amount) -> Amount:
        return Amount(self.bytes - other.bytes, self.files - other.files)


class Place(Protocol):
    """Where a step may write without a bound of the kernel's."""

    def free(self) -> Amount:
        """What is left there for everybody; costs nothing to ask.

        Raises:
            OSError: it cannot be asked.
        """

    def written(self) -> Amount:
        """What this step has written; may take long.

        Raises:
            OSError: it cannot be read.
        """


class FolderPlace:
    """A folder that nobody but the step writes to.

    Args:
        path: the folder.
        since: time (`time.time`) before the step was started. The kernel dates every change, and lets nobody forge that date.
    """

    def __init__(self, path: Path, since: float) -> None:
        self._path = path
        self._since = since

    def free(self) -> Amount:
        """See `Place`."""
        return _free(self._path)

    def written(self) -> Amount:
        """See `Place`."""
        try:
            folder = os.open(self._path, _OPEN)
        except PermissionError:
            # It was the judge's own to read: the step has closed it, where both are one user.
            return _TOO_MUCH
        try:
            return _below(folder, self._since, _DEPTH)
        finally:
            os.close(folder)


class SharedPlace:
    """What a sandbox's user has made in the folder of shared memory.

    Args:
        uid: of the step; if it is not of the step alone, what others make counts, too.
        since: as for a folder.
    """

    def __init__(self, uid: int, since: float) -> None:
        self._uid = uid
        self._since = since

    def free(self) -> Amount:
        """See `Place`."""
        try:
            return _free(traces.SHARED)
        except FileNotFoundError:
            return Amount()

    def written(self) -> Amount:
        """See `Place`."""
        found = Amount()
        for entry in traces.shared(self._uid):
            with suppress(OSError):
                facts = entry.stat(follow_symlinks=False)
                found += _counted(facts) if facts.st_ctime >= self._since else Amount()
        return found


_TOO_MUCH = Amount(files=1 << 40)


def memory(pids: Iterable[int]) -> int:
    """Bytes of memory that processes hold; what several share is counted for each, unless the kernel tells more."""
    return sum(procfs.resident_bytes(pid) for pid in pids)


def own_memory(pids: Iterable[int]) -> int:
    """The same, with what is shared divided among those who share it, where the kernel tells. Slow."""
    shares = [(procfs.proportional_bytes(pid), pid) for pid in pids]
    return sum(procfs.resident_bytes(pid) if share is None else share for share, pid in shares)


def nameless(pids: Iterable[int]) -> int:
    """Bytes in files that have no name any more, or never had one, and that processes keep open."""
    found: dict[tuple[int, int], int] = {}
    for pid in pids:
        for facts in procfs.open_files(pid):
            if stat.S_ISREG(facts.st_mode) and facts.st_nlink == 0:
                found[facts.st_dev, facts.st_ino] = facts.st_blocks * _BLOCK
    return sum(found.values())


def _free(path: Path | str) -> Amount:
    facts = os.statvfs(path)
    return Amount(facts.f_bavail * facts.f_frsize, facts.f_favail)


def _below(folder: int, since: float, depth: int) -> Amount:
    found = Amount()
    with os.scandir(folder) as entries:
        for entry in entries:
            with suppress(OSError):
                facts = entry.stat(follow_symlinks=False)
                if facts.st_ctime >= since:
                    found += _counted(facts)
                if stat.S_ISDIR(facts.st_mode):
                    found += _within(folder, entry.name, since, depth) if depth else _TOO_MUCH
    return found


def _within(folder: int, name: str, since: float, depth: int) -> Amount:
    inner = os.open(name, _OPEN, dir_fd=folder)
    try:
        return _below(inner, since, depth - 1)
    finally:
        os.close(inner)


def _counted(facts: os.stat_result) -> Amount:
    return Amount(facts.st_blocks * _BLOCK, 1)
