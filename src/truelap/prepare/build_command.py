"""Whether anything must be built, and how: by the task's commands, else by what base itself says."""

from __future__ import annotations

import tomllib
from pathlib import Path
from posixpath import normpath
from typing import TYPE_CHECKING, NamedTuple

from truelap.errors import UsageError
from truelap.model import Finding
from truelap.policy import matches
from truelap.rules.compiled_files import is_compiled

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable

    from truelap.policy import Policy
    from truelap.task import Environment

_IN_PLACE = ("build_ext", "--inplace")
_WITHOUT_SETUP_PY = "import setuptools; setuptools.setup()"
_PYTHONS = ("python", "python3")
_NOT_BUILT = "the tree as it stands is not built"
_GIVE = "give [environment] build in a task file"


class BuildPlan(NamedTuple):
    """What to run and why; no commands and a finding, or neither, when there is nothing to run.

    `optional`: guessed. It may fail at base; then nothing is built on either side.
    """

    commands: tuple[tuple[str, ...], ...] = ()
    reason: str = ""
    optional: bool = False
    finding: Finding | None = None


def build_plan(
    changed: Collection[bytes],
    base_paths: Collection[bytes],
    read_base: Callable[[bytes], bytes | None],
    environment: Environment,
    policy: Policy,
) -> BuildPlan:
    """Decide. Any change is built where there is something to build.

    Args:
        changed: paths that differ between base and candidate.
        base_paths: every path of base.
        read_base: base's content of a path.
        environment: the task's.
        policy: says which paths are compiled sources and build files.
    """
    compiled = _first(policy.rebuild.compiled, changed)
    build_file = _first(policy.rebuild.build_files, changed)
    # Any file may be a source of the build, so none of them excuses from it, whatever outputs base brings.
    reason = compiled or build_file or _NOT_BUILT
    if environment.build:
        return BuildPlan(environment.build, reason)
    return _by_default(reason, compiled, base_paths, read_base, policy)


def _by_default(
    reason: str,
    compiled: str | None,
    base_paths: Collection[bytes],
    read_base: Callable[[bytes], bytes | None],
    policy: Policy,
) -> BuildPlan:
    in_base = _first(policy.rebuild.compiled, base_paths) is not None or _has_outputs(base_paths, policy)
    command = _command(base_paths, read_base) if in_base or compiled else None
    if command:
        return BuildPlan((command,), reason, optional=True)
    if reason is _NOT_BUILT:
        return BuildPlan()
    if not in_base:
        return BuildPlan(finding=not_built(f"{reason}, but base has no compiled sources"))
    return BuildPlan(finding=not_built(f"{reason}, but base does not say how to build in place; {_GIVE}"))


def _has_outputs(base_paths: Collection[bytes], policy: Policy) -> bool:
    """Whether base has compiled files beside its tests' data: they are made of something, by whatever name."""
    return any(is_compiled(path) and not matches(policy.test_code.patterns, path) for path in base_paths)


def from_the_root(build: tuple[tuple[str, ...], ...], root: Path, given: Path) -> tuple[tuple[str, ...], ...]:
    """The task's commands, with `python` where one leads to the project's interpreter by a path from the tree's root.

    There a build runs, and no sandbox shows what lies beside that folder, or in it without being base's.

    Args:
        build: of the task.
        root: the repository, as the user has it.
        given: the project's interpreter, as the user named it.

    Raises:
        UsageError: a command has no words, or leads out of the tree to something else.
    """
    return tuple(_from_the_root(command, root, given) for command in build)


def _from_the_root(command: tuple[str, ...], root: Path, given: Path) -> tuple[str, ...]:
    if not command or not command[0]:
        raise UsageError("task file: environment.build: a command without a program; leave it out")
    first = command[0]
    if "/" not in first or first.startswith("/"):
        return command
    if _same(root / first, given):
        return (_PYTHONS[0], *command[1:])
    if normpath(first).startswith("../"):
        raise UsageError(
            f"task file: environment.build: {first} leads out of the tree's root, and to another program than the project's"
            f" interpreter {given}; write python for that one, or an absolute path"
        )
    return command


def with_interpreter(command: tuple[str, ...], python: Path, given: Path) -> tuple[str, ...]:
    """The command with the project's interpreter where it says `python`, or leads to it by an absolute path of any form.

    Such a path (one through a folder or link that no sandbox shows) would lead nowhere inside.

    Args:
        command: of a build.
        python: the interpreter as every sandbox has it.
        given: as the user named it.
    """
    first = command[0]
    leads_there = first.startswith("/") and any(_same(Path(first), known) for known in (given, python))
    return (str(python), *command[1:]) if first in _PYTHONS or leads_there else command


def _same(one: Path, other: Path) -> bool:
    # A virtual environment's interpreter is a link, and which folder that lies in is what makes it the environment's.
    return one.parent.resolve() == other.parent.resolve() and one.resolve() == other.resolve()


def _first(patterns: tuple[str, ...], paths: Iterable[bytes]) -> str | None:
    found = next((path for path in sorted(paths) if matches(patterns, path)), None)
    return None if found is None else f"{found.decode('utf-8', 'backslashreplace')} changed"


def _command(
    base_paths: Collection[bytes], read_base: Callable[[bytes], bytes | None]
) -> tuple[str, ...] | None:
    if b"setup.py" in base_paths:
        return ("python", "setup.py", *_IN_PLACE)
    if b"pyproject.toml" in base_paths and _backend(read_base(b"pyproject.toml")).startswith("setuptools"):
        return ("python", "-c", _WITHOUT_SETUP_PY, *_IN_PLACE)
    return None


def _backend(pyproject: bytes | None) -> str:
    try:
        system = tomllib.loads((pyproject or b"").decode("utf-8")).get("build-system", {})
    except (UnicodeDecodeError, tomllib.TOMLDecodeError):
        return ""
    return str(system.get("build-backend", "")) if isinstance(system, dict) else ""


def not_built(why: str) -> Finding:
    """A note that both sides are judged as they stand. No change to a compiled source buys an end without a verdict."""
    return Finding(
        code="rebuild:not_built",
        level="info",
        message=f"{why}; nothing was built, and both sides are judged as they stand",
    )
