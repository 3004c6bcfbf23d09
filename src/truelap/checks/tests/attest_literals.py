"""Which literals of a test file may be replaced by others."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from truelap.checks.tests.attest_close import CLOSE
from truelap.checks.tests.attest_helpers import NO_HELPERS
from truelap.checks.tests.attest_imports import root_of
from truelap.checks.tests.attest_names import CONTAINERS, HANDS_OFF, MODES, called_name, is_literal

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from truelap.checks.tests.attest_helpers import Helpers

_KINDS = (int, float, complex, str, bytes)
_DISPLAYS = (ast.List, ast.Tuple, ast.Set, ast.Dict)
_CONVENTIONS = re.compile(r"pytestmark|pytest_plugins|collect_ignore|collect_ignore_glob|__.*|_\w+_|_fields")
_COSTLY = (ast.Pow, ast.LShift)


class Literals(ast.NodeVisitor):
    """Finds the literals that may be replaced, and of them those that stand for what is expected.

    Args:
        parameters: also what tests and fixtures are parametrized with.
        helpers: functions of test code that compare.
        tested: names that the file imports of what it tests: whatever these are called, they are handed inputs.
    """

    def __init__(
        self, *, parameters: bool, helpers: Helpers = NO_HELPERS, tested: Collection[str] = ()
    ) -> None:
        self.found: list[tuple[ast.Constant, int]] = []
        self.joined: list[tuple[ast.JoinedStr, int]] = []
        self.expected: set[int] = set()
        self.displays: dict[int, int] = {}
        """The outermost list, tuple, set or dict that a literal stands in, by its number; loose ones have none."""
        self._parameters = parameters
        self._helpers = helpers
        self._tested = tested
        self._display = 0
        self._opened = 0
        self._inside = False
        self._function = 0

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        """Bodies of functions, and the values that tests are parametrized with; defaults and other decorators stay."""
        outside = self._function
        self._function = self._function if self._inside else node.lineno
        for decorator in node.decorator_list:
            self._parametrize(decorator)
        self._open(node.body)
        self._function = outside

    visit_AsyncFunctionDef = visit_FunctionDef  # noqa: N815

    def visit_statements(self, nodes: Sequence[ast.AST]) -> None:
        """Statements that stand outside of any function, and are a test all the same."""
        self._open(nodes)

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        """As a file: its functions, and the data that it defines."""
        for decorator in node.decorator_list:
            self._parametrize(decorator)
        for statement in node.body:
            self.visit(statement)

    def visit_Assign(self, node: ast.Assign) -> None:
        """Outside functions, only data: literals and displays under a name that is no one's convention."""
        if self._inside:
            self.generic_visit(node)
        else:
            self._data(node.targets, node.value)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        """Likewise; annotations stay."""
        if node.value is not None and self._inside:
            self.visit(node.value)
        elif node.value is not None:
            self._data([node.target], node.value)

    def _data(self, targets: Sequence[ast.expr], value: ast.expr) -> None:
        names = [target.id for target in targets if isinstance(target, ast.Name)]
        usual = not any(map(_CONVENTIONS.fullmatch, names))
        if usual and len(names) == len(targets) and _is_data(value):
            self._inside = True
            self._table(value, tuples=True)
            self._inside = False

    def visit_For(self, node: ast.For) -> None:
        """As any statement; what is taken apart row by row is a table."""
        if isinstance(node.target, ast.Tuple):
            self._table(node.iter)
        else:
            self.visit(node.iter)
        for statement in (*node.body, *node.orelse):
            self.visit(statement)

    def visit_List(self, node: ast.List | ast.Tuple | ast.Set) -> None:
        """What stands in a display belongs together."""
        self._group(node.elts)

    visit_Tuple = visit_List  # noqa: N815
    visit_Set = visit_List  # noqa: N815

    def visit_Dict(self, node: ast.Dict) -> None:
        """Keys belong together, and so do values."""
        self._group([key for key in node.keys if key is not None])
        self._group(node.values)

    def _group(self, nodes: Sequence[ast.AST]) -> None:
        outside = self._display
        if not outside:
            self._opened += 1
            self._display = self._opened
        for node in nodes:
            self.visit(node)
        self._display = outside

    def _table(self, node: ast.expr, *, tuples: bool = False) -> None:
        """Cases, one a row: its cells are inputs and what is expected of them, and belong together no more than arguments."""
        kinds = ast.Tuple if tuples else ast.Tuple | ast.List
        rows = node.elts if isinstance(node, ast.List | ast.Tuple) else []
        if not any(isinstance(row, kinds) for row in rows):
            self.visit(node)
            return
        for row in rows:
            for cell in row.elts if isinstance(row, ast.Tuple | ast.List) else [row]:
                self.visit(cell)

    def _open(self, nodes: Sequence[ast.AST]) -> None:
        outside, self._inside = self._inside, True
        for node in nodes:
            self.visit(node)
        self._inside = outside

    def _parametrize(self, decorator: ast.expr) -> None:
        if not self._parameters or not isinstance(decorator, ast.Call):
            return
        given = {keyword.arg: keyword.value for keyword in decorator.keywords}
        outside, self._inside = self._inside, True
        if called_name(decorator) == "parametrize":
            given |= dict(zip(("argnames", "argvalues"), decorator.args, strict=False))
            self._cases(given.get("argnames"), given.get("argvalues"))
        elif called_name(decorator) == "fixture" and "params" in given:
            self.visit(given["params"])
        self._inside = outside

    def _cases(self, names: ast.expr | None, table: ast.expr | None) -> None:
        if table is not None and _names_one(names):
            self.visit(table)
        elif table is not None:
            self._table(table)

    def visit_Expr(self, node: ast.Expr) -> None:
        """Docstrings and bare texts stay; what a helper is handed beside what was found is expected of it."""
        for call in self._helpers.calls(node):
            for argument in (*call.args, *(keyword.value for keyword in call.keywords)):
                self._expect(argument)
        if not isinstance(node.value, ast.Constant):
            self.visit(node.value)

    def visit_Constant(self, node: ast.Constant) -> None:
        """Numbers, texts and bytes; `True`, `False` and `None` are mostly flags."""
        if self._inside and type(node.value) in _KINDS:
            self.found.append((node, self._function))
            self.displays[id(node)] = self._display

    def visit_JoinedStr(self, node: ast.JoinedStr) -> None:
        """As a whole: the pieces of an f-string have no positions of their own on older Pythons."""
        if self._inside:
            self.joined.append((node, self._function))

    visit_TemplateStr = visit_JoinedStr  # noqa: N815

    def visit_Assert(self, node: ast.Assert) -> None:
        """Without its message, which nobody compares."""
        self.visit(node.test)

    def visit_Subscript(self, node: ast.Subscript) -> None:
        """A number as index picks a part; another one would mostly end the test early."""
        self.visit(node.value)
        if not isinstance(node.slice, ast.Constant) or isinstance(node.slice.value, str):
            self.visit(node.slice)

    def visit_BinOp(self, node: ast.BinOp) -> None:
        """Exponents stay: one more can cost ten times as much."""
        self.visit(node.left)
        if not isinstance(node.op, _COSTLY):
            self.visit(node.right)

    def visit_Compare(self, node: ast.Compare) -> None:
        """Literals on one side of a comparison are what is expected of the other."""
        for side in (node.left, *node.comparators):
            self._expect(side)
        self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> None:
        """Arguments, but for those that decide how the test runs."""
        name, ours = called_name(node), root_of(node.func) in self._tested
        if name in HANDS_OFF and not ours:
            return
        if name.startswith(("assert", "_assert")):
            for argument in node.args:
                self._expect(argument)
        for argument in node.args[:2] if name in CLOSE else ():
            self._expect(argument)
        outside, self._display = self._display, 0
        self.visit(node.func)
        for argument in node.args:
            self.visit(argument)
        for keyword in node.keywords:
            text = isinstance(keyword.value, ast.Constant) and isinstance(keyword.value.value, str)
            # Given to anything else, a text by keyword is mostly the name of a method or mode.
            if not text or (ours and keyword.arg not in MODES):
                self.visit(keyword.value)
        self._display = outside

    def visit_MatchValue(self, node: ast.MatchValue) -> None:
        """Patterns stay."""

    def _expect(self, side: ast.expr) -> None:
        parts = list(ast.walk(side))
        if not any(isinstance(part, ast.Call | ast.Name) for part in parts):
            self.expected.update(id(part) for part in parts if isinstance(part, ast.Constant))


def _is_data(value: ast.expr) -> bool:
    made = isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id in CONTAINERS
    return made or isinstance(value, _DISPLAYS) or is_literal(value)


def _names_one(names: ast.expr | None) -> bool:
    """Whether a test is parametrized by one name, so that each item is a value and no row."""
    return isinstance(names, ast.Constant) and isinstance(names.value, str) and "," not in names.value
