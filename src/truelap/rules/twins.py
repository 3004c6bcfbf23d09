"""A twin differs from another name only in case, composition or invisible characters (`Benchmarks/`, `CONFTEST.PY`).

It misses the patterns that guard the name it stands for, and takes its place on a file system that folds names.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from truelap.model import shown
from truelap.policy import matches
from truelap.rules import Ruling, fold

if TYPE_CHECKING:
    from truelap.rules import Change, Scene


def judge(change: Change, scene: Scene) -> Ruling | None:
    """Refuse a new path that folds to a protected, test or configuration name, or to another path of the candidate."""
    path = change.path
    if path in scene.base_modes:
        return None
    prefixes = [b"/".join(change.parts[: i + 1]) for i in range(len(change.parts))]
    known = sum(prefix in scene.base_folders for prefix in prefixes)
    if _guarded(_read_folded(change, known), scene) and not _guarded(path, scene):
        return Ruling("refuse", "the name is a twin of a protected, test or configuration name")
    for prefix in prefixes[known:]:
        if others := scene.spellings.get(fold(prefix), frozenset()) - {prefix}:
            return Ruling("refuse", f"the name is a twin of {shown(min(others))}")
    return None


def _guarded(path: bytes, scene: Scene) -> bool:
    tests = scene.policy.test_code
    return matches(scene.protected, path) or matches(tests.patterns + tests.config_patterns, path)


def _read_folded(change: Change, known: int) -> bytes:
    # A folder that base itself spells so (`Tests/`) is no disguise, so only what is new is folded.
    folded = [part.encode("utf-8", "surrogateescape") for part in change.folded[known:]]
    return b"/".join([*change.parts[:known], *folded])
