"""Where a test file makes claims: assertions, expected exceptions, calls of assertion functions and of the tests' own helpers."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import TYPE_CHECKING

from truelap.checks.tests import attest_names as names
from truelap.checks.tests.attest_callbacks import callbacks
from truelap.checks.tests.attest_choice import chosen, is_choice
from truelap.checks.tests.attest_close import closeness, is_close
from truelap.checks.tests.attest_fails import NO_FAILS
from truelap.checks.tests.attest_helpers import NO_HELPERS
from truelap.checks.tests.attest_marks import Mark, Operand, Site
from truelap.checks.tests.attest_names import bare_generators, called_name, is_computed, is_literal
from truelap.values import literal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from truelap.checks.tests.attest_fails import Fails
    from truelap.checks.tests.attest_helpers import Helpers
    from truelap.checks.tests.attest_marks import Choice, Kind, Role

_MAX_ARGUMENTS = 8
_PAIR = 2


class Finder(ast.NodeVisitor):
    """Collects sites and the expressions to be recorded.

    Args:
        first: id of the first site.
        soft: also mark whole assertions, so that a failing one does not end the test.
        helpers: what the file hands to these is recorded as well.
        fails: checks that are no assertions.
    """

    def __init__(
        self, *, first: int = 0, soft: bool = False, helpers: Helpers = NO_HELPERS, fails: Fails = NO_FAILS
    ) -> None:
        self.sites: list[Site] = []
        self.marks: list[Mark] = []
        self._next = first
        self._soft = soft
        self._helpers = helpers
        self._fails = fails
        self._handing: set[int] = set()
        self._scope: list[str] = []
        self._managers: set[int] = set()
        self._bare: set[int] = set()
        self._callbacks: frozenset[int] = frozenset()
        self._back = False

    def visit_Module(self, node: ast.Module) -> None:
        """Walk a whole file."""
        self._bare = bare_generators(node)
        self._callbacks = callbacks(node)
        self.generic_visit(node)

    def visit_Lambda(self, node: ast.Lambda | ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> None:
        """Keep track of who calls it."""
        outside, self._back = self._back, self._back or id(node) in self._callbacks
        self.generic_visit(node)
        self._back = outside

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> None:
        """Keep track of the scope."""
        self._scope.append(node.name)
        self.visit_Lambda(node)
        self._scope.pop()

    visit_AsyncFunctionDef = visit_FunctionDef  # noqa: N815
    visit_ClassDef = visit_FunctionDef  # noqa: N815

    def visit_Assert(self, node: ast.Assert) -> None:
        """An assertion."""
        self._claim(node.test, node, passing=True)
        self.generic_visit(node)

    def visit_If(self, node: ast.If) -> None:
        """Perhaps a way to fail."""
        if id(node.test) in self._fails.conditions:
            self._claim(node.test, node, passing=self._fails.conditions[id(node.test)])
        self.generic_visit(node)

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> None:
        """Perhaps where a test takes what it expects to be raised."""
        if node.type is not None and id(node.type) in self._fails.caught:
            site = self._site(node, "raises", (), (Operand(0, "claim"),))
            self.marks.append(Mark(node.type, "raised", site))
        self.generic_visit(node)

    def _claim(self, test: ast.expr, node: ast.AST, *, passing: bool | None) -> None:
        """What decides whether a test goes on, and the truth with which it does: one that fails must not end it either."""
        site = self._site(node, "assert", (), ())
        if self._soft and passing is not None:
            self.marks.append(Mark(test, "truth" if passing else "untruth", site))
        self._truth(test, wanted=passing is not False)

    def visit_JoinedStr(self, node: ast.JoinedStr) -> None:
        """Left alone: before Python 3.12 the parts of an f-string have no positions of their own."""

    def visit_With(self, node: ast.With) -> None:
        """Perhaps a block in which an exception or a warning is expected."""
        for item in node.items:
            call = item.context_expr
            if isinstance(call, ast.Call) and called_name(call) in names.EXPECTING:
                self._managers.add(id(call))
                site = self._site(call, "raises", (), (Operand(0, "claim"),))
                self.marks.append(Mark(call, "manager", site))
        self.generic_visit(node)

    def visit_Expr(self, node: ast.Expr) -> None:
        """Perhaps a call of a helper: nobody looks at what it returns, so it must look itself."""
        calls = self._helpers.calls(node)
        self._handing.update(map(id, calls))
        for value in node.value.values if isinstance(node.value, ast.BoolOp) else ():
            if id(value) in self._fails.conditions:
                self._claim(value, node, passing=None)
        self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> None:
        """Perhaps a call of an assertion function."""
        name = called_name(node)
        if name in names.EXPECTING:
            self._expected(node, names.EXPECTING[name])
        elif name in names.TRUE_OF and node.args and not isinstance(node.args[0], ast.Starred):
            self._soften(node, self._site(node, "assert", (), ()))
            self._truth(node.args[0], wanted=name != "assertFalse")
        elif id(node) in self._fails.calls:
            self._soften(node, self._site(node, "assert", (), ()))
        elif names.ASSERTING.fullmatch(name):
            pair = [argument for argument in node.args[:2] if not isinstance(argument, ast.Starred)]
            operators = (names.COMPARING[name],) if name in names.COMPARING and len(pair) == _PAIR else ()
            site = self._record(node, "call", operators, self._claimed(node, name), ())
            self._soften(node, site)
        elif id(node) in self._handing and (node.args or node.keywords):
            site = self._record(node, "handed", (), self._arguments(node, None), ())
            self._soften(node, site)
        self.generic_visit(node)

    def _soften(self, call: ast.Call, site: int) -> None:
        if self._soft:
            self.marks.append(Mark(call.func, "soft", site))

    def _expected(self, call: ast.Call, place: int) -> None:
        plain = not any(isinstance(argument, ast.Starred) for argument in call.args)
        if id(call) not in self._managers and plain and len(call.args) > place:
            site = self._site(call, "raises", (), (Operand(0, "claim"),))
            self.marks.append(Mark(call.args[place], "function", site))

    def _arguments(
        self, call: ast.Call, compared: frozenset[str] | None = names.COMPARED_KEYWORDS
    ) -> list[ast.expr]:
        keywords = [k.value for k in call.keywords if compared is None or k.arg in compared]
        positional = [
            argument.value if isinstance(argument, ast.Starred) else argument for argument in call.args
        ]
        return (positional + keywords)[:_MAX_ARGUMENTS]

    def _claimed(self, call: ast.Call, name: str) -> list[ast.expr]:
        """What an assertion compares; how a mock is to be called shows nothing of what called it."""
        given = self._arguments(call)
        mocked = names.MOCKED.fullmatch(name) is not None
        return [argument for argument in given if not (mocked and names.is_own_call(argument))]

    def _truth(self, node: ast.expr, *, wanted: bool = True) -> None:
        """Take apart what is asked to be true, or not to be."""
        if isinstance(node, ast.Compare):
            operators = tuple(names.OPERATORS[type(operator)] for operator in node.ops)
            self._record(node, "compare", operators, [node.left, *node.comparators], ())
        elif isinstance(node, ast.BoolOp) and is_choice(node, wanted=wanted):
            self._choose(node, wanted=wanted)
        elif isinstance(node, ast.BoolOp):
            for value in node.values:
                self._truth(value, wanted=wanted)
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            self._truth(node.operand, wanted=not wanted)
        elif isinstance(node, ast.Call):
            self._predicate(node, wanted=wanted)
        elif not is_literal(node):
            self._record(node, "truth", (), [node], ())

    def _choose(self, node: ast.BoolOp, *, wanted: bool) -> None:
        first = len(self.sites)
        choice = chosen(node, self._leaf, wanted=wanted)
        self.sites[first:] = [replace(site, choice=choice) for site in self.sites[first:]]

    def _leaf(self, node: ast.expr, wanted: bool) -> Choice:
        if is_literal(node):
            return bool(ast.literal_eval(node))
        self._truth(node, wanted=wanted)
        return self.sites[-1].id

    def _predicate(self, call: ast.Call, *, wanted: bool = True) -> None:
        """A call whose result is asked to be true: the result, and the values it was made from where they tell more."""
        name = called_name(call)
        first = call.args[0] if call.args else None
        if name in names.QUANTIFIERS and isinstance(first, ast.GeneratorExp | ast.ListComp):
            self._truth(first.elt)
        elif name in names.QUANTIFIERS and isinstance(first, ast.Compare):
            self._truth(first)
        receiver = call.func.value if isinstance(call.func, ast.Attribute) else None
        if isinstance(receiver, ast.Compare):
            self._truth(receiver)
        inner = [part for part in (receiver, first if name in names.QUANTIFIERS else None) if is_close(part)]
        for part in inner:
            self._truth(part, wanted=wanted)
        witnesses = [argument for argument in self._arguments(call) if self._tells(argument, name)]
        if (
            receiver is not None
            and not isinstance(receiver, ast.Name | ast.Compare)
            and is_computed(receiver)
        ):
            witnesses.append(receiver)
        witnesses = [witness for witness in witnesses if witness not in inner]
        self._record(call, "truth", (), [call], witnesses)
        if wanted:
            self.sites[-1] = replace(self.sites[-1], close=closeness(call))

    def _tells(self, argument: ast.expr, name: str) -> bool:
        if isinstance(argument, ast.GeneratorExp | ast.ListComp | ast.Lambda | ast.Compare):
            return False
        return is_computed(argument) or (name in names.PREDICATES and not isinstance(argument, ast.Constant))

    def _record(
        self,
        node: ast.expr,
        kind: Kind,
        operators: tuple[str, ...],
        claims: Sequence[ast.expr],
        witnesses: Sequence[ast.expr],
    ) -> int:
        pairs: list[tuple[ast.expr, Role]] = [(claim, "claim") for claim in claims]
        pairs += [(witness, "witness") for witness in witnesses]
        operands, marked = [], []
        for slot, (part, role) in enumerate(pairs):
            known = is_literal(part)
            constant = literal(ast.literal_eval(part)) if known else None
            operands.append(Operand(slot, role, known, constant))
            marked += [] if known else [(part, slot)]
        site = self._site(node, kind, operators, tuple(operands))
        self.marks += [Mark(part, "", site, slot, bare=id(part) in self._bare) for part, slot in marked]
        return site

    def _site(
        self, node: ast.AST, kind: Kind, operators: tuple[str, ...], operands: tuple[Operand, ...]
    ) -> int:
        line, scope = getattr(node, "lineno", 0), ".".join(self._scope)
        found = Site(self._next, line, scope, kind, operators, operands, back=self._back)
        self.sites.append(found)
        self._next += 1
        return found.id
