"""What a verifier does that has none of our ways with git: it asks the submission's own. For ablations alone.

Programs that a recipe planted do run here; they are ours, and do nothing but leave a mark in the attack's own folder.
"""

from __future__ import annotations

import os
from types import MappingProxyType
from typing import TYPE_CHECKING

from truelap.policy import matches
from truelap.prepare.collect import PatchFile
from truelap.world.process import run

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from truelap.policy import Policy
    from truelap.world.process import Completed

REPLACED: Mapping[str, str] = MappingProxyType(
    {
        "walked": "a working tree is read from disk (without: its own git says what differs)",
        "assembled": "the candidate is assembled from base's objects (without: base's files are checked out over the submitted tree by its own git)",
        "whole_diff": "a diff is applied whole or not at all (without: what applies is applied, hunk by hunk)",
    }
)
"""Defences that are no switch of the line: without them another program would stand in the line's place."""


def own_diff(folder: Path) -> PatchFile:
    """The submission as its own git tells it."""
    _git(folder, "add", "-A")
    return PatchFile(_git(folder, "diff", "--cached", "--binary", "HEAD"))


def own_checkout(folder: Path, base: str, policy: Policy) -> None:
    """Put protected and test files back to base as its own git has them."""
    listed = _git(folder, "ls-tree", "-r", "-z", "--name-only", base).split(b"\0")[:-1]
    patterns = (*policy.protected.patterns, *policy.test_code.patterns)
    paths = [os.fsdecode(path) for path in listed if matches(patterns, path)]
    _git(folder, "checkout", base, "--", *paths)


def own_apply(folder: Path, diff: bytes) -> None:
    """Apply what applies of a diff, as graders do that fall back to `patch`, and pass over the rest."""
    if _run(folder, "git", "apply", stdin=diff).code != 0:
        _run(folder, "patch", "--batch", "--fuzz=5", "-p1", stdin=diff)
    for pattern in ("*.rej", "*.orig"):
        for left in folder.rglob(pattern):
            left.unlink()


def _git(folder: Path, *argv: str) -> bytes:
    return _run(folder, "git", *argv).stdout


def _run(folder: Path, *argv: str, stdin: bytes = b"") -> Completed:
    # As a grader runs it: in the caller's environment.
    environment = {**os.environ, "HOME": str(folder.parent / "home")}
    return run(argv, env=environment, cwd=folder, stdin=stdin, timeout_s=60)
