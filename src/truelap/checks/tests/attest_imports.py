"""Which names of a test file stand for what it tests: imported, and neither from the standard library nor from a tool of tests. Pure."""

from __future__ import annotations

import ast
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_TOOLS = sys.stdlib_module_names | {
    "_pytest", "anyio", "freezegun", "hypothesis", "mock", "numpy", "parameterized", "pandas", "pluggy", "py", "pytest",
    "pytest_asyncio", "pytest_mock", "responses", "scipy", "testfixtures", "trio",
}  # fmt: skip


def names_of_tested(tree: ast.AST) -> frozenset[str]:
    r"""Names that the file's imports bind to what it tests, or to helpers of its tests.

    >>> sorted(names_of_tested(ast.parse("import os, pkg.core, pkg as p\nfrom pkg import run\nfrom re import compile")))
    ['p', 'pkg', 'run']
    """
    return frozenset(_bound(tree))


def root_of(node: ast.AST) -> str | None:
    """The name that a chain of attributes begins with.

    >>> root_of(ast.parse("pkg.core.run", mode="eval").body), root_of(ast.parse("f().run", mode="eval").body)
    ('pkg', None)
    """
    while isinstance(node, ast.Attribute):
        node = node.value
    return node.id if isinstance(node, ast.Name) else None


def _bound(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                top = alias.name.partition(".")[0]
                if top not in _TOOLS:
                    yield alias.asname or top
        elif isinstance(node, ast.ImportFrom) and (node.level or _top(node) not in _TOOLS):
            yield from (alias.asname or alias.name for alias in node.names)


def _top(node: ast.ImportFrom) -> str:
    return (node.module or "").partition(".")[0]
