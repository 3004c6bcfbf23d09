"""Finds the files of base that serve its tests or benchmarks: imported by them from outside of the product. Pure.

`bench_helpers/` at the root, or `ci/common.py`: whoever may edit these decides what is measured or compared. What the
product itself imports is the product's, whoever else uses it.
"""

from __future__ import annotations

import posixpath
from functools import cached_property
from typing import TYPE_CHECKING

from truelap.imports import above, files_run, folders_added, imports_of, parsed

if TYPE_CHECKING:
    import ast
    from collections.abc import Callable, Collection, Iterable, Iterator

    from truelap.product import Product, Read

    More = Callable[[str, tuple[ast.AST, ...]], Iterable[str]]


# What setuptools' own discovery never takes for a product (FlatLayoutPackageFinder.DEFAULT_EXCLUDE, without what is test
# code by the policy).
_NO_PRODUCT = frozenset(
    {
        *(
            "ci",
            "bin",
            "debian",
            "doc",
            "docs",
            "documentation",
            "manpages",
            "news",
            "newsfragments",
            "changelog",
        ),
        *(
            "unit_test",
            "unit_tests",
            "example",
            "examples",
            "scripts",
            "tools",
            "util",
            "utils",
            "python",
            "build",
        ),
        *("exercise", "exercises", "htmlcov", "tasks", "fabfile", "site_scons"),
    }
)


def import_places(start: Iterable[str], paths: Collection[str], read: Read) -> frozenset[str]:
    """Folders that some modules may put on `sys.path`, "" for the root. A package is none: it is imported under its own name.

    Args:
        start: modules of the tests or the suite.
        paths: every path of base.
        read: content of a path.
    """
    folders = frozenset(folder for path in paths for folder in above(path))
    added = (folders_added(path, read(path), folders) for path in start)
    found = frozenset().union(*added)
    return frozenset(folder for folder in found if posixpath.join(folder, "__init__.py") not in paths)


class Serving:
    """What serves some files of base.

    Args:
        paths: every path of base.
        read: content of a path.
        places: folders that the files import from, "" for the root.
        product: what base's metadata says.
        is_guarded: whether a path belongs to tests or benchmarks: what it imports does not become the product's.
        aside: those of the places that hold no product.
        alone: whether a folder of modules serves when nobody but the guarded files mentions it. Tests import what they
            test, so for them that says nothing.
    """

    def __init__(
        self,
        paths: Collection[str],
        read: Read,
        places: Iterable[str],
        product: Product,
        *,
        is_guarded: Callable[[str], bool],
        aside: Collection[str] = (),
        alone: bool = False,
    ) -> None:
        self._paths, self._read, self._product = frozenset(paths), read, product
        self._folders = frozenset(folder for path in paths for folder in above(path))
        # A folder that is a package offers its modules under its own name only.
        self._places = tuple(place for place in dict.fromkeys(places) if not self._is_package(place))
        self._is_guarded, self._aside, self._alone = is_guarded, frozenset(aside), alone
        self._known: dict[str, bool] = {}

    @cached_property
    def tops(self) -> frozenset[str]:
        """Names of the top-level modules that may turn out to serve."""
        own = [path for path in self._paths if not self._is_guarded(path)]
        found = set()
        for place in self._places:
            below = posixpath.join(place, "")
            inside = {path[len(below) :].partition("/")[0] for path in own if path.startswith(below)}
            names = {name.removesuffix(".py") for name in inside}
            found |= {name for name in names if name.isidentifier() and self._may_serve(place, name)}
        return frozenset(found)

    def found(self, start: Iterable[str], more: More = lambda _path, _nodes: ()) -> frozenset[str]:
        """Files that serve the given ones, directly or through one another; a package serves whole.

        Args:
            start: modules of the tests or the suite.
            more: what else a module takes, given its path and its nodes.
        """
        waiting = [path for path in start if path.endswith(".py")]
        seen: set[str] = set()
        while waiting:
            path = waiting.pop()
            nodes = parsed(self._read(path))
            taken = {*self._imported(path, nodes), *more(path, nodes)} - seen
            seen |= taken
            waiting += [other for other in taken if other.endswith(".py")]
        return frozenset(seen)

    def _imported(self, path: str, nodes: tuple[ast.AST, ...]) -> Iterator[str]:
        for level, name in imports_of(nodes):
            for place in (_up(path, level),) if level else self._places:
                yield from self._module(place, name)
        for file in files_run(path, nodes, self._paths, self._folders):
            folder, name = posixpath.split(file.removesuffix(".py"))
            if self._serves(folder, name):
                yield file

    def _module(self, place: str, dotted: str) -> Iterator[str]:
        first, *rest = dotted.split(".")
        if self._is_package(place) or not self._serves(place, first):
            return
        top = posixpath.join(place, first)
        if self._is_package(top):
            yield from (path for path in self._paths if path.startswith(f"{top}/"))
        for count in range(len(rest) + 1):
            module = posixpath.join(top, *rest[:count])
            yield from (path for path in (f"{module}.py", f"{module}/__init__.py") if path in self._paths)

    def _serves(self, place: str, first: str) -> bool:
        top = posixpath.join(place, first)
        if top not in self._known:
            self._known[top] = self._may_serve(place, first) and (
                place in self._aside or not self._product.imports(top, self._is_guarded)
            )
        return self._known[top]

    def _may_serve(self, place: str, first: str) -> bool:
        top = posixpath.join(place, first)
        is_folder = top in self._folders
        if not is_folder and f"{top}.py" not in self._paths:
            return False
        if self._product.holds(f"{top}/__init__.py" if is_folder else f"{top}.py"):
            return False
        if place in self._aside or (first in _NO_PRODUCT and place in self._product.projects):
            return True
        unlisted = place in self._product.projects and self._product.lists(place)
        return self._product.known and (not is_folder or unlisted or self._is_mine(top))

    def _is_mine(self, folder: str) -> bool:
        """Whether nothing else in base so much as mentions a folder of modules: any other one may be a second product."""
        inside = f"{folder}/"
        name = posixpath.basename(folder)
        return self._alone and not self._product.is_mentioned(
            name, lambda path: path.startswith(inside) or self._is_guarded(path)
        )

    def _is_package(self, folder: str) -> bool:
        return posixpath.join(folder, "__init__.py") in self._paths


def _up(path: str, level: int) -> str:
    for _ in range(level):
        path = posixpath.dirname(path)
    return path
