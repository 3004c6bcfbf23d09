"""The judge's copy of base's pytest configuration, written into each step's tree."""

from __future__ import annotations

import errno
import os
from typing import TYPE_CHECKING

from truelap.errors import WorldError

if TYPE_CHECKING:
    from pathlib import Path

    from truelap.pytest_config import PytestConfig

# Faults of the machine; any other reason why the copy cannot be written lies in the tree.
_MACHINE = {errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EROFS, errno.EMFILE, errno.ENFILE, errno.ENOMEM}


def write_copy(config: PytestConfig, root: Path) -> str | None:
    """Put the judge's copy into a step's tree.

    Args:
        config: what `pick` found.
        root: of the tree's copy on disk; the judge alone has written it so far.

    Returns:
        None, or why it cannot be written (the reason lies in the tree: a folder stands in the way).

    Raises:
        WorldError: the machine's fault (disk full and the like).
    """
    target = root / config.copy_path
    try:
        if target.parent.resolve() != root.resolve() / config.folder:
            return f"{config.folder}: a link stands in the way"
        target.unlink(missing_ok=True)
        handle = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o644)
        with os.fdopen(handle, "wb") as file:
            file.write(config.content)
        target.chmod(0o644)
    except OSError as error:
        if error.errno in _MACHINE:
            raise WorldError(f"writing pytest's configuration {target}: {error.strerror}") from error
        return f"{config.copy_path}: {error.strerror}"
    return None
