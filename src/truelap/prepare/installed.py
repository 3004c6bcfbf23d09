"""Finds what a candidate leaves to an installed copy of the project: then the copy would be tested and timed, not the tree."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from truelap.model import Finding, shown
from truelap.prepare.scene import moved_to
from truelap.task import import_roots
from truelap.world.installed import installed

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from truelap.model import Case
    from truelap.task import Task
    from truelap.world import World

_MODULE = re.compile(rb"(.*?)(?:\.py|\.[^/]*so|\.pyd)\Z", re.DOTALL)
_SUFFIXES = (b".py", b".so", b".pyd")


def left_to_a_copy(case: Case, world: World, task: Task) -> tuple[Finding, ...]:
    """A failure for each module that base brings, the candidate does not, and the environment has."""
    base, candidate = world.trees.base(case).manifest, world.trees.candidate(case).manifest
    roots = [f"{root}/".encode() if root else b"" for root in import_roots(task.environment, base)]
    moved = [f"{root}/".encode() for root in moved_to(case.base, task, base.keys(), candidate.keys())]
    gone = installed(world.interpreter, given_up(base.keys(), candidate.keys(), roots, moved))
    message = "is gone, and the environment has a copy of it that would be tested and timed in its place"
    return tuple(
        Finding(code="tests:installed_copy", level="fail", message=message, path=shown(name)) for name in gone
    )


def given_up(
    base: Collection[bytes],
    candidate: Collection[bytes],
    roots: Iterable[bytes],
    moved: Iterable[bytes] = (),
) -> frozenset[bytes]:
    """Modules and packages that base brings and the candidate does not, as paths without suffix (`b"pkg"`, `b"space/pkg"`).

    What lies in a regular package is not named: Python finds it there or nowhere.

    Args:
        base: all paths of base, as built.
        candidate: the same of the candidate.
        roots: folders that are on `sys.path`, b"" or with a slash at the end.
        moved: those that only the candidate has there.

    >>> sorted(given_up([b"a/__init__.py", b"a/x.py", b"ns/b/__init__.py"], [b"a.py"], [b""]))
    [b'ns/b']
    """
    moved = {name for root in moved for name in _brought(candidate, root)}
    found: set[bytes] = set()
    for root in roots:
        found |= set(_brought(base, root)) - set(_brought(candidate, root))
    return frozenset(found - moved)


def _brought(paths: Collection[bytes], root: bytes) -> Iterator[bytes]:
    below = [path[len(root) :] for path in paths if path.startswith(root) and path.endswith(_SUFFIXES)]
    modules = [match[1] for path in below if (match := _MODULE.fullmatch(path))]
    packages = {module.removesuffix(b"/__init__") for module in modules if module.endswith(b"/__init__")}
    for module in modules:
        parts = module.split(b"/")
        above = (b"/".join(parts[:count]) for count in range(1, len(parts)))
        yield next((folder for folder in above if folder in packages), module)
