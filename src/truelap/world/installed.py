"""What is installed beside a project: modules in the folders of its interpreter, without the standard library."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from truelap.world.interpreter import Interpreter


def installed(interpreter: Interpreter, modules: Iterable[bytes]) -> tuple[bytes, ...]:
    """Those modules, named by paths without suffix, that an import would find in the environment; sorted."""
    folders = [folder for folder in interpreter.path if not _is_standard(folder)]
    return tuple(
        sorted(name for name in modules if any(_holds(folder, os.fsdecode(name)) for folder in folders))
    )


def _is_standard(folder: Path) -> bool:
    return folder.name == "lib-dynload" or (folder / "os.py").exists()


def _holds(folder: Path, name: str) -> bool:
    place = folder / name
    if (place / "__init__.py").exists() or place.with_name(f"{place.name}.py").exists():
        return True
    beside = os.listdir(place.parent) if place.parent.is_dir() else []  # noqa: PTH208 - names are enough
    return any(found.startswith(f"{place.name}.") and found.endswith((".so", ".pyd")) for found in beside)
