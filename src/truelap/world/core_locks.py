"""Locks on cores, one file for each core of the host, held by the kernel's word: who dies gives them back.

All users of the host take turns by them, so a file is everybody's to open, and to lock while it is open for reading. It is
nobody's to replace but its maker's and root's, in a folder where nobody removes what is another's. A file that was
replaced all the same is another lock: that is looked at after taking one, and again whenever somebody asks.
"""

from __future__ import annotations

import fcntl
import os
import stat
from pathlib import Path
from typing import TYPE_CHECKING

from truelap.errors import UsageError, WorldError

if TYPE_CHECKING:
    from truelap.world.topology import Core

_PLACES = (Path("/run/lock"), Path("/var/tmp"), Path("/tmp"))  # noqa: S108 - the system's own, checked below
_SHARED = 0o1777
_ANYBODY = 0o444
_TRIES = 16


class CoreLock:
    """A core that is held until it is released, or its holder dies."""

    def __init__(self, path: Path, descriptor: int) -> None:
        self._path = path
        self._descriptor = descriptor

    def held(self) -> bool:
        """Whether this is still the lock that others will try."""
        try:
            named, ours = self._path.lstat(), os.fstat(self._descriptor)
        except OSError:
            return False
        return (named.st_dev, named.st_ino) == (ours.st_dev, ours.st_ino)

    def release(self) -> None:
        """Give it back. May be called again."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1


def lock_folder(named: Path | None = None) -> Path:
    """Where the locks of this host lie: the same folder whoever asks.

    Args:
        named: by the user; None for the first folder of the system's that is everybody's and root's.

    Raises:
        UsageError: the named one is none, or others could replace what lies there.
        WorldError: the system has none.
    """
    if named is not None:
        return _checked(named)
    for folder in _PLACES:
        try:
            facts = folder.lstat()
        except OSError:
            continue
        if stat.S_ISDIR(facts.st_mode) and facts.st_uid == 0 and facts.st_mode & _SHARED == _SHARED:
            return folder
    names = ", ".join(map(str, _PLACES))
    raise WorldError(
        f"no folder for the locks of cores (none of {names} is root's and everybody's); name one with --slots"
    )


def _checked(folder: Path) -> Path:
    try:
        facts = folder.stat()
    except OSError as error:
        raise UsageError(f"--slots {folder}: {error.strerror}; name an existing folder") from error
    if not stat.S_ISDIR(facts.st_mode):
        raise UsageError(f"--slots {folder}: is not a folder")
    if facts.st_mode & 0o022 and not facts.st_mode & stat.S_ISVTX:
        raise UsageError(f"--slots {folder}: others may replace the locks there; chmod 1777 it, or 755")
    return folder


def try_core(folder: Path, core: Core) -> CoreLock | None:
    """Take a core; None when somebody else has it.

    Raises:
        WorldError: the lock cannot be opened.
    """
    path = folder / f"truelap-core-{core.number}"
    for _ in range(_TRIES):
        descriptor = _open(path)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(descriptor)
            return None
        lock = CoreLock(path, descriptor)
        if lock.held():
            return lock
        lock.release()
    raise WorldError(f"{path} is replaced again and again; name another folder with --slots")


def _open(path: Path) -> int:
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK
    try:
        try:
            # Not with O_CREAT: kernels forbid that for what another user made in a shared folder.
            descriptor = os.open(path, flags)
        except FileNotFoundError:
            descriptor = _make(path, flags)
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            os.close(descriptor)
            raise WorldError(f"{path} is no file; remove it, or name another folder with --slots")
    except OSError as error:
        raise WorldError(
            f"{path}: {error.strerror}; remove it, or name another folder with --slots"
        ) from error
    return descriptor


def _make(path: Path, flags: int) -> int:
    try:
        descriptor = os.open(path, flags | os.O_CREAT | os.O_EXCL, _ANYBODY)
    except FileExistsError:
        return os.open(path, flags)
    os.fchmod(descriptor, _ANYBODY)
    return descriptor
