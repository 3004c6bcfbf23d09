"""The interpreter of the project's environment: what it is made of, and which host folders a sandbox must show for it.

The environment is trusted; the repository beside it is not, so a folder that is or holds the repository is never shown for
the interpreter's sake.
"""

from __future__ import annotations

import json
import os
import shutil
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from truelap.errors import UsageError, WorldError
from truelap.world import process
from truelap.world.sandbox import Bind

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

PACKAGE = Path(__file__).resolve().parent.parent
_DESCRIBER = PACKAGE / "probes" / "describe_interpreter.py"
_ALWAYS_SHOWN = tuple(Path(name) for name in ("/usr", "/bin", "/lib", "/lib32", "/lib64", "/libx32", "/sbin"))
_TIMEOUT_S = 120.0


@dataclass(frozen=True)
class Interpreter:
    """A Python interpreter, as it names itself."""

    executable: Path
    """Works inside every sandbox under this name."""
    version: tuple[int, int, int]
    cache_tag: str
    """Part of the names of its bytecode files."""
    path: tuple[Path, ...]
    """Its own sys.path: existing folders, none of the repository."""
    binds: tuple[Bind, ...]
    """What a sandbox must show besides /usr."""
    packages: Mapping[str, str]
    """Installed distributions and their versions."""
    editable_roots: tuple[PurePosixPath, ...] = ()
    """Folders of the repository, relative to it, that an editable install makes importable."""
    modules: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """Dotted names of what is installed beside the standard library, none of the repository, and the distributions that
    brought it. A regular package stands for all that is in it; any other folder has its modules named too."""


def inspect(python: Path, repo: Path | None = None, others: Iterable[Path] = ()) -> Interpreter:
    """Ask an interpreter what it is made of, by running it once.

    Args:
        python: path, or a bare name that is looked up on PATH.
        repo: the repository under test.
        others: further folders that hold a tree under test (a working tree, a pristine base).

    Raises:
        UsageError: it is missing, does not run, or is too old.
    """
    described = _described(python)
    prefixes = list(dict.fromkeys(Path(prefix) for prefix in described["prefixes"]))
    places = _Places([*([repo] if repo else []), *others], prefixes)
    if Path("/") in prefixes:
        raise UsageError(f"--python {python}: its prefix is /, which cannot be shown in a sandbox")
    for prefix in prefixes:
        places.show(prefix)
    path = tuple(
        folder for folder in map(Path, described["path"]) if folder.is_dir() and not places.is_barred(folder)
    )
    for folder in path:
        places.show(folder)
    for file in map(Path, described["mapped"]):
        places.show(file)
    return Interpreter(
        executable=_executable(Path(described["executable"]), places),
        version=_version(described["version"]),
        cache_tag=str(described["cache_tag"]),
        path=path,
        binds=tuple(places.binds),
        packages=MappingProxyType(dict(described["packages"])),
        editable_roots=_editable_roots(described, repo),
        modules=_modules(described["modules"], places),
    )


def _described(python: Path) -> dict[str, Any]:
    found = shutil.which(python)
    if found is None:
        inside = "; did you mean its bin/python?" if (python / "bin" / "python").exists() else ""
        raise UsageError(
            f"--python {python}: no such program; name the interpreter of the project's environment{inside}"
        )
    argv = [str(Path(found).absolute()), "-I", "-S", str(_DESCRIBER)]
    try:
        done = process.run(argv, env=os.environ, cwd=Path("/"), timeout_s=_TIMEOUT_S)
    except WorldError as error:
        raise UsageError(f"--python {python}: {error}") from error
    if done.code != 0:
        raise UsageError(f"--python {python}: does not work: {done.complaint}")
    try:
        described: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    except (ValueError, IndexError) as error:
        raise UsageError(f"--python {python}: is not a Python interpreter") from error
    return described


def _version(numbers: list[int]) -> tuple[int, int, int]:
    major, minor, micro = numbers
    return major, minor, micro


class _Places:
    """Collects the smallest set of binds under which every shown path works by the name it was given."""

    def __init__(self, trees: Iterable[Path], prefixes: Iterable[Path]) -> None:
        self._trees = [tree.resolve() for tree in trees]
        # An environment inside of a tree is the user's; a prefix that holds a whole tree excuses nothing.
        real = [prefix.resolve() for prefix in prefixes]
        self._environments = [
            path for path in real if not any(tree.is_relative_to(path) for tree in self._trees)
        ]
        self.binds: list[Bind] = []

    def is_barred(self, folder: Path) -> bool:
        """Whether showing a folder would show a tree under test or a part of it that is no environment, or is truelap itself."""
        real = folder.resolve()
        if real == PACKAGE.parent:
            return True
        if any(tree.is_relative_to(real) for tree in self._trees):
            return True
        inside = any(real.is_relative_to(tree) for tree in self._trees)
        return inside and not any(real.is_relative_to(environment) for environment in self._environments)

    def show(self, path: Path) -> None:
        """Make a path work inside, under its own name and under its real one."""
        real = path.resolve()
        for name in dict.fromkeys((real, path)):
            if not self.is_shown(name) and real.exists():
                self.binds.append(Bind(real, PurePosixPath(name)))

    def is_shown(self, path: Path) -> bool:
        """Whether a path is inside already."""
        shown = (*_ALWAYS_SHOWN, *(Path(bind.target) for bind in self.binds))
        return any(path.is_relative_to(folder) for folder in shown)


def _executable(path: Path, places: _Places) -> Path:
    """The name under which it works inside, with every link on the way."""
    if not places.is_shown(path):
        # Not of its own prefix, so no virtual environment: the link in front says nothing to the interpreter.
        path = path.resolve()
    link = path
    while link.is_symlink():
        link = Path(os.path.normpath(link.parent / link.readlink()))
        places.show(link)
    places.show(path)
    return path


def _modules(offered: Mapping[str, Mapping[str, list[str]]], places: _Places) -> Mapping[str, frozenset[str]]:
    found: dict[str, frozenset[str]] = {}
    for folder, names in offered.items():
        if not places.is_barred(Path(folder)):
            for name, owners in names.items():
                found[name] = found.get(name, frozenset()).union(owners)
    return MappingProxyType(found)


def _editable_roots(described: Mapping[str, Any], repo: Path | None) -> tuple[PurePosixPath, ...]:
    """Where .pth files and finders point into the repository, else the projects that say they are installed from there."""
    if repo is None:
        return ()
    return _inside(described["import_folders"], repo) or _inside(described["editable_projects"], repo)


def _inside(folders: Iterable[str], repo: Path) -> tuple[PurePosixPath, ...]:
    real = repo.resolve()
    found = (Path(folder).resolve() for folder in folders)
    return tuple(
        dict.fromkeys(
            PurePosixPath(folder.relative_to(real)) for folder in found if folder.is_relative_to(real)
        )
    )
