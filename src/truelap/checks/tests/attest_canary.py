"""Plants canaries: assertions, and other checks, that must fail, in a file that otherwise is base's own.

The value that an assertion expects is replaced by another one; where it expects none, the assertion is negated. A worker
that reports such a test as passed does not report what its tests compute.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING

from truelap.checks.tests.attest_fails import passes_when
from truelap.checks.tests.attest_names import called_name, is_literal
from truelap.checks.tests.attest_perturb import Lot, another
from truelap.checks.tests.attest_rewrite import parse
from truelap.splice import Swap, Text, Wrap, read_text, splice

if TYPE_CHECKING:
    from collections.abc import Iterator

_OPPOSITE = {
    "assertTrue": "assertFalse",
    "assertFalse": "assertTrue",
    "assertEqual": "assertNotEqual",
    "assertNotEqual": "assertEqual",
    "assertIn": "assertNotIn",
    "assertNotIn": "assertIn",
    "assertIs": "assertIsNot",
    "assertIsNot": "assertIs",
    "assertIsNone": "assertIsNotNone",
    "assertIsNotNone": "assertIsNone",
}


@dataclass(frozen=True)
class Canary:
    """One assertion that must fail.

    Attributes:
        scope: dotted names of the class and the test function, as pytest's ids have them between `::`.
        line: of the assertion.
    """

    scope: str
    line: int


@dataclass(frozen=True)
class Canaries:
    """A test file with canaries.

    Attributes:
        source: its bytes; None when none could be planted.
        planted: where; the caller keeps those that fail on base.
        reason: why none.
    """

    source: bytes | None
    planted: tuple[Canary, ...] = ()
    reason: str = ""


def canaries(source: bytes, secret: bytes, *, filename: str = "", count: int = 3) -> Canaries:
    """Plant canaries at places drawn by the secret, at most one in each test function.

    Args:
        source: bytes of the test file.
        secret: decides where, and what is expected instead.
        filename: keeps files apart that use the same secret.
        count: how many at most.
    """
    lot = Lot(secret, filename)
    try:
        text, tree = read_text(source), parse(source, filename)
        tests = sorted(tests_of(tree.body, ()), key=lambda test: lot.draw("test", test[0]))
        planted = [found for found in (_plant(scope, test, text, lot) for scope, test in tests) if found][
            :count
        ]
        wraps = [edit for _, edit in planted if isinstance(edit, Wrap)]
        swaps = [edit for _, edit in planted if isinstance(edit, Swap)]
        changed = text.encoded(splice(text.text, wraps, swaps))
        parse(changed, filename)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        return Canaries(None, reason=f"{type(error).__name__}: {error}")
    if not planted:
        return Canaries(None, reason="no assertion that could be made to fail")
    return Canaries(changed, tuple(canary for canary, _ in planted))


_Function = ast.FunctionDef | ast.AsyncFunctionDef
Place = ast.Assert | ast.Call | ast.If


def tests_of(body: list[ast.stmt], scope: tuple[str, ...]) -> Iterator[tuple[str, _Function]]:
    """Test functions by their dotted names."""
    for statement in body:
        if isinstance(statement, ast.ClassDef):
            yield from tests_of(statement.body, (*scope, statement.name))
        elif isinstance(statement, _Function) and statement.name.startswith("test"):
            yield ".".join((*scope, statement.name)), statement


def _plant(scope: str, test: _Function, text: Text, lot: Lot) -> tuple[Canary, Wrap | Swap] | None:
    places = sorted(assertions(test.body), key=lambda place: lot.draw("place", scope, place.lineno))
    for place in places:
        edit = _fault(place, text, lot)
        if edit is not None:
            return Canary(scope, place.lineno), edit
    return None


def assertions(body: list[ast.stmt]) -> Iterator[Place]:
    """Assertions, and other checks that fail, that run when the test runs: straight in its body, or inside `with`."""
    for statement in body:
        if isinstance(statement, ast.Assert):
            yield statement
        elif isinstance(statement, ast.If):
            yield from [statement] if passes_when(statement) is not None else []
        elif isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
            if called_name(statement.value) in _OPPOSITE:
                yield statement.value
        elif isinstance(statement, ast.With | ast.For) and not _expects(statement):
            yield from assertions(statement.body)


def _expects(statement: ast.With | ast.For) -> bool:
    if isinstance(statement, ast.For):
        return False
    calls = [item.context_expr for item in statement.items if isinstance(item.context_expr, ast.Call)]
    return any("raises" in called_name(call).lower() for call in calls)


def _fault(place: Place, text: Text, lot: Lot) -> Wrap | Swap | None:
    expected = _expected(place)
    if expected is not None:
        swap = _swap(expected, text, lot)
        if swap is not None:
            return swap
    if not isinstance(place, ast.Call):
        start, end = text.span(place.test)
        return Wrap(start, end, "not (", ")")
    start, end = text.span(place.func)
    name = called_name(place)
    return Swap(end - len(name), end, _OPPOSITE[name]) if text.text[start:end].endswith(name) else None


def _expected(place: Place) -> ast.expr | None:
    """The literal that is expected to be equal to something, or what is made of literals alone (`Money(3)`), if there is one."""
    if not isinstance(place, ast.Call):
        test = place.test
        passing = isinstance(place, ast.Assert) or passes_when(place)
        equal = ast.Eq if passing else ast.NotEq
        if not isinstance(test, ast.Compare) or len(test.ops) != 1 or not isinstance(test.ops[0], equal):
            return None
        sides = [test.comparators[0], test.left]
    else:
        sides = list(place.args[1::-1]) if called_name(place) == "assertEqual" else []
    literals = [side for side in sides if is_literal(side)]
    made = [side for side in sides if not literals and _is_made(side)]
    return literals[0] if len(literals) == 1 else next(iter(made), None)


def _is_made(side: ast.expr) -> bool:
    """Whether it is made of literals by a class, as names go: an `==` that is always true does not see another one."""
    if not isinstance(side, ast.Call) or not called_name(side)[:1].isupper():
        return False
    return bool(side.args) and all(map(is_literal, (*side.args, *(word.value for word in side.keywords))))


def _swap(expected: ast.expr, text: Text, lot: Lot) -> Swap | None:
    if any(isinstance(part, ast.Set | ast.Dict) for part in ast.walk(expected)):
        return None  # another item may be one that is there already
    for part in ast.walk(expected):
        if isinstance(part, ast.Constant) and part.lineno == part.end_lineno:
            new = another(part.value, lot.draw("canary", part.lineno, part.col_offset))
            if new is not None:
                return Swap(*text.span(part), new)
    return None
