"""By which names a test file calls what other test code of the tree holds. Pure.

`from .helpers import same` in `tests/test_a.py`: what `same` is handed is compared there, by code that is base's and yet
lies in the reach of the package under test.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from truelap.imports import above
from truelap.policy import matches
from truelap.product import Product

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

ALL = "*"
"""Among the names of a file: it takes all that some module of test code holds, by no name."""


@dataclass(frozen=True)
class Modules:
    """The modules of base that a test file may take helpers from: test code, by name or place, and what is no product.

    Only what is recorded hangs on it, so a module too many costs little, and nobody need look who else imports it.

    Attributes:
        paths: of base.
        roots: folders that are importable, "" for the tree's root.
        patterns: of test code, and of the names that helpers have.
        read: content of a path.
    """

    paths: frozenset[str] = frozenset()
    roots: tuple[str, ...] = ()
    patterns: tuple[str, ...] = ()
    read: Callable[[str], bytes] = str.encode

    def names(self, tree: ast.Module, file: str) -> frozenset[str]:
        """Dotted names, as the file has them, below which test code of other files is found.

        Args:
            tree: of the file.
            file: its path.
        """
        folders = [*above(file), ""]
        homes = tuple(dict.fromkeys((*self.roots, *folders)))
        found: set[str] = set()
        for node in ast.walk(tree) if self.paths else ():
            if isinstance(node, ast.Import):
                names = node.names
                found |= {n.asname or n.name for n in names if self._serves(homes, n.name.split("."))}
            elif isinstance(node, ast.ImportFrom):
                places = homes if not node.level else folders[node.level - 1 : node.level]
                found |= set(self._taken(places, node))
        return frozenset(found)

    @cached_property
    def product_files(self) -> frozenset[str]:
        """Names, without their folders, of the Python files that a patch may change."""
        files = (file for file in self.paths if file.endswith(".py") and not self._is_test_code(file))
        return frozenset(file.rpartition("/")[2] for file in files)

    def _taken(self, homes: Sequence[str], node: ast.ImportFrom) -> Iterator[str]:
        module = node.module.split(".") if node.module else []
        whole = self._serves(homes, module)
        for alias in node.names:
            if whole or self._serves(homes, [*module, alias.name]):
                yield alias.asname or alias.name

    def _serves(self, homes: Iterable[str], parts: Sequence[str]) -> bool:
        places = ["/".join([home, *parts] if home else parts) for home in homes]
        files = (file for place in places for file in (f"{place}.py", f"{place}/__init__.py"))
        return any(self._is_test_code(file) for file in files if file in self.paths)

    def _is_test_code(self, file: str) -> bool:
        named = matches(self.patterns, file.encode("utf-8", "surrogateescape"))
        return named or (self._product.known and not self._product.holds(file))

    @cached_property
    def _product(self) -> Product:
        return Product(self.paths, self.read)


NO_MODULES = Modules()
