"""Lets sandboxes use the bytecode that the environment has, while a fresh PYTHONPYCACHEPREFIX keeps away what a tree brings.

With a prefix, Python looks for bytecode below it alone, and would compile the standard library anew in every sandbox (a second
for pytest). The mirror holds links of the form that Python expects there, each to a file of the environment.
"""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from truelap.world.sandbox import Bind
from truelap.world.view import PYCACHE

if TYPE_CHECKING:
    from truelap.world.interpreter import Interpreter

_CACHE = "__pycache__"


def with_bytecode(interpreter: Interpreter, into: Path) -> Interpreter:
    """The interpreter, with binds for a mirror of its bytecode besides its own.

    Args:
        interpreter: as `inspect` describes it.
        into: an empty folder that lives as long as the sandboxes.
    """
    binds = []
    for number, folder in enumerate(_outermost(interpreter.path)):
        target = into / str(number)
        target.mkdir()
        _mirror(str(folder), str(target), f".{interpreter.cache_tag}")
        binds.append(Bind(target, PurePosixPath(PYCACHE, *folder.parts[1:])))
    return replace(interpreter, binds=interpreter.binds + tuple(binds))


def _outermost(folders: tuple[Path, ...]) -> list[Path]:
    return [
        folder
        for folder in folders
        if not any(folder != other and folder.is_relative_to(other) for other in folders)
    ]


def _mirror(folder: str, into: str, tag: str) -> None:
    for place, folders, _ in os.walk(folder):
        if _CACHE not in folders:
            continue
        cache = f"{place}/{_CACHE}"
        mirrored = into + place[len(folder) :]
        folders.remove(_CACHE)
        if not folders and place != folder:
            os.makedirs(os.path.dirname(mirrored), exist_ok=True)  # noqa: PTH103, PTH120 - as text, thousands of times
            os.symlink(cache, mirrored)  # noqa: PTH211
            continue
        os.makedirs(mirrored, exist_ok=True)  # noqa: PTH103
        for name in os.listdir(cache):  # noqa: PTH208
            if tag in name:
                os.symlink(f"{cache}/{name}", f"{mirrored}/{name}")  # noqa: PTH211
