"""Removes what a step without namespaces has written outside of its tree. Also imported by its launcher, alone: few imports."""

from __future__ import annotations

import os
from pathlib import Path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from truelap.world import removal
else:
    try:
        from truelap.world import removal
    except ImportError:
        import removal

SHARED = "/dev/shm"  # noqa: S108 - semaphores and shared memory have no other place
"""Where programs of all users may write, without a namespace to keep them apart."""


def remove(folder: str) -> None:
    """Remove a folder of a step that has ended."""
    removal.remove_folder(Path(folder))


def shared(uid: int) -> list[os.DirEntry[str]]:
    """What a user owns in the folder that all users share. Only files: a step may make nothing else there."""
    try:
        with os.scandir(SHARED) as found:
            return [entry for entry in found if _is_file_of(entry, uid)]
    except FileNotFoundError:
        return []


def remove_shared(uid: int) -> None:
    """Remove all that a user owns in the shared folder."""
    for entry in shared(uid):
        try:
            os.unlink(entry.path)  # noqa: PTH108 - as the entry gives it
        except FileNotFoundError:
            continue


def _is_file_of(entry: os.DirEntry[str], uid: int) -> bool:
    try:
        return entry.is_file(follow_symlinks=False) and entry.stat(follow_symlinks=False).st_uid == uid
    except FileNotFoundError:
        return False
