"""Which functions of a test file are there for others to call: how often, the package under test may decide. Pure.

A key function that asserts something of its argument is called less often by a faster sort.
"""

from __future__ import annotations

import ast
import re

_SPECIAL = re.compile(r"__(?!init__)\w+__")
_Function = ast.FunctionDef | ast.AsyncFunctionDef


def callbacks(tree: ast.AST) -> frozenset[int]:
    """Ids of the functions that the file hands over by name and never calls itself, of lambdas and of special methods."""
    nodes = list(ast.walk(tree))
    calls = [node for node in nodes if isinstance(node, ast.Call)]
    called = {call.func.id for call in calls if isinstance(call.func, ast.Name)}
    arguments = [
        part for call in calls for part in (*call.args, *(keyword.value for keyword in call.keywords))
    ]
    handed = {argument.id for argument in arguments if isinstance(argument, ast.Name)} - called
    return frozenset(id(node) for node in nodes if _is_one(node, handed))


def _is_one(node: ast.AST, handed: set[str]) -> bool:
    if isinstance(node, _Function):
        return node.name in handed or _SPECIAL.fullmatch(node.name) is not None
    return isinstance(node, ast.Lambda)
