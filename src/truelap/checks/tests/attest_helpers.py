"""Which statements of a test file hand what was found to a helper of the tests: checks that no name gives away. Pure.

A call that stands as a statement of its own, so that nobody looks at what it returns, is one when it is made by way of

- a name from other test code (`attest_modules`),
- a function or method of the same file that holds assertions, or another name for one,
- a parameter of a test: a fixture that can be called,
- a method that the file does not define, where one of its classes stands on one from other test code.
"""

from __future__ import annotations

import ast
import builtins
from typing import TYPE_CHECKING
from unittest import TestCase

from truelap.checks.tests import attest_names as names
from truelap.checks.tests.attest_modules import ALL
from truelap.checks.tests.attest_names import called_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

_USUAL = frozenset(dir(TestCase))
_FAILING = frozenset({"fail", *names.EXPECTING, *names.TRUE_OF})
_ALIASING = frozenset({"partial", "partialmethod"})

_Function = ast.FunctionDef | ast.AsyncFunctionDef


class Helpers:
    """The helpers of one test file.

    Args:
        tree: of the file.
        outside: `Modules.names` of the file.
    """

    def __init__(self, tree: ast.Module, outside: frozenset[str] = frozenset()) -> None:
        nodes = list(ast.walk(tree))
        self._outside = outside
        self._imported = frozenset(_imported(nodes))
        self._bound = self._imported.union(_bound(nodes), dir(builtins))
        self._fixtures = frozenset(_fixtures(nodes)) - {"self"}
        self._own: frozenset[str] = frozenset()
        bases = (base for node in nodes if isinstance(node, ast.ClassDef) for base in node.bases)
        self._inherits = any(self._is_from_outside(_dotted(base)) for base in bases)
        named = list(_named(nodes))
        while found := {name for name, node in named if name not in self._own and self._checks(node)}:
            self._own |= found

    def calls(self, statement: ast.Expr) -> tuple[ast.Call, ...]:
        """The calls of a statement that hands something to a helper, the last one first: of `expect(x).equals(3)`, two.

        None where it is no such statement.
        """
        value = statement.value.value if isinstance(statement.value, ast.Await) else statement.value
        calls: list[ast.Call] = []
        called: ast.expr | None = None
        while isinstance(value, ast.Call | ast.Attribute):
            if isinstance(value, ast.Call):
                calls.append(value)
                value = called = value.func
            else:
                value = value.value
        return tuple(calls) if called is not None and self._holds(_dotted(called)) else ()

    def _holds(self, dotted: Sequence[str]) -> bool:
        """Whether a name stands for a helper."""
        if not dotted or self._is_from_outside(dotted):
            return bool(dotted)
        first, last = dotted[0], dotted[-1]
        if len(dotted) == 1:
            return first in self._own or first in self._fixtures
        if first in self._imported:
            return False
        taken_over = self._inherits and last not in self._bound | _USUAL
        return last in self._own or (taken_over and first == "self" and len(dotted) == 2)  # noqa: PLR2004

    def _is_from_outside(self, dotted: Sequence[str]) -> bool:
        starts = (".".join(dotted[:count]) for count in range(1, len(dotted) + 1))
        unnamed = ALL in self._outside and bool(dotted) and dotted[0] not in self._bound
        return unnamed or not self._outside.isdisjoint(starts)

    def _checks(self, node: ast.AST) -> bool:
        """Whether a definition holds a check, or what is assigned stands for one."""
        parts = ast.walk(node)
        if isinstance(node, _Function):
            return any(map(self._is_check, parts))
        return any(self._refers(part) for part in parts if isinstance(part, ast.Name | ast.Attribute))

    def _is_check(self, part: ast.AST) -> bool:
        if isinstance(part, ast.Call):
            name = called_name(part)
            return name in _FAILING or names.ASSERTING.fullmatch(name) is not None
        if isinstance(part, ast.Raise):
            raised = part.exc.func if isinstance(part.exc, ast.Call) else part.exc
            return isinstance(raised, ast.Name) and raised.id == "AssertionError"
        return isinstance(part, ast.Assert) or (isinstance(part, ast.Expr) and bool(self.calls(part)))

    def _refers(self, part: ast.Name | ast.Attribute) -> bool:
        name = part.attr if isinstance(part, ast.Attribute) else part.id
        return names.ASSERTING.fullmatch(name) is not None or self._holds(_dotted(part))


def _dotted(node: ast.expr) -> tuple[str, ...]:
    """The parts of a dotted name; none of any other expression."""
    if isinstance(node, ast.Name):
        return (node.id,)
    inner = _dotted(node.value) if isinstance(node, ast.Attribute) else ()
    return (*inner, node.attr) if isinstance(node, ast.Attribute) and inner else ()


def _named(nodes: Iterable[ast.AST]) -> Iterator[tuple[str, ast.AST]]:
    """What may stand for a helper, by name: definitions, and values that are another name or a call in waiting."""
    for node in nodes:
        if isinstance(node, _Function):
            yield node.name, node
        elif isinstance(node, ast.Assign) and _is_alias(node.value):
            for target in node.targets:
                if isinstance(target, ast.Name | ast.Attribute):
                    yield target.attr if isinstance(target, ast.Attribute) else target.id, node.value


def _is_alias(value: ast.expr) -> bool:
    waiting = isinstance(value, ast.Call) and called_name(value) in _ALIASING
    return waiting or isinstance(value, ast.Name | ast.Attribute | ast.Lambda)


def _fixtures(nodes: Iterable[ast.AST]) -> Iterator[str]:
    for node in nodes:
        if isinstance(node, _Function) and node.name.startswith("test"):
            yield from (argument.arg for argument in (*node.args.args, *node.args.kwonlyargs))


def _imported(nodes: Iterable[ast.AST]) -> Iterator[str]:
    for node in nodes:
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield from (alias.asname or alias.name.partition(".")[0] for alias in node.names)


def _bound(nodes: Iterable[ast.AST]) -> Iterator[str]:
    for node in nodes:
        if isinstance(node, _Function | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id


NO_HELPERS = Helpers(ast.Module([], []))
