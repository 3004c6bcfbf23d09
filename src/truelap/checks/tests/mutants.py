"""Mutants of the package: what a function gives is put into a tuple, so that tests that compare it must fail. Pure.

A function is chosen by what assertions call: its result is then an operand, and shows in the values that a test sends.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from truelap.checks.tests.attest_canary import Place, assertions, tests_of
from truelap.checks.tests.attest_names import called_name
from truelap.checks.tests.attest_rewrite import parse
from truelap.splice import Text, Wrap, read_text, splice

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from truelap.checks.tests.attest_known import Truth

_THROUGH = frozenset(
    ("list", "tuple", "sorted", "set", "frozenset", "dict", "len", "sum", "str", "repr", "next", "iter")
)
"""Built-in functions whose result depends on all of their argument."""
_DEFINITION = re.compile(rb"^[ \t]*(?:async[ \t]+)?def[ \t]+(\w+)[ \t]*\(", re.MULTILINE)
_LONGEST = 1 << 19
"""Bytes of a file that is parsed: more than handwritten modules have."""
_NO_TEXT = Text("", "utf-8", (), ())
_UNPARSED = (SyntaxError, ValueError, RecursionError, MemoryError)

Function = ast.FunctionDef | ast.AsyncFunctionDef


def asserted_calls(source: bytes, filename: str) -> dict[str, list[str]]:
    r"""Names of the functions whose results assertions look at, each with the scopes of the tests.

    >>> asserted_calls(b"def test():\n    assert list(f(1)) == [2] and g()\n    assert m.h(f(2)) == 3\n", "t.py")
    {'f': ['test'], 'h': ['test']}
    """
    found: dict[str, list[str]] = {}
    try:
        tests = list(tests_of(parse(source, filename).body, ()))
    except _UNPARSED:
        return {}
    for scope, test in tests:
        for place in assertions(test.body):
            for name in _names(_operands(place)):
                scopes = found.setdefault(name, [])
                if scope not in scopes:
                    scopes.append(scope)
    return found


def _operands(place: Place) -> Sequence[ast.expr]:
    if isinstance(place, ast.Call):
        return place.args[:2]
    test = place.test
    while isinstance(test, ast.BoolOp):
        test = test.values[0]
    return [test.left, *test.comparators] if isinstance(test, ast.Compare) else [test]


def _names(operands: Iterable[ast.expr]) -> Iterator[str]:
    for operand in operands:
        if not isinstance(operand, ast.Call):
            continue
        name = called_name(operand)
        if isinstance(operand.func, ast.Name) and name in _THROUGH:
            yield from _names(operand.args[:1])
        elif name:
            yield name


def definitions(source: bytes) -> list[str]:
    r"""Names of all functions that a file may define, each as often as it does.

    >>> definitions(b"def f():\n    pass\nclass C:\n    async def g (self): pass\n")
    ['f', 'g']
    """
    return [name.decode() for name in _DEFINITION.findall(source)]


@dataclass(frozen=True)
class Mutable:
    """A file of the package, and which of its functions can be changed.

    Attributes:
        text: of the file.
        wraps: by function, around what it gives; without those that give nothing or are defined more than once.
    """

    text: Text
    wraps: Mapping[str, Sequence[Wrap]]

    def mutated(self, names: Iterable[str]) -> bytes | None:
        """Make what functions return or yield the only item of a tuple; lines stay where they are.

        Args:
            names: of functions that can be changed.

        Returns:
            The changed bytes; None when they are no Python any more.
        """
        wraps = [wrap for name in names for wrap in self.wraps.get(name, ())]
        try:
            changed = self.text.encoded(splice(self.text.text, wraps))
            parse(changed, "changed")
        except _UNPARSED:
            return None
        return changed


def mutable(source: bytes) -> Mutable:
    r"""Find the functions of a file that can be changed: none where it is no Python, or too long to be parsed here.

    The file may be the candidate's, and this is our process: a tree takes hundreds of bytes for each one of the source.

    >>> mutable(b"def f(x):\n    return x, 1\n").mutated(["f"])
    b'def f(x):\n    return ((x, 1),)\n'
    """
    if len(source) > _LONGEST:
        return Mutable(_NO_TEXT, {})
    try:
        text, tree = read_text(source), parse(source, "source")
        found: dict[str, list[Function]] = {}
        for node in ast.walk(tree):
            if isinstance(node, Function):
                found.setdefault(node.name, []).append(node)
        given = {name: _given(nodes[0]) for name, nodes in found.items() if len(nodes) == 1}
        wraps = {
            name: [Wrap(*text.span(value), "((", "),)") for value in values]
            for name, values in given.items()
            if values
        }
    except _UNPARSED:
        return Mutable(_NO_TEXT, {})
    return Mutable(text, wraps)


def _given(function: Function) -> list[ast.expr]:
    """Values that a function yields; those that it returns where it yields none."""
    own = list(_own(function.body))
    yields = any(isinstance(node, ast.Yield | ast.YieldFrom) for node in own)
    kind = ast.Yield if yields else ast.Return
    return [node.value for node in own if isinstance(node, kind) and node.value is not None]


def _own(nodes: Iterable[ast.AST]) -> Iterator[ast.AST]:
    left = list(nodes)
    while left:
        node = left.pop()
        if not isinstance(node, Function | ast.ClassDef | ast.Lambda):
            yield node
            left += ast.iter_child_nodes(node)


def contradicts(known: Truth, base: Sequence[Any], candidate: Sequence[Any]) -> bool:
    """Whether a test that failed at base met the same values at the candidate.

    The last value that base's test sent is that of the assertion that failed. It has to be another one than without the
    mutant, and the candidate's test must have sent the same values up to there: then a worker that calls it passed does
    not say what happened.

    Args:
        known: base's values of this test without the mutant.
        base: what its failed test sent with it, in order.
        candidate: what the passed one sent.
    """
    if not base or list(candidate[: len(base)]) != list(base):
        return False
    site, slot, value = base[-1]
    place = (site, slot)
    before = sum(tuple(event[:2]) == place for event in base) - 1
    usual = known.get(place)
    return usual is not None and usual.stability == "exact" and value not in usual.values[before : before + 1]
