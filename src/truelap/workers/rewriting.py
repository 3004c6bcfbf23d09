"""Rewrites base's benchmarks so that they tell what they compute: `time_` functions mostly drop it. Pure.

What a statement of such a function computes, and what it calls, goes through the recorder (`probes/bench_output.py`), which
gives it back unchanged. Order and single evaluation stay Python's, and every line keeps its number.
"""

from __future__ import annotations

import ast
import re
import warnings
from typing import TYPE_CHECKING

from truelap.scripts import CALLED
from truelap.splice import Text, Wrap, read_text, splice

if TYPE_CHECKING:
    from collections.abc import Iterator

    from truelap.scripts import Style

_BENCHMARK = re.compile(r"(Time[A-Z_].+)|(time_.+)")
"""asv's names of benchmarks of the kind `time`."""

_SILENT = (ast.Constant, ast.Name, ast.Yield, ast.YieldFrom, ast.Await)
"""What computes nothing, or cannot stand among arguments."""

_LONGEST = 60
"""Of what is called, so much stands in a place."""

_Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef


def rewritten(source: bytes, name: str, *, values: bool = True, style: Style = "asv") -> bytes | None:
    """A file of the suite, with its benchmarks telling what they compute.

    Args:
        source: bytes of the file.
        name: the recorder's name, unguessable; the worker binds it among the builtins.
        values: whether to tell what statements compute; without, only what is called passes the recorder.
        style: how the suite is written.

    Returns:
        None when there is nothing to change, or the file cannot be changed: then it runs as it is.
    """
    try:
        text, tree = read_text(source), _parsed(source)
        wraps = [
            wrap for function in _benchmarks(tree, style) for wrap in _wraps(function, text, name, values)
        ]
        changed = text.encoded(splice(text.text, wraps))
        _parsed(changed)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    return changed if wraps else None


def _parsed(source: bytes) -> ast.Module:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ast.parse(source)


def _benchmarks(tree: ast.Module, style: Style) -> Iterator[ast.FunctionDef]:
    """The functions that are timed; of a test with the fixture `benchmark`, those that are written inside of it."""
    for node in tree.body if style == "scripts" else ast.walk(tree):
        if not isinstance(node, ast.FunctionDef):
            continue
        if style == "pytest":
            if "benchmark" in {argument.arg for argument in node.args.args}:
                yield from (one for one in node.body if isinstance(one, ast.FunctionDef))
        elif node.name in CALLED if style == "scripts" else _BENCHMARK.fullmatch(node.name):
            yield node


def _wraps(function: ast.FunctionDef, text: Text, name: str, values: bool) -> Iterator[Wrap]:
    for statement in _statements(function.body) if values else ():
        for method, value in _told(statement):
            if not isinstance(value, _SILENT):
                start, end = text.span(value)
                place = f"line {value.lineno}.{value.col_offset}"
                yield Wrap(start, end, f"{name}{method}({place!r}, (", "))")
    for callee in _callees(function):
        place = f"line {callee.lineno}.{callee.col_offset} {ast.unparse(callee)[:_LONGEST]}"
        yield Wrap(*text.span(callee), f"{name}.called({place!r}, (", "))")


def _callees(function: ast.FunctionDef) -> Iterator[ast.expr]:
    """Whatever a function calls by name, without what functions and classes in it call."""
    left: list[ast.AST] = [*function.body]
    while left:
        node = left.pop()
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name | ast.Attribute):
            yield node.func
        # Where the parts of an f-string stand is not known before 3.12.
        if not isinstance(node, _Function | ast.JoinedStr):
            left += ast.iter_child_nodes(node)


def _statements(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """All statements of a function, without those of functions and classes in it."""
    for statement in body:
        if isinstance(statement, _Function):
            continue
        yield statement
        for field in ("body", "orelse", "finalbody"):
            yield from _statements(getattr(statement, field, []))
        for handler in getattr(statement, "handlers", []):
            yield from _statements(handler.body)


def _told(statement: ast.stmt) -> Iterator[tuple[str, ast.expr]]:
    """The recorder's method, and the expression whose value it gets."""
    if isinstance(statement, ast.Expr) or (isinstance(statement, ast.Return) and statement.value is not None):
        yield ".dropped", statement.value  # type: ignore[misc]
    elif isinstance(statement, ast.Assign | ast.AugAssign | ast.AnnAssign) and statement.value is not None:
        yield "", statement.value
    elif isinstance(statement, ast.For):
        yield ".items", statement.iter
