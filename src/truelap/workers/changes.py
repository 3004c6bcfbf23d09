"""Which functions of base a candidate changes, where that is all that it changes. Pure.

A function is one at the top of a module or a class, with all that is written inside of it. Whatever else differs, nobody can
know who is touched by it: a statement of a module, a signature, a default, a decorator, a new or a missing function, an import,
a file that is no Python source.
"""

from __future__ import annotations

import ast
import stat
from typing import TYPE_CHECKING, Any, NamedTuple

from truelap.model import shown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping


class Function(NamedTuple):
    """A function of base that the candidate has otherwise: its file, name, first line (decorators included) and last line."""

    path: str
    name: str
    first: int
    last: int

    def holds(self, path: str, line: int) -> bool:
        """Whether code that begins at this line is its own, or written inside of it."""
        return path == self.path and self.first <= line <= self.last


class UnknownReachError(Exception):
    """More changes than bodies of functions; the text says what."""


def changed_functions(
    base: Mapping[bytes, tuple[Any, ...]],
    candidate: Mapping[bytes, tuple[Any, ...]],
    read: Callable[[bytes], tuple[bytes, bytes]],
) -> tuple[Function, ...]:
    """The functions of base that the candidate changes.

    Args:
        base: path -> mode first, and what says whether the content is the same.
        candidate: likewise.
        read: base's and the candidate's content of a path.

    Raises:
        UnknownReachError: something else changes as well, or nothing does.
    """
    found: list[Function] = []
    for path in sorted(base.keys() | candidate.keys()):
        before, after = base.get(path), candidate.get(path)
        if before == after:
            continue
        if before is None or after is None:
            raise UnknownReachError(f"{shown(path)} is {'new' if before is None else 'gone'}")
        if not path.endswith(b".py") or before[0] != after[0] or not stat.S_ISREG(before[0]):
            raise UnknownReachError(f"{shown(path)} is no Python source")
        found += _of_file(shown(path), *read(path))
    if not found:
        raise UnknownReachError("no function changes")
    return tuple(found)


def _of_file(path: str, before: bytes, after: bytes) -> Iterator[Function]:
    try:
        old, new = _Outline(before), _Outline(after)
    except (SyntaxError, ValueError, RecursionError) as error:
        raise UnknownReachError(f"{path} cannot be read as Python") from error
    if old.rest != new.rest:
        raise UnknownReachError(f"{path}: more changes than bodies of functions")
    for one, other in zip(old.functions, new.functions, strict=True):
        if one.body == other.body:
            continue
        if one.imports != other.imports:
            raise UnknownReachError(f"{path}: {one.name} imports something else")
        yield Function(path, one.name, one.first, one.last)


class _Body(NamedTuple):
    name: str
    first: int
    last: int
    body: str
    imports: list[str]


class _Outline(ast.NodeTransformer):
    """A module's functions, and the rest of it."""

    def __init__(self, source: bytes) -> None:
        self.functions: list[_Body] = []
        self._names: list[str] = []
        self.rest = ast.dump(self.visit(ast.parse(source)))

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        self._names.append(node.name)
        made = self.generic_visit(node)
        self._names.pop()
        return made

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        return self._function(node)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> ast.AST:
        return self._function(node)

    def _function(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> ast.AST:
        inside = [part for statement in node.body for part in ast.walk(statement)]
        imports = [ast.dump(part) for part in inside if isinstance(part, ast.Import | ast.ImportFrom)]
        first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
        body = "\n".join(map(ast.dump, node.body))
        name = ".".join((*self._names, node.name))
        self.functions.append(_Body(name, first, node.end_lineno or node.lineno, body, sorted(imports)))
        node.body = [ast.Pass()]
        return node
