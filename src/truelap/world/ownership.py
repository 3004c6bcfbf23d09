"""Who may write a step's tree. As root the judge says so by owner and mode; an ordinary judge shares its user with the step."""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING

from truelap.world.seal import shows_mapped_writes

if TYPE_CHECKING:
    from pathlib import Path

    from truelap.world.sandbox import Step, TreeAccess

_SHARED_FOLDER = 0o1777
"""Sticky: anyone may add to it, only root may rename or remove what root owns."""


def prepare(step: Step, uid: int | None) -> None:
    """Do the last to a step's tree before anything of it runs, and then take its seal.

    Args:
        step: about to be started.
        uid: the sandbox's user and group; None when the step runs as the judge's own user.
    """
    if uid is not None:
        hand_over(step.tree, step.access, uid)
    elif step.access == "sealed" and os.geteuid() != 0 and not shows_mapped_writes(step.tree.parent):
        _close(step.tree)
    if step.seal is not None:
        step.seal.take(step.tree)


def _close(tree: Path) -> None:
    """Make files read-only: their owner can open them again, but not without a trace."""
    for _, _, files, folder in os.fwalk(tree, follow_symlinks=False):
        for name in files:
            mode = os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode
            if stat.S_ISREG(mode):
                os.chmod(name, stat.S_IMODE(mode) & ~0o222, dir_fd=folder)


def hand_over(tree: Path, access: TreeAccess, uid: int) -> None:
    """Prepare a tree of a root judge for one step.

    Args:
        tree: the step's own copy; nothing else runs in it now.
        access: "sealed" keeps every file root's and lets new ones be added; "owned" gives everything away.
        uid: the sandbox's user and group.
    """
    # By descriptor, so that no link on the way can lead elsewhere.
    for _, folders, files, folder in os.fwalk(tree, follow_symlinks=False):
        owner = 0 if access == "sealed" else uid
        os.fchown(folder, owner, owner)
        os.fchmod(folder, _SHARED_FOLDER if access == "sealed" else 0o755)
        for name in files + [name for name in folders if _is_link(name, folder)]:
            _hand_over_file(name, folder, owner)


def _is_link(name: str, folder: int) -> bool:
    return stat.S_ISLNK(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode)


def _hand_over_file(name: str, folder: int, owner: int) -> None:
    facts = os.stat(name, dir_fd=folder, follow_symlinks=False)
    if facts.st_uid != owner or facts.st_gid != owner:
        os.chown(name, owner, owner, dir_fd=folder, follow_symlinks=False)
    mode = 0o755 if facts.st_mode & stat.S_IXUSR else 0o644
    if stat.S_ISREG(facts.st_mode) and stat.S_IMODE(facts.st_mode) != mode:
        os.chmod(name, mode, dir_fd=folder)
