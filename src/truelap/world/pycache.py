"""Lets sandboxes use the bytecode that the environment has, while a fresh PYTHONPYCACHEPREFIX keeps away what a tree brings.

With a prefix, Python looks for bytecode below it alone, and would compile the standard library anew in every sandbox (a second
for pytest). The mirror holds links of the form that Python expects there, each to a file of the environment.
"""

from __future__ import annotations

import os
import py_compile
import sys
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from truelap.errors import TruelapError
from truelap.world.sandbox import PROBES, Bind
from truelap.world.view import PACKAGE, PYCACHE
from truelap.world.workspace import open_workspace

if TYPE_CHECKING:
    from collections.abc import Iterator

    from truelap.world.interpreter import Interpreter

_CACHE = "__pycache__"
_MEMORY = Path("/dev/shm")  # noqa: S108 - a workspace in it is private
"""Ten thousand links take a tenth of a second in memory and several on a busy disk."""


@contextmanager
def mirrored(interpreter: Interpreter, spare: Path) -> Iterator[Interpreter]:
    """The interpreter with its bytecode shown, as long as the block lasts.

    Args:
        interpreter: as `inspect` describes it.
        spare: an empty folder, used when there is no folder in memory.
    """
    with ExitStack() as stack:
        try:
            folder = stack.enter_context(open_workspace(_MEMORY)).folder("bytecode")
        except TruelapError:
            folder = spare
        try:
            shown = with_bytecode(interpreter, folder)
        except OSError:
            # Full: everything works without, only slower.
            shown = interpreter
        yield shown


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
        for place, _, _ in os.walk(target):
            # Whatever the judge's umask says: the sandbox's user must get in.
            os.chmod(place, 0o755)  # noqa: PTH101, S103
        binds.append(Bind(target, PurePosixPath(PYCACHE, *folder.parts[1:])))
    if interpreter.cache_tag == sys.implementation.cache_tag:
        binds.append(_compiled(into / "probes", interpreter.cache_tag))
    return replace(interpreter, binds=interpreter.binds + tuple(binds))


def _compiled(into: Path, tag: str) -> Bind:
    """Bytecode of our own programs in the sandbox, made by this interpreter: a fifth of a worker's start went into it."""
    into.mkdir()
    into.chmod(0o755)
    for program in (PACKAGE / "probes").glob("*.py"):
        made = into / f"{program.stem}.{tag}.pyc"
        py_compile.compile(str(program), str(made), quiet=2, optimize=0)
        made.chmod(0o644)
    return Bind(into, PurePosixPath(PYCACHE, *PROBES.parts[1:]))


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
