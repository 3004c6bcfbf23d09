"""Removes a folder that hostile code could write: any depth, any mode, any name, no link followed."""

from __future__ import annotations

import itertools
import os
import secrets
import stat
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_OPEN = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


def remove_folder(folder: Path, *, timeout_s: float = 600.0) -> bool:
    """Remove a folder and all below it. Nothing may be writing there any more.

    Folders are moved up to the top one by one instead of being walked down, so neither depth nor length of paths matters.

    Returns:
        Whether it is gone; False when `timeout_s` was over first (what is left can be removed by another call).

    Raises:
        OSError: something cannot be removed.
    """
    deadline = time.monotonic() + timeout_s
    token = secrets.token_hex(8)
    names = (f".truelap-removed-{token}-{number}" for number in itertools.count())
    try:
        top = _opened(os.fspath(folder), None)
    except FileNotFoundError:
        return True
    try:
        waiting = _empty(top, top, names, deadline)
        while waiting:
            name = waiting.pop()
            inner = _opened(name, top)
            try:
                waiting += _empty(inner, top, names, deadline)
            finally:
                os.close(inner)
            os.rmdir(name, dir_fd=top)
    except TimeoutError:
        return False
    finally:
        os.close(top)
    folder.rmdir()
    return True


def _opened(name: str, parent: int | None) -> int:
    if not stat.S_ISDIR(os.stat(name, dir_fd=parent, follow_symlinks=False).st_mode):
        raise NotADirectoryError(f"{name} is no folder")
    os.chmod(name, 0o700, dir_fd=parent)
    return os.open(name, _OPEN, dir_fd=parent)


def _empty(folder: int, top: int, names: Iterator[str], deadline: float) -> list[str]:
    """Unlink the files of a folder and move its folders to `top`.

    Returns:
        The new names of those folders.
    """
    moved = []
    with os.scandir(folder) as found:
        entries = [(entry.name, entry.is_dir(follow_symlinks=False)) for entry in found]
    for name, is_folder in entries:
        if time.monotonic() >= deadline:
            raise TimeoutError
        if not is_folder:
            os.unlink(name, dir_fd=folder)
            continue
        new = next(names)
        # Its ".." is about to change, so it must be writable.
        os.chmod(name, 0o700, dir_fd=folder)
        os.rename(name, new, src_dir_fd=folder, dst_dir_fd=top)
        moved.append(new)
    return moved
