"""Shows folders under other names by links, where nothing can be mounted."""

from __future__ import annotations

from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


def is_native(target: PurePosixPath, source: Path) -> bool:
    """Whether a path leads to a host folder already."""
    path = Path(target)
    return path.exists() and path.resolve() == source.resolve()


def linked(shown: Mapping[PurePosixPath, Path], into: Path) -> dict[PurePosixPath, Path]:
    """Make links to folders, in a tree of the shape that their names have.

    Args:
        shown: host folders, by the paths that they should have.
        into: where the links are made; need not exist.

    Returns:
        Real paths by the shortest paths that the machine does not have: what lies between such a one and a folder that is
        shown can be named as well.
    """
    places = {}
    for target, source in shown.items():
        link = into / target.relative_to("/")
        link.parent.mkdir(parents=True, exist_ok=True)
        link.symlink_to(source)
        missing = [path for path in (target, *target.parents) if not Path(path).exists()]
        anchor = missing[-1] if missing else target
        places[anchor] = into / anchor.relative_to("/")
    for folder in (into, *into.rglob("*")) if places else ():
        if not folder.is_symlink():
            # Whatever the judge's umask says.
            folder.chmod(0o755)
    return places
