"""Which tests fail in a way of their own: `if found != 3: raise AssertionError`, `try: f() except E: pass else: fail()`. Pure.

Only what stands straight in a test function counts: code that the package calls back may run as often as it likes. In loops
that go round until something is there, what is asked is asked by chance more or less often.
"""

from __future__ import annotations

import ast
import re
from itertools import chain
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_Function = ast.FunctionDef | ast.AsyncFunctionDef
_Loop = ast.For | ast.AsyncFor
_Jump = ast.Return | ast.Break | ast.Continue

_NO_FAILURE = re.compile(r"skip|xfail", re.IGNORECASE)
_COUNTS = frozenset({"range", "count", "repeat", "cycle"})


class Fails:
    """The checks of one file that are no assertions.

    Args:
        tree: of the file.

    Attributes:
        conditions: by id of an expression that decides whether a test fails, the truth with which it does not; None where both
            may lead there.
        caught: ids of the first exception types of `try` statements that fail by what is raised.
        calls: ids of the calls that fail where no loop waits for them.
    """

    def __init__(self, tree: ast.AST) -> None:
        self.conditions: dict[int, bool | None] = {}
        self.caught: set[int] = set()
        self.calls: set[int] = set()
        for node in ast.walk(tree):
            if isinstance(node, _Function) and node.name.startswith("test"):
                self._block(node.body, ())

    def _block(self, body: Sequence[ast.stmt], leaving: tuple[type[ast.stmt], ...]) -> None:
        """Statements of one block.

        Args:
            body: the block.
            leaving: how the loop around it is left without failing, where it fails at its end.
        """
        for place, statement in enumerate(body):
            rest = fails(body[place + 1 :])
            if isinstance(statement, ast.If):
                self._if(statement, rest, leaving)
            elif isinstance(statement, _Loop):
                self._loop(statement, rest)
            elif isinstance(statement, ast.Try):
                self._try(statement, rest)
                parts = [statement.body, *(one.body for one in statement.handlers)]
                for part in (*parts, statement.orelse, statement.finalbody):
                    self._block(part, leaving)
            elif isinstance(statement, ast.With | ast.AsyncWith):
                self._block(statement.body, leaving)
            elif isinstance(statement, ast.Expr):
                self._either(statement.value)

    def _if(self, statement: ast.If, rest: bool, leaving: tuple[type[ast.stmt], ...]) -> None:
        passing = passes_when(statement)
        if passing is None and rest and not statement.orelse and isinstance(statement.body[-1], _Jump):
            passing = True
        if passing is not None:
            self.conditions[id(statement.test)] = passing
        elif isinstance(statement.body[-1], leaving):
            self.conditions[id(statement.test)] = None
        self._block(statement.body, leaving)
        self._block(statement.orelse, leaving)

    def _loop(self, loop: ast.For | ast.AsyncFor, rest: bool) -> None:
        if not _tries(loop):
            leaving: tuple[type[ast.stmt], ...] = (ast.Return,) if rest or fails(loop.orelse) else ()
            leaving += (ast.Break,) if fails(loop.orelse) and not rest else ()
            self._block(loop.body, leaving)
        self._block(loop.orelse, ())

    def _try(self, statement: ast.Try, rest: bool) -> None:
        bodies = [handler.body for handler in statement.handlers]
        jumps = rest and any(isinstance(body[-1], _Jump) for body in bodies)
        if jumps or any(map(fails, (statement.body, statement.orelse, *bodies))):
            first = next((handler.type for handler in statement.handlers), None)
            self.caught.update([id(first)] if first is not None else [])

    def _either(self, value: ast.expr) -> None:
        """`fail()`, or `found == 3 or fail()`."""
        *before, last = value.values if isinstance(value, ast.BoolOp) else [value]
        if _is_fail(last):
            self.conditions.update(dict.fromkeys(map(id, before)))
            self.calls.add(id(last))


def fails(body: Sequence[ast.stmt]) -> bool:
    """Whether a block does nothing but fail: it ends that way, and cannot be left before."""
    parts = chain.from_iterable(map(ast.walk, body))
    return bool(body) and _is_failing(body[-1]) and not any(isinstance(part, _Jump) for part in parts)


def passes_when(statement: ast.If) -> bool | None:
    """The truth of a condition with which a test goes on, where one of two ways does nothing but fail; otherwise None."""
    one, other = fails(statement.body), fails(statement.orelse)
    return None if one == other else other


def _is_fail(value: ast.AST) -> bool:
    """Whether an expression calls `pytest.fail` or `self.fail`."""
    function = value.func if isinstance(value, ast.Call) else None
    if isinstance(function, ast.Attribute):
        owner = getattr(function.value, "id", "")
        return function.attr == "fail" and owner in ("pytest", "self", "cls")
    return isinstance(function, ast.Name) and function.id == "fail"


def _is_failing(statement: ast.stmt) -> bool:
    if isinstance(statement, ast.Raise):
        return not any(map(_NO_FAILURE.search, _names(statement)))
    if isinstance(statement, ast.If):
        return fails(statement.body) and fails(statement.orelse)
    if isinstance(statement, ast.Assert):
        return isinstance(statement.test, ast.Constant) and not statement.test.value
    return isinstance(statement, ast.Expr) and _is_fail(statement.value)


def _names(statement: ast.Raise) -> Iterable[str]:
    """The parts of the name of what is raised."""
    raised = statement.exc.func if isinstance(statement.exc, ast.Call) else statement.exc
    for part in ast.walk(raised) if raised is not None else ():
        if isinstance(part, ast.Name | ast.Attribute):
            yield part.attr if isinstance(part, ast.Attribute) else part.id


def _tries(loop: ast.For | ast.AsyncFor) -> bool:
    """Whether a loop goes on until something is there, at most so many times."""
    function = loop.iter.func if isinstance(loop.iter, ast.Call) else None
    name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
    parts = chain.from_iterable(map(ast.walk, loop.body))
    return name in _COUNTS and any(isinstance(part, ast.Break | ast.Return) for part in parts)


NO_FAILS = Fails(ast.Module([], []))
