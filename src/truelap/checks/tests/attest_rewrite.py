"""Rewrites a test file so that what its assertions compare is also sent to the judge.

Each operand is sent through a recorder that returns it, in place: order, scope and single evaluation stay Python's, the
assertion itself runs unchanged, and every line keeps its number.
"""

from __future__ import annotations

import ast
import warnings
from dataclasses import dataclass
from itertools import zip_longest
from threading import Lock
from typing import TYPE_CHECKING, Any

from truelap.checks.tests.attest_fails import Fails
from truelap.checks.tests.attest_helpers import Helpers
from truelap.checks.tests.attest_modules import NO_MODULES
from truelap.checks.tests.attest_sites import Finder
from truelap.splice import Text, Wrap, read_text, splice

if TYPE_CHECKING:
    from collections.abc import Iterable

    from truelap.checks.tests.attest_marks import Mark, Site
    from truelap.checks.tests.attest_modules import Modules

_QUIET = Lock()
_METHODS = ("manager", "function", "soft", "truth", "untruth", "raised")


@dataclass(frozen=True)
class Attested:
    """A rewritten test file.

    Attributes:
        source: its bytes; None when the file cannot be rewritten and has to run as it is.
        sites: the places that will be heard of.
        reason: why not, in one line; empty when it was rewritten.
    """

    source: bytes | None
    sites: tuple[Site, ...] = ()
    reason: str = ""


def attest(
    source: bytes,
    filename: str,
    *,
    name: str,
    first: int = 0,
    soft: bool = False,
    modules: Modules = NO_MODULES,
) -> Attested:
    """Rewrite one test file.

    Args:
        source: bytes of the file.
        filename: its path in the tree.
        name: the recorder's name, unguessable and unused; the runner binds it among the builtins.
        first: id of the file's first site.
        soft: assertions are recorded but never end the test, for perturbed sources: they need not hold.
        modules: where the file may have helpers from.
    """
    if not name.isidentifier() or name.startswith("__"):
        raise ValueError(f"{name!r} cannot be the recorder's name")
    try:
        text, tree = read_text(source), parse(source, filename)
        if name in text.text:
            return Attested(None, reason="the recorder's name stands in the file")
        helpers = Helpers(tree, modules.names(tree, filename))
        finder = Finder(first=first, soft=soft, helpers=helpers, fails=Fails(tree))
        finder.visit(tree)
        changed = splice(text.text, [_wrap(mark, text, name) for mark in finder.marks])
        rewritten = text.encoded(changed)
        check_same(tree, parse(rewritten, filename), name)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        return Attested(None, reason=f"{type(error).__name__}: {error}")
    return Attested(rewritten, tuple(finder.sites))


def parse(source: bytes, filename: str) -> ast.Module:
    """The syntax tree of a file; what the parser warns of is no news of ours."""
    # What is ignored is the process's affair, and two files may be read at once.
    with _QUIET, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ast.parse(source, filename)


def _wrap(mark: Mark, text: Text, name: str) -> Wrap:
    start, end = text.span(mark.node)
    method = f".{mark.method}" if mark.method else ""
    slot = "" if mark.slot is None else f"{mark.slot},"
    opening, closing = ("(", ")") if mark.bare else ("", "")
    return Wrap(start, end, f"{opening}{name}{method}({mark.site},{slot}(", f")){closing}")


def check_same(before: ast.Module, after: ast.Module, name: str) -> None:
    """Make sure that a rewritten file is the original but for calls of the recorder, line by line.

    Raises:
        ValueError: it is not, so the rewriting cannot be trusted.
    """
    left: list[tuple[ast.AST, ast.AST]] = [(before, after)]
    while left:
        one, wrapped = left.pop()
        other = _unwrapped(wrapped, name)
        if _place(one) != _place(other):
            raise ValueError(f"rewriting changed the file near line {_place(one)[1]}")
        for field in one._fields:
            mine, theirs = getattr(one, field, None), getattr(other, field, None)
            pairs = _pairs(mine, theirs) if isinstance(mine, list) else [(mine, theirs)]
            for part, its in pairs:
                if isinstance(part, ast.AST) and isinstance(its, ast.AST):
                    left.append((part, its))
                elif type(part) is not type(its) or part != its:
                    raise ValueError(f"rewriting changed the file near line {_place(one)[1]}")


def _pairs(mine: list[Any], theirs: Any) -> Iterable[tuple[Any, Any]]:
    return zip_longest(mine, theirs) if isinstance(theirs, list) else [(mine, theirs)]


def _place(node: ast.AST) -> tuple[type, int, int]:
    return type(node), getattr(node, "lineno", 0), getattr(node, "end_lineno", 0)


def _unwrapped(node: ast.AST, name: str) -> ast.AST:
    """What a call of the recorder stands around; any other node is itself."""
    while isinstance(node, ast.Call) and node.args:
        function = node.func
        if isinstance(function, ast.Attribute) and function.attr in _METHODS:
            function = function.value
        if not isinstance(function, ast.Name) or function.id != name:
            break
        node = node.args[-1]
    return node
