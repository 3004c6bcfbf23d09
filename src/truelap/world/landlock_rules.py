"""What a program may open below a Landlock domain, worked out before anything is started. What has no rule cannot be opened.

The rest of the view is the machine's own: names, sizes and times of files can be asked for wherever folder modes allow it.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from truelap.world import reach, traces, view

if TYPE_CHECKING:
    from collections.abc import Iterable

_EXECUTE, _WRITE, _READ, _LIST = 1 << 0, 1 << 1, 1 << 2, 1 << 3
_REMOVE_DIR, _REMOVE_FILE = 1 << 4, 1 << 5
_MAKE_DIR, _MAKE_FILE, _MAKE_SOCKET, _MAKE_FIFO, _MAKE_LINK = 1 << 7, 1 << 8, 1 << 9, 1 << 10, 1 << 12
_MOVE, _TRUNCATE, _CONTROL_DEVICE = 1 << 13, 1 << 14, 1 << 15
_FIRST_RIGHTS = (1 << 13) - 1
_ADDED = {2: _MOVE, 3: _TRUNCATE, 5: _CONTROL_DEVICE}
"""Rights to files by the version that knows them first."""

_TCP = 3
"""Bind and connect, known since version 4. No rule gives them back."""
_SCOPES = 3
"""Abstract sockets and signals stay inside, since version 6."""
_NET_VERSION, SCOPE_VERSION = 4, 6

_SEE = _EXECUTE | _READ | _LIST
_OWN = (
    _SEE
    | _WRITE
    | _REMOVE_DIR
    | _REMOVE_FILE
    | _MAKE_DIR
    | _MAKE_FILE
    | _MAKE_SOCKET
    | _MAKE_FIFO
    | _MAKE_LINK
    | _MOVE
    | _TRUNCATE
)
_SHARE = _READ | _WRITE | _MAKE_FILE | _REMOVE_FILE | _TRUNCATE
"""Semaphores and shared memory by name; the folder cannot be listed."""
_USE = _READ | _WRITE | _CONTROL_DEVICE

_DEVICES = ("full", "null", "random", "urandom", "zero")
_TERMINALS = ("ptmx", "pts")
_OF_MACHINE = ("cpuinfo", "filesystems", "loadavg", "meminfo", "stat", "sys", "uptime", "version")
"""In /proc. Of processes a program finds its own alone, and what it starts finds none."""


def handled(version: int, *, network: bool = True) -> tuple[int, ...]:
    """All that a version of Landlock can deny: rights to files, rights to the network, scopes.

    Args:
        version: of the kernel's.
        network: whether to deny that one, too.
    """
    files = _FIRST_RIGHTS
    for since, right in _ADDED.items():
        files |= right if version >= since else 0
    tcp = (_TCP if network else 0,) if version >= _NET_VERSION else ()
    scopes = (_SCOPES,) if version >= SCOPE_VERSION else ()
    return (files, *tcp, *scopes)


def rules(
    shown: Iterable[Path], own: Iterable[Path], hidden: Iterable[Path], *, terminals: bool
) -> list[tuple[str, int]]:
    """Paths, and what may be done at and below them.

    Args:
        shown: host files and folders to be read and executed, besides the system's.
        own: folders that the step may write.
        hidden: host folders that must not be read even where one of those shown holds them.
        terminals: whether terminals may be made. Those of the same user could be read and written then.
    """
    found = [(path, _SEE) for path in _without([*_system(), *shown], hidden)]
    found += [(path, _OWN) for path in own]
    found += [(Path("/dev", name), _USE) for name in _DEVICES + (_TERMINALS if terminals else ())]
    found += [(Path(traces.SHARED), _SHARE)]
    found += [(Path("/proc/self"), _READ | _LIST)]
    found += [(Path("/proc", name), _READ | _LIST) for name in _OF_MACHINE]
    return [(str(path), access) for path, access in found]


def _system() -> list[Path]:
    folders = [path for path in view.root_folders() if not path.is_symlink() and path.is_dir()]
    files = [Path("/etc", name) for name in (*view.FROM_ETC, *view.MADE_ETC)]
    # Debian's interpreters have links to these.
    files += sorted(Path("/etc").glob("python3*"))
    return [*folders, *(path for path in files if path.exists()), view.PROCESSORS]


def _without(shown: Iterable[Path], hidden: Iterable[Path]) -> list[Path]:
    barred = {form for path in hidden for form in (path.absolute(), path.resolve()) if form.is_dir()}
    found = []
    for path in shown:
        pieces = [path.resolve()]
        for bar in barred:
            pieces = [piece for whole in pieces for piece in _pieces(whole, bar)]
        found += pieces
    return found


def _pieces(whole: Path, bar: Path) -> Iterable[Path]:
    if whole == bar:
        return ()
    # What lies in something hidden was asked for in spite of it: an environment inside of the repository.
    return reach.around(whole, bar) if bar.is_relative_to(whole) else (whole,)
