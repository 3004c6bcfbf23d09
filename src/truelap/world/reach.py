"""Where an unprivileged user gets by the modes of files and folders alone; where it does not, a copy for all to read."""

from __future__ import annotations

import os
import shutil
import stat
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_ENTER, _READ = 0o001, 0o004


def barrier(path: Path, *, way_only: bool = False) -> Path | None:
    """The first folder on the way to a path, or the path itself, that is closed to other users; None when there is none.

    Access lists are not looked at: where they say no and modes say yes, the kernel still does.

    Args:
        path: exists.
        way_only: do not look at the path itself.
    """
    for way in dict.fromkeys((path, path.resolve())):
        for folder in reversed(way.parents):
            if not folder.stat().st_mode & _ENTER:
                return folder
    if way_only:
        return None
    facts = path.stat()
    needed = _READ | _ENTER if stat.S_ISDIR(facts.st_mode) else _READ
    return path if facts.st_mode & needed != needed else None


def copy_for_all(source: Path, into: Path) -> Path:
    """A copy of a file or folder that every user can read.

    Args:
        source: is not changed.
        into: where the copy shall be; its parent exists.
    """
    if source.is_dir():
        shutil.copytree(source, into, symlinks=True)
    else:
        shutil.copy2(source, into)
    for path in _all(into):
        if not path.is_symlink():
            path.chmod(0o755 if path.is_dir() or os.access(path, os.X_OK) else 0o644)
    return into


def _all(top: Path) -> Iterator[Path]:
    yield top
    if top.is_dir():
        yield from top.rglob("*")


def around(folder: Path, hidden: Path) -> Iterator[Path]:
    """What lies below a folder, in as few pieces as there can be, without something hidden that lies below it too."""
    for entry in sorted(folder.iterdir()):
        if entry == hidden or entry.is_symlink():
            continue
        if hidden.is_relative_to(entry):
            yield from around(entry, hidden)
        else:
            yield entry
