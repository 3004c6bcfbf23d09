"""Fresh unprivileged users: one for each live sandbox of the whole machine, given back by the kernel when the judge dies."""

from __future__ import annotations

import fcntl
import os
import secrets
import stat
from pathlib import Path
from typing import TYPE_CHECKING

from truelap.errors import WorldError
from truelap.world import procfs

if TYPE_CHECKING:
    from collections.abc import Iterator

_FOLDERS = (Path("/run/truelap-users"), Path("/tmp/.truelap-users"))  # noqa: S108 - root's own, checked below
_RANGES = ((600_000, 4096), (60_000, 1024))
"""First user and how many: above all that distributions hand out, else the last ones of a container with 65536 users."""

_TRIES = 64


class Lease:
    """A user that nobody else uses as long as this lease is open."""

    def __init__(self, uid: int, lock: int) -> None:
        self.uid = uid
        self._lock = lock

    def release(self) -> None:
        """Give the user back. May be called again."""
        if self._lock >= 0:
            os.close(self._lock)
            self._lock = -1


def lease_user() -> Lease:
    """Take a user that owns no process and that no other truelap has taken. Only for a root judge.

    Raises:
        WorldError: no place for the locks, or no free user.
    """
    folder = _lock_folder()
    first, count = _usable_range(Path("/proc/self/uid_map").read_text(encoding="ascii"))
    offset = secrets.randbelow(count)
    for step in range(_TRIES):
        uid = first + (offset + step) % count
        lock = _try_lock(folder / str(uid))
        if lock is None:
            continue
        if not procfs.of_user(uid):
            return Lease(uid, lock)
        os.close(lock)
    raise WorldError(f"no free user among {first}..{first + count - 1}; see the locks in {folder}")


def abandoned() -> Iterator[Lease]:
    """Users whose judge is dead and that still run something, each held as long as the caller looks at it."""
    folder = _lock_folder()
    first, count = _usable_range(Path("/proc/self/uid_map").read_text(encoding="ascii"))
    alive = {uid for pid in procfs.all_pids() for uid in procfs.users(pid)}
    for uid in sorted(alive & set(range(first, first + count))):
        # Without a lock file the user was never ours.
        lock = _try_lock(folder / str(uid)) if (folder / str(uid)).exists() else None
        if lock is not None:
            lease = Lease(uid, lock)
            try:
                yield lease
            finally:
                lease.release()


def _try_lock(path: Path) -> int | None:
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        return None
    return descriptor


def _lock_folder() -> Path:
    for folder in _FOLDERS:
        try:
            folder.mkdir(mode=0o700, exist_ok=True)
            facts = folder.lstat()
        except OSError:
            continue
        if stat.S_ISDIR(facts.st_mode) and facts.st_uid == os.geteuid() and not facts.st_mode & 0o022:
            return folder
    raise WorldError(
        f"no folder for the locks of sandbox users: neither {_FOLDERS[0]} nor {_FOLDERS[1]} can be used"
    )


def _usable_range(uid_map: str) -> tuple[int, int]:
    """The first range of ours that the user namespace of the judge knows."""
    known = [tuple(map(int, line.split())) for line in uid_map.splitlines()]
    for first, count in _RANGES:
        if any(inner <= first and first + count <= inner + length for inner, _, length in known):
            return first, count
    raise WorldError(
        "this container has too few users: sandboxes need one of their own (uid 60000 to 61023 would do)"
    )
