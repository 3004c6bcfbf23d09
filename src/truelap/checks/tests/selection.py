"""Which tests run: worked out from base's own files and the changed paths alone. Pure.

`mapped` follows names and imports: `pkg/foo.py` is tested by `test_foo.py` and its twins, and by every test file that imports
it; a source without a test of its name falls back to the nearest test folder, and so do a package's `__init__` and the data
beside its modules. What maps to nothing at all makes every test run: an empty choice must never look like a pass.
"""

from __future__ import annotations

import re
from fnmatch import fnmatchcase
from posixpath import normpath
from typing import TYPE_CHECKING

from truelap.checks.tests.importers import importers
from truelap.model import Frozen
from truelap.policy import matches

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from truelap.pytest_config import PytestConfig

_COMPILED_LIMIT = 12
"""Test files taken for changed compiled sources, best match first (formulacode.md 1.7)."""

_TEST_FOLDERS = {"tests", "test", "_tests", "testing", "_testing"}
_TOKEN = re.compile(r"[A-Za-z][a-z]+|[A-Z]+(?![a-z])|[a-z]+")
_COMMON_TOKENS = {"test", "tests", "src", "lib", "init", "py", "core", "main", "setup", "build"}


class Selection(Frozen):
    """The arguments that pytest gets, and how they were found."""

    strategy: str
    """"all", "paths", or the ways of mapping that found something, joined by "+"."""
    paths: tuple[str, ...]
    """Files and folders of base; empty means whatever base's configuration names."""
    left_out: tuple[str, ...] = ()
    """Fall-back folders beyond the policy's number."""
    dropped: tuple[str, ...] = ()
    """What was chosen first, and could not be judged at base; every test runs instead."""

    @property
    def by_submission(self) -> bool:
        """Whether the changed paths decide which tests run."""
        return bool(self.paths) and self.strategy != "paths"

    def widened(self) -> Selection:
        """Every test, in place of a choice that says nothing."""
        return Selection(strategy=f"all:{self.strategy}-failed-at-base", paths=(), dropped=self.paths)


ALL = Selection(strategy="all", paths=())


class Choice(Frozen):
    """What a selection is made from, besides the paths themselves."""

    python_files: tuple[str, ...]
    testpaths: tuple[str, ...]
    norecursedirs: tuple[str, ...]
    test_code: tuple[str, ...]
    """Policy patterns: what counts as test code is never a source."""
    compiled: tuple[str, ...]
    """Policy patterns of sources that a build turns into modules."""
    build_files: tuple[str, ...]
    """Policy patterns of files that say how to build: no test is theirs by name."""
    fallback_folders: int
    roots: tuple[str, ...]
    """Folders of the tree that are importable, "" for its root."""
    doctests: bool
    """Whether base runs the doctests of its modules: then a changed module is a test file too."""


def choice_for(config: PytestConfig, **rest: object) -> Choice:
    """A choice with what base's configuration says; `testpaths` become paths from the root."""
    prefix = f"{config.folder}/" if config.folder else ""
    return Choice.model_validate(
        {
            "python_files": config.python_files,
            "testpaths": tuple(prefix + normpath(path) for path in config.testpaths),
            "norecursedirs": config.norecursedirs,
            "doctests": "--doctest-modules" in config.addopts,
            **rest,
        }
    )


def select(
    files: Iterable[bytes], changed: Sequence[bytes], choice: Choice, read: Callable[[str], bytes]
) -> Selection:
    """Choose the tests for some changed paths.

    Args:
        files: every path of base.
        changed: paths that differ between base and the candidate.
        choice: patterns and limits.
        read: base's bytes of a test file.
    """
    present = {path.decode("utf-8", "surrogateescape") for path in files}
    tests = sorted(path for path in present if is_test_file(path, choice))
    found: dict[str, set[str]] = {"mapped": set(), "compiled": set(), "imports": set(), "folders": set()}
    sources = [path.decode("utf-8", "surrogateescape") for path in changed if _way(path, choice)]
    found["imports"].update(*importers(sources, tests, read, choice.roots).values())
    folders: dict[str, int] = {}
    packages = {path.rpartition("/")[0] for path in present if path.endswith(".py")} - {""}
    for path in changed:
        name = path.decode("utf-8", "surrogateescape")
        way = _way(path, choice) or ("data" if name.rpartition("/")[0] in packages else None)
        if way is None or matches(choice.test_code, path):
            continue
        hits = _WAYS[way](name, tests)
        if choice.doctests and name in present and name.endswith(".py"):
            found["mapped"].add(name)
        # Whatever a package's `__init__` or its data changes may show in any of its tests.
        wide = way == "data" or name.endswith("/__init__.py")
        folder = _nearest_folder(name, tests) if wide or not hits else None
        if folder is not None:
            folders[folder] = folders.get(folder, 0) + 1
        found.setdefault(way, set()).update(hits)
    found["imports"] -= found["mapped"] | found["compiled"]
    ranked = sorted(folders, key=lambda folder: (-folders[folder], folder))
    found["folders"].update(ranked[: choice.fallback_folders])
    return _joined(found, tuple(ranked[choice.fallback_folders :]))


def _way(path: bytes, choice: Choice) -> str | None:
    """How tests are found for a changed path; None when it is no source."""
    if matches(choice.test_code, path) or matches(choice.build_files, path):
        return None
    if path.endswith(b".py"):
        return "mapped"
    return "compiled" if matches(choice.compiled, path) else None


def is_test_file(path: str, choice: Choice) -> bool:
    """Whether pytest would collect a file of base as tests, by name and place."""
    *parents, name = path.split("/")
    if choice.testpaths and not any(_under(path, place) for place in choice.testpaths):
        return False
    if any(fnmatchcase(parent, pattern) for parent in parents for pattern in choice.norecursedirs):
        return False
    return any(
        fnmatchcase(path if "/" in p else name, p if "/" not in p else f"*{p}") for p in choice.python_files
    )


def _under(path: str, place: str) -> bool:
    if place in {"", "."}:
        return True
    depth = place.count("/") + 1
    parts = path.split("/")
    return any(fnmatchcase("/".join(parts[:n]), place) for n in (depth, len(parts)))


def _joined(found: dict[str, set[str]], left_out: tuple[str, ...]) -> Selection:
    ways = [way for way, paths in found.items() if paths]
    if not ways:
        return ALL.model_copy(update={"strategy": "all:nothing-mapped"})
    paths = {path for way in ways for path in found[way]}
    covered = found["folders"]
    kept = sorted(
        p for p in paths if not any(p != folder and p.startswith(f"{folder}/") for folder in covered)
    )
    return Selection(strategy="+".join(ways), paths=tuple(kept), left_out=left_out)


def _stem(path: str) -> str:
    """What a source file is called for its tests: a package is called by its folder.

    >>> _stem("pkg/_fast.py"), _stem("pkg/graph/__init__.py")
    ('fast', 'graph')
    """
    *parents, name = path.split("/")
    stem = name.partition(".")[0]
    if stem in {"__init__", "__main__"} and parents:
        stem = parents[-1]
    return stem.strip("_").lower()


def _tested(path: str) -> str:
    """What a test file is about, by its name.

    >>> _tested("tests/test_fast.py"), _tested("tests/fast_test.py"), _tested("tests/testfast.py")
    ('fast', 'fast', 'fast')
    """
    stem = path.rpartition("/")[2].partition(".")[0].lower()
    return re.sub(r"^tests?_?|_?tests?$", "", stem).strip("_")


def _mapped(source: str, tests: Sequence[str]) -> list[str]:
    stem = _stem(source)
    return [path for path in tests if stem and _tested(path) == stem]


def _tokens(path: str) -> set[str]:
    return {token.lower() for token in _TOKEN.findall(path)} - _COMMON_TOKENS


def _by_tokens(source: str, tests: Sequence[str]) -> list[str]:
    stem = source.rpartition(".")[0] or source
    wanted = _tokens(stem)
    scored = [(len(wanted & _tokens(path.rpartition(".")[0])), path) for path in tests]
    ranked = sorted((pair for pair in scored if pair[0]), key=lambda pair: (-pair[0], pair[1]))
    return [path for _, path in ranked[:_COMPILED_LIMIT]]


def _nearest_folder(source: str, tests: Sequence[str]) -> str | None:
    """The test folder closest to a source: beside it, else above it, there the branch that mirrors the source's place."""
    parents = source.split("/")[:-1]
    for depth in range(len(parents), -1, -1):
        above, below = parents[:depth], parents[depth:]
        roots = sorted({root for path in tests if (root := _test_folder_in(path, above)) is not None})
        if roots:
            mirrors = [
                "/".join([*below[skip:end]])
                for skip in range(len(below))
                for end in range(len(below), skip, -1)
            ]
            tries = [f"{root}/{mirror}" for mirror in mirrors for root in roots]
            return next((t for t in tries if any(p.startswith(f"{t}/") for p in tests)), roots[0])
    return None


def _test_folder_in(path: str, above: Sequence[str]) -> str | None:
    parts = path.split("/")
    depth = len(above)
    if len(parts) > depth + 1 and parts[:depth] == list(above) and parts[depth] in _TEST_FOLDERS:
        return "/".join(parts[: depth + 1])
    return None


_WAYS: dict[str, Callable[[str, Sequence[str]], list[str]]] = {
    "mapped": _mapped,
    "compiled": _by_tokens,
    "data": lambda _source, _tests: [],
}
