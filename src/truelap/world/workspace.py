"""The judge's private working folder: locked for life, removed at the end, and what dead judges left behind is removed too."""

from __future__ import annotations

import fcntl
import os
import re
import secrets
import stat
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Self

from truelap.errors import UsageError, WorldError
from truelap.world.removal import remove_folder

if TYPE_CHECKING:
    from types import TracebackType

_PREFIX = "truelap-"
_UNBORN = ".truelap-unborn-"
"""A folder carries this name until its lock is held, so that nobody takes it for a dead one."""

_NAME = re.compile(r"(?:truelap-|\.truelap-unborn-)[0-9a-f]{12}")
_MODE = 0o711
_UNBORN_AGE_S = 600.0
_STALE_TIMEOUT_S = 10.0


class Workspace:
    """A folder of mode 0711: a sandbox's user can reach what it is given in it, and cannot look around.

    Args:
        root: an existing folder that is this workspace's alone.
        lock: descriptor that holds the folder's lock.
    """

    def __init__(self, root: Path, lock: int) -> None:
        self.root = root
        self._lock = lock

    def folder(self, label: str) -> Path:  # noqa: ARG002 - for the reader of the call
        """A fresh subfolder.

        Its name says nothing, whatever `label` says: a sandboxed program reads it in /proc/self/mountinfo and must not
        learn there which side it is.

        Raises:
            WorldError: the disk is full, or the folder is gone.
        """
        folder = self.root / secrets.token_hex(8)
        try:
            folder.mkdir()
            folder.chmod(_MODE)
        except OSError as error:
            raise _no_room(self.root, error) from error
        return folder

    def close(self) -> None:
        """Remove everything. Nothing may be running in it any more. May be called again.

        Raises:
            WorldError: something is left.
        """
        if self._lock < 0:
            return
        try:
            if not remove_folder(self.root):
                raise WorldError(f"{self.root} is too large to remove in time; remove it by hand")
        except OSError as error:
            raise WorldError(f"{self.root} cannot be removed: {error.strerror}") from error
        finally:
            os.close(self._lock)
            self._lock = -1

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def open_workspace(parent: Path | None = None) -> Workspace:
    """Make a workspace, and remove those of dead judges beside it.

    Args:
        parent: an existing folder; None for the system's temporary folder.

    Raises:
        UsageError: `parent` is no folder.
        WorldError: it cannot be written, or is full.
    """
    place = (parent or Path(tempfile.gettempdir())).absolute()
    if not place.is_dir():
        raise UsageError(f"--work {place}: there is no such folder; make it or name another one")
    _remove_stale(place)
    token = secrets.token_hex(6)
    unborn, root = place / f"{_UNBORN}{token}", place / f"{_PREFIX}{token}"
    try:
        unborn.mkdir()
        unborn.chmod(_MODE)
        lock = _lock(unborn)
        unborn.rename(root)
    except OSError as error:
        raise _no_room(place, error) from error
    return Workspace(root, lock)


def _no_room(place: Path, error: OSError) -> WorldError:
    return WorldError(
        f"working folder {place}: {error.strerror}; make room there or name another folder with --work"
    )


def _lock(folder: Path) -> int:
    """Lock a folder by its own descriptor: no file of it is needed, and the lock goes with the folder when it is renamed."""
    lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(lock)
        raise
    return lock


def _remove_stale(place: Path) -> None:
    deadline = time.monotonic() + _STALE_TIMEOUT_S
    for folder in sorted([*place.glob(f"{_PREFIX}*"), *place.glob(f"{_UNBORN}*")]):
        # What cannot be removed stays: it is not this run's business.
        with suppress(OSError):
            if _is_ours(folder) and deadline > time.monotonic():
                _remove_if_dead(folder, deadline - time.monotonic())


def _is_ours(folder: Path) -> bool:
    facts = folder.lstat()
    if not _NAME.fullmatch(folder.name) or not stat.S_ISDIR(facts.st_mode) or facts.st_uid != os.geteuid():
        return False
    if folder.name.startswith(_UNBORN):
        return time.time() - facts.st_ctime > _UNBORN_AGE_S
    # The second mode: its removal had begun.
    return stat.S_IMODE(facts.st_mode) in {_MODE, 0o700}


def _remove_if_dead(folder: Path, timeout_s: float) -> None:
    lock = _lock(folder)
    try:
        remove_folder(folder, timeout_s=timeout_s)
    finally:
        os.close(lock)
