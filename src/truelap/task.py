"""The task file (`truelap.toml`): read from the named path only, never from the tree under test. Unknown keys are errors."""

from __future__ import annotations

import tomllib
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Field, PrivateAttr, ValidationError

from truelap.errors import UsageError
from truelap.keyfile import complaint
from truelap.model import Frozen
from truelap.product import PROJECT_FILES

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable
    from pathlib import Path

    from truelap.scripts import Style

_MODULES = (b".py", b".pyx", b".so", b".pyd")


def _as_tuple(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def _as_argvs(value: Any) -> Any:
    return tuple(_as_tuple(argv) for argv in value) if isinstance(value, list) else value


_SYSTEM = ("usr", "bin", "sbin", "lib", "lib32", "lib64", "libx32", "tmp", "home", "root", "var", "run")
"""Folders of every sandbox, below which a tree may appear, but not in their place."""
_KERNEL = ("proc", "sys", "dev", "etc", "truelap")
"""Folders below which nothing of a tree may appear."""


def _mountable(mount: str) -> str:
    """See that a tree can appear there.

    >>> _mountable("/workspace/repo")
    '/workspace/repo'
    """
    place = PurePosixPath(mount)
    parts = place.parts[1:]
    if not mount.startswith("/") or mount.startswith("//") or ".." in parts or "\0" in mount:
        raise ValueError("give an absolute path without `..`, for example /workspace/repo")
    if not parts or parts[0] in _KERNEL or (len(parts) == 1 and parts[0] in _SYSTEM):
        raise ValueError(
            f"the sandbox needs {mount} itself; give a folder of its own, for example /workspace/repo"
        )
    return str(place)


def _settable(env: dict[str, str]) -> dict[str, str]:
    for name, value in env.items():
        if not name or "=" in name or "\0" in name + value:
            raise ValueError(
                f"{name!r} cannot be set: a variable's name is not empty and holds no `=`, and nothing holds a NUL"
            )
    return env


Texts = Annotated[tuple[str, ...], BeforeValidator(_as_tuple)]
Argvs = Annotated[tuple[Texts, ...], BeforeValidator(_as_argvs)]


class Naming(Frozen):
    """`[task]`: what it is called and where it starts."""

    name: str | None = None
    base: str | None = None
    base_file: str | None = None


class Environment(Frozen):
    """`[environment]`: how the project runs and is built."""

    python: str | None = None
    mount: Annotated[str, AfterValidator(_mountable)] = "/workspace/repo"
    build: Argvs = ()
    env: Annotated[dict[str, str], AfterValidator(_settable)] = Field(default_factory=dict)
    carry: Texts = ()
    """Globs of ignored build outputs that are taken from --base-dir."""
    python_path: Texts | None = None
    """Folders of the tree that are importable, relative to its root; worked out from base when absent."""


class BenchmarkChoice(Frozen):
    """`[benchmarks]`: which asv config, or which files in place of one; which benchmarks."""

    config: str | None = None
    scripts: Texts = ()
    """Patterns of plain scripts in base, relative to its root."""
    pytest: Texts = ()
    """The same of files that hold tests of pytest-benchmark."""
    select: Literal["all", "impacted"] = "all"
    include: Texts = ()
    exclude: Texts = ()

    @property
    def files(self) -> tuple[Texts, Style]:
        """Patterns of the suite's files, and how they are written; none for asv's."""
        if self.scripts:
            return self.scripts, "scripts"
        return self.pytest, "pytest" if self.pytest else "asv"


class TestChoice(Frozen):
    """`[tests]`: which tests are run. The numbers fall back to the policy's."""

    __test__ = False
    select: Literal["mapped", "all"] = "all"
    """`mapped` lets the submission's paths choose among base's tests."""
    paths: Texts = ()
    timeout_s: Annotated[float, Field(gt=0)] | None = None
    min_base_pass: Annotated[int, Field(ge=1)] | None = None


Tolerated = Annotated[float, Field(ge=0, allow_inf_nan=False)]


class Skip(Frozen):
    """A benchmark whose output is not compared, and why."""

    benchmark: str
    reason: str


class Override(Frozen):
    """What holds for one benchmark, or one set of its parameters, in place of what holds for all."""

    rtol: Tolerated | None = None
    atol: Tolerated | None = None
    siblings: Annotated[int, Field(ge=0)] | None = None
    """Calls beside the benchmark's own, at most."""


class OutputChoice(Frozen):
    """`[outputs]`: tolerances; per benchmark where a table of that name stands."""

    rtol: Tolerated | None = None
    atol: Tolerated | None = None
    overrides: dict[str, Override] = Field(default_factory=dict)
    skip: Annotated[tuple[Skip, ...], BeforeValidator(_as_tuple)] = ()


class Reference(Frozen):
    """`[reference]`: the expert's patch. No sandbox ever sees it."""

    patch: str | None = None


class Task(Frozen):
    """A whole task file; every key has a default."""

    task: Naming = Naming()
    environment: Environment = Environment()
    benchmarks: BenchmarkChoice = BenchmarkChoice()
    tests: TestChoice = TestChoice()
    outputs: OutputChoice = OutputChoice()
    reference: Reference = Reference()
    _origin: str = PrivateAttr("task file")

    @property
    def origin(self) -> str:
        """What to call it in an error: the file's name, where it was read from one."""
        return self._origin


def import_roots(environment: Environment, paths: Iterable[bytes]) -> tuple[str, ...]:
    """Folders of the tree that go on `sys.path`, first one first, relative to the tree's root ("" is the root itself).

    Without `python_path` in the task file: the `src` folder and the root of each project that base holds, at its top or
    one folder below it.

    Args:
        environment: of the task.
        paths: every path of base.

    >>> import_roots(Environment(), [b"src/pkg/__init__.py", b"pyproject.toml"])
    ('src', '')
    """
    if environment.python_path is not None:
        return tuple("" if root in {"", "."} else root.strip("/") for root in environment.python_path)
    names = {path.decode("utf-8", "surrogateescape") for path in paths}
    split = [name.rpartition("/") for name in names if name.count("/") <= 1]
    projects = {folder for folder, _, file in split if file in PROJECT_FILES}
    roots: list[str] = []
    for project in ("", *sorted(projects - {""})):
        source = f"{project}/src" if project else "src"
        modules = any(name.startswith(f"{source}/") and name.endswith(".py") for name in names)
        roots += [source, project] if modules and f"{source}/__init__.py" not in names else [project]
    return tuple(roots)


def moved_roots(
    roots: Iterable[str], base: Collection[bytes], tree: Collection[bytes], places: Collection[str]
) -> tuple[str, ...]:
    """Where a tree is imported from: as base is, but for a product that leaves a project's root whole for its `src`.

    It has left when no top-level name below `src` is still to be found at one of base's roots, and one of them was.

    Args:
        roots: base's.
        base: every path of base.
        tree: every path of the tree.
        places: folders for which rules have asked what may be imported from there; it moves to no other one.

    >>> base = [b"pkg/__init__.py", b"tests/test_pkg.py"]
    >>> moved_roots([""], base, [b"src/pkg/__init__.py", b"tests/test_pkg.py"], ["src"])
    ('src', '')
    >>> moved_roots([""], base, [b"src/pkg/__init__.py", *base], ["src"])
    ('',)
    """
    roots = tuple(roots)
    found: list[str] = []
    for root in roots:
        source = new_source(root, roots, base, tree)
        names = _top_names(tree, source) if source in places else set()
        if source and names and not any(names & _top_names(tree, other) for other in roots):
            found.append(source)
        found.append(root)
    return tuple(found)


def new_source(
    root: str, roots: Collection[str], base: Collection[bytes], tree: Collection[bytes]
) -> str | None:
    """A project's `src` to which a tree brings a module that base has at one of its roots, and that base does not import from."""
    source = f"{root}/src" if root else "src"
    below = f"{source}/".encode()
    if source in roots or not any(path.startswith(below) for path in tree) or below + b"__init__.py" in tree:
        return None
    names = _top_names(tree, source)
    return source if any(names & _top_names(base, other) for other in roots) else None


def _top_names(paths: Iterable[bytes], root: str | None) -> set[bytes]:
    below = f"{root}/".encode() if root else b""
    modules = (path[len(below) :] for path in paths if path.startswith(below) and path.endswith(_MODULES))
    return {path.partition(b"/")[0].partition(b".")[0] for path in modules}


def load_task(path: Path | None) -> Task:
    """Read a task file; without one, every default. Paths of this machine in it are read from the file's own folder.

    Raises:
        UsageError: unreadable, not TOML, an unknown key, a wrong type, or a key that asks for what is not there yet.
    """
    if path is None:
        return Task()
    try:
        data = tomllib.loads(path.read_text("utf-8"))
        task = Task(**data)
    except OSError as error:
        raise UsageError(f"task file {path}: {error.strerror}; name a readable file with --task") from error
    except ValidationError as error:
        raise UsageError(f"task file {path}: {complaint(error, Task)}") from error
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise UsageError(f"task file {path}: is not TOML: {error}") from error
    if task.reference.patch is not None:
        raise UsageError(
            f"task file {path}: reference.patch: no reference patch is timed yet; leave the key out"
        )
    suites = [key for key in ("config", "scripts", "pytest") if getattr(task.benchmarks, key)]
    if len(suites) > 1:
        keys = " and ".join(f"benchmarks.{key}" for key in suites)
        raise UsageError(f"task file {path}: {keys} each name a suite; give one of them")
    return _placed(task, path)


def _placed(task: Task, path: Path) -> Task:
    """The task with what names a file of this machine made absolute; an interpreter's bare name is looked up elsewhere."""
    folder = path.absolute().parent
    python, base_file = task.environment.python, task.task.base_file
    if python is not None and "/" in python:
        python = str(folder / python)
    task._origin = f"task file {path}"  # noqa: SLF001 - pydantic's way to keep what is no key
    return task.model_copy(
        update={
            "environment": task.environment.model_copy(update={"python": python}),
            "task": task.task.model_copy(
                update={"base_file": None if base_file is None else str(folder / base_file)}
            ),
        }
    )
