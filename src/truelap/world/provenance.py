"""What a measurement of base depends on besides base itself: the judge, the machine, the environment. For keys of what is kept."""

from __future__ import annotations

import hashlib
import json
import os
import platform
from functools import cache
from typing import TYPE_CHECKING, Any

from truelap.world.interpreter import PACKAGE
from truelap.world.machine import cpu_features

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from truelap.world import World
    from truelap.world.files import TreeOnDisk
    from truelap.world.interpreter import Interpreter


_APART = (b"__pycache__", b"lib-dynload", b"site-packages", b"dist-packages")
"""Folders that say nothing, or that the interpreter names itself where it imports from them."""


def facts_of(world: World) -> dict[str, Any]:
    """What every measurement depends on, whatever is measured."""
    return {
        "judge": _judge(),
        "machine": [platform.machine(), platform.release(), cpu_features(), world.sandbox.name],
        "interpreter": _environment(world.interpreter),
    }


def tree_facts(tree: TreeOnDisk) -> str:
    """Digest of a tree's names, modes and contents."""
    held = tree.manifest.items()
    return files_facts((path, f"{mode:o} {digest}") for path, (mode, digest, _) in held)


def files_facts(pairs: Iterable[tuple[bytes, str]]) -> str:
    """Digest of paths and what is said of them, in any order."""
    digest = hashlib.sha256()
    for path, text in sorted(pairs):
        digest.update(b"%d %b %b\n" % (len(path), path, text.encode()))
    return digest.hexdigest()


def key_of(**facts: Any) -> str:
    """The key for these facts: plain data only."""
    return sha256(json.dumps(facts, sort_keys=True).encode())


def sha256(content: bytes) -> str:
    """Digest of a content, in hex."""
    return hashlib.sha256(content).hexdigest()


def _environment(interpreter: Interpreter) -> list[Any]:
    """Packages by version, and every file by size and time: an environment can be changed without a new version."""
    packages = sorted(interpreter.packages.items())
    return [str(interpreter.executable), interpreter.version, packages, _folders(interpreter.path)]


@cache
def _folders(folders: tuple[Path, ...]) -> str:
    return files_facts(pair for folder in folders for pair in _stamps(os.fsencode(folder)))


def _stamps(folder: bytes) -> Iterator[tuple[bytes, str]]:
    try:
        found = list(os.scandir(folder))
    except OSError:
        return
    for entry in found:
        if entry.is_dir(follow_symlinks=False):
            if entry.name not in _APART:
                yield from _stamps(entry.path)
            continue
        try:
            about = entry.stat()
        except OSError:
            continue
        yield entry.path, f"{about.st_size} {about.st_mtime_ns}"


@cache
def _judge() -> str:
    """Digest of the judge's own sources."""
    sources = sorted(PACKAGE.rglob("*.py"))
    return files_facts(
        (str(path.relative_to(PACKAGE)).encode(), sha256(path.read_bytes())) for path in sources
    )
