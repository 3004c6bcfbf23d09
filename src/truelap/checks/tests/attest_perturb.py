"""Changes the literals of test files by a secret, so that the right answers exist nowhere where the candidate runs.

A perturbed test need not pass; it must only send the same values on the candidate as on base.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from truelap.checks.tests.attest_helpers import Helpers
from truelap.checks.tests.attest_imports import names_of_tested
from truelap.checks.tests.attest_inputs import shares_of
from truelap.checks.tests.attest_literals import Literals
from truelap.checks.tests.attest_modules import NO_MODULES
from truelap.checks.tests.attest_order import numbers, texts
from truelap.checks.tests.attest_others import other_number, other_value
from truelap.checks.tests.attest_rewrite import parse
from truelap.checks.tests.attest_spelling import refilled, respelt
from truelap.splice import Swap, Text, read_text, splice

if TYPE_CHECKING:
    import ast
    from collections.abc import Callable, Iterable, Sequence

    from truelap.checks.tests.attest_modules import Modules
    from truelap.checks.tests.attest_order import Number


class Lot:
    """Draws by a secret: the same secret, file and place always draw the same.

    Args:
        secret: the judge's.
        filename: keeps files apart.
    """

    def __init__(self, secret: bytes, filename: str) -> None:
        self._key = hashlib.blake2b(secret, digest_size=32).digest()
        self._filename = filename

    def draw(self, *place: object) -> int:
        """A 64-bit number."""
        text = "\0".join(map(repr, (self._filename, *place))).encode()
        return int.from_bytes(hashlib.blake2b(text, key=self._key, digest_size=8).digest())

    def chance(self, share: float, *place: object) -> bool:
        """True with probability `share`."""
        return self.draw(*place) < share * 2.0**64


@dataclass(frozen=True)
class Perturbed:
    """A test file with other literals.

    Attributes:
        source: its bytes; None when the file cannot be changed.
        changes: how many literals were replaced.
        reason: why it cannot be changed.
    """

    source: bytes | None
    changes: int = 0
    reason: str = ""


def perturb(
    source: bytes,
    secret: bytes,
    *,
    filename: str = "",
    inputs: float = 0.5,
    expected: float = 0.75,
    parameters: bool = True,
    modules: Modules = NO_MODULES,
) -> Perturbed:
    """Replace literals in the functions and the data of a test file.

    Args:
        source: bytes of the test file.
        secret: decides which and how; a fresh one for each run.
        filename: its path in the tree; keeps files apart that use the same secret.
        inputs: share of the literals that are replaced; more of them where a function has few.
        expected: the same for literals that an assertion compares with.
        parameters: also change what tests are parametrized with, and with it their ids.
        modules: where the file may have helpers from.
    """
    try:
        text, tree = read_text(source), parse(source, filename)
        helpers = Helpers(tree, modules.names(tree, filename))
        finder = Literals(parameters=parameters, helpers=helpers, tested=names_of_tested(tree))
        finder.visit(tree)
        lot = Lot(secret, filename)
        swaps = list(_swaps(finder, text, lot, {False: inputs, True: expected}))
        changed = text.encoded(splice(text.text, (), swaps))
        parse(changed, filename)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        return Perturbed(None, reason=f"{type(error).__name__}: {error}")
    return Perturbed(changed, len(swaps))


def perturb_example(source: str, secret: bytes, filename: str) -> str:
    """Replace literals in one example of a doctest, as if it stood in a test function; as it is where that cannot be.

    Args:
        source: of the example.
        secret: as for `perturb`.
        filename: keeps doctests apart.
    """
    try:
        text, tree = read_text(source.encode()), parse(source.encode(), filename)
        finder = Literals(parameters=False)
        finder.visit_statements(tree.body)
        lot = Lot(secret, filename)
        changed = splice(text.text, (), _swaps(finder, text, lot, {False: 0.9, True: 0.9}))
        parse(changed.encode(), filename)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return source
    return changed


def _swaps(finder: Literals, text: Text, lot: Lot, share: dict[bool, float]) -> Iterable[Swap]:
    few = shares_of(finder, share[False])
    alike = {True: _alike(finder, lot, lambda _: share[True]), False: _alike(finder, lot, few.of_text)}
    groups: dict[tuple[object, ...], list[tuple[ast.Constant, Number]]] = {}
    homes: dict[tuple[object, ...], int] = {}
    for node, function in finder.found:
        expected, value = id(node) in finder.expected, node.value
        if isinstance(value, int | float):
            place = (*_group(node, function, finder, lot), expected)
            groups.setdefault(place, []).append((node, value))
            homes[place] = function
        else:
            yield from _swap(node, text, alike[expected](value))
    for place, members in groups.items():
        part = share[True] if place[-1] else few.of(homes[place])
        others = _numbers([value for _, value in members], lot, part, place)
        for node, value in members:
            yield from _swap(node, text, type(value)(others.get(value, value)))
    for joined, _ in finder.joined:
        yield from _respelt(joined, text, lambda written: refilled(written, alike[False]))


def _swap(node: ast.Constant, text: Text, new: Any) -> Iterable[Swap]:
    if new == node.value:
        return
    if node.lineno == node.end_lineno:
        # A number next to a name or a minus sign needs no space: it replaces a token of its own kind.
        yield Swap(*text.span(node), ascii(new))
    elif isinstance(node.value, str | bytes):
        # Every line keeps its number.
        old = node.value
        yield from _respelt(node, text, lambda written: respelt(written, old, new))


def _respelt(node: ast.expr, text: Text, respell: Callable[[str], str]) -> Iterable[Swap]:
    start, end = text.span(node)
    written = text.text[start:end]
    other = respell(written)
    if other != written and text.can_encode(other):
        yield Swap(start, end, other)


def _group(node: ast.Constant, function: int, finder: Literals, lot: Lot) -> tuple[object, ...]:
    """Which numbers keep their order among each other.

    Those of one display do, and within every other function all but what is expected: a test whose numbers no longer belong
    together soon stops, and one whose numbers all change alike could be recognised.
    """
    if id(node) not in finder.expected and lot.chance(0.5, "alike", function):
        return ("number", function)
    display = finder.displays[id(node)]
    return ("display", display) if display else (node.lineno, node.col_offset)


def _numbers(
    values: Sequence[Number], lot: Lot, share: float, place: tuple[object, ...]
) -> dict[Number, Number]:
    wholes: dict[Number, bool] = {}
    for value in values:
        wholes[value] = wholes.get(value, False) or isinstance(value, int)

    def other(value: Number) -> Number:
        if not lot.chance(share, "which", *place, value):
            return value
        return other_number(value, lot.draw("how", *place, value))

    return numbers(wholes, other)


def _alike(finder: Literals, lot: Lot, share: Callable[[object], float]) -> Callable[[Any], Any]:
    """Texts and bytes change alike in the whole file, so that names go on meeting what they name; complex numbers too."""

    def other(value: Any, attempt: int = 0) -> Any:
        key = _as_text(value)
        if not lot.chance(share(value), "which", "text", key):
            return value
        return other_value(value, lot.draw("how", "text", key, *[attempt] * bool(attempt)))

    displays: dict[tuple[int, type], list[Any]] = {}
    for node, _ in finder.found:
        if finder.displays[id(node)] and isinstance(node.value, str | bytes):
            displays.setdefault((finder.displays[id(node)], type(node.value)), []).append(node.value)
    together: dict[object, Any] = {}
    for kind in (str, bytes):
        together |= texts([row for (_, one), row in displays.items() if one is kind], other)
    return lambda value: together[value] if value in together else other(value)


def _as_text(value: object) -> object:
    """Bytes are drawn for as the text that they are of, which they may meet again."""
    try:
        return value.decode() if isinstance(value, bytes) else value
    except UnicodeDecodeError:
        return value


def another(value: object, drawn: int) -> str | None:
    """Source text of a literal like `value`, but another."""
    other = other_value(value, drawn)
    return None if other == value else ascii(other)
