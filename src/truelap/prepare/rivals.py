"""Finds additions that Python would import in place of a file that is put back. Pure.

In one folder Python takes a package before a module of the same name, and a module before a folder without `__init__`
(the import system's `FileFinder`). So `conftest/__init__.py` hides `conftest.py`, and `tests.py` hides a bare folder
`tests/`, while every restored byte is base's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

_MODULE = b".py"
_PACKAGE = b"/__init__.py"


def rivals(
    added: Iterable[bytes], base: Iterable[bytes], gone: frozenset[bytes], is_guarded: Callable[[bytes], bool]
) -> frozenset[bytes]:
    """Those of the added paths that would be imported instead of what base has.

    Args:
        added: paths that base lacks and the candidate would have.
        base: all paths of base.
        gone: paths of base that the candidate validly lacks: turning a module into a package is an honest change.
        is_guarded: whether a path of base is put back.
    """
    modules = [path for path in added if path.endswith(_MODULE)]
    if not modules:
        return frozenset()
    there = frozenset(base) - gone
    folders = {folder for path in there if is_guarded(path) for folder in folders_above(path)}

    def is_rival(path: bytes) -> bool:
        if path.endswith(_PACKAGE):
            return path.removesuffix(_PACKAGE) + _MODULE in there
        folder = path.removesuffix(_MODULE)
        return folder in folders and folder + _PACKAGE not in there

    return frozenset(filter(is_rival, modules))


def folders_above(path: bytes) -> tuple[bytes, ...]:
    """Every folder that a path lies in, nearest first.

    >>> folders_above(b"a/b/c.py")
    (b'a/b', b'a')
    """
    parts = path.split(b"/")[:-1]
    return tuple(b"/".join(parts[:count]) for count in range(len(parts), 0, -1))
