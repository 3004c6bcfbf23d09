"""Is the candidate's value base's? Two encodings are compared part by part; base's shape leads, nothing is executed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from truelap.values import arrays, containers, large
from truelap.values.codec import canonical, shortened, text_of
from truelap.values.difference import Difference, Kind, Tolerance
from truelap.values.sharing import Sharing
from truelap.values.text import same_text, same_type, without_frames, without_lines

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass(frozen=True)
class Comparison:
    """What came out of one comparison.

    Attributes:
        difference: the first difference, or the first part that could not be compared; None when the values are the same.
        largest_error: of all floats, relative to base, also within the tolerance.
        error_at: where it stands.
    """

    difference: Difference | None
    largest_error: float = 0.0
    error_at: str = ""


def compare(base: Any, candidate: Any, *, tolerance: Tolerance | None = None) -> Difference | None:
    """Where the candidate's value differs from base's, or None. See `examine`.

    >>> compare(["l", [1, 2]], ["l", [1, 3]]).where
    '[1]'
    """
    return examine(base, candidate, tolerance=tolerance).difference


def examine(base: Any, candidate: Any, *, tolerance: Tolerance | None = None) -> Comparison:
    """Compare two encodings.

    Args:
        base: base's encoding, as its sandbox sent it.
        candidate: any JSON value; what does not have base's shape is a difference.
        tolerance: what still counts as the same.
    """
    walk = Walk(tolerance or Tolerance(), Sharing(base, candidate))
    walk.go(base, candidate)
    return Comparison(walk.found or walk.silent, walk.largest, walk.largest_at)


class Walk:
    """One comparison on its way: what was found so far."""

    def __init__(self, tolerance: Tolerance, sharing: Sharing) -> None:
        self.tolerance = tolerance
        self.sharing = sharing
        self.found: Difference | None = None
        self.silent: Difference | None = None
        self.largest = 0.0
        self.largest_at = ""

    def go(self, base: Any, candidate: Any) -> None:
        """Compare two encodings as a whole."""
        try:
            self.visit(base, candidate, "")
        except (ValueError, TypeError, AttributeError, LookupError, RecursionError, OverflowError):
            # Only a candidate that does not keep to the format can bring the walk out of step.
            self.tell("", "malformed", base, "an encoding that is none")

    def tell(self, where: str, kind: Kind, base: Any, candidate: Any, error: float | None = None) -> None:
        """Note a difference; the first of its sort is kept."""
        told = Difference(where, kind, shortened(base), shortened(candidate), error)
        if kind == "not_comparable":
            self.silent = self.silent or told
        else:
            self.found = self.found or told

    def visit(self, base: Any, candidate: Any, where: str) -> None:
        """Compare two encodings that stand at the same place."""
        if not isinstance(base, list) or type(base) is not type(candidate):
            if type(base) is not type(candidate):
                self.tell(where, "type", base, candidate)
            elif not _same_leaf(base, candidate, self.tolerance):
                self.tell(where, "value", base, candidate)
        elif "again" in (base[0], candidate[0]):
            self._again(base, candidate, where)
        elif candidate[0] == base[0]:
            _VISITORS.get(base[0], _exact)(self, base, candidate, where)
        else:
            self.tell(where, "type", base, candidate)

    def _again(self, base: Any, candidate: Any, where: str) -> None:
        pair = self.sharing.pair(base, candidate)
        if pair is None:
            return
        if "again" not in (pair[0][0], pair[1][0]):
            self.visit(*pair, where)
        elif pair[0] != pair[1]:
            # What was told of it is part of a digest.
            self.tell(where, "type", base, candidate)

    def number(self, base: float, candidate: float, where: str, *, single: bool = False) -> None:
        """Compare two floats."""
        same, error = self.tolerance.error(base, candidate, single=single)
        if error > self.largest:
            self.largest, self.largest_at = error, where
        if not same:
            self.tell(where, "number", repr(base), repr(candidate), error)

    def alike(self, base: Any, candidate: Any) -> bool:
        """Whether two parts are the same, which may be any two of an unordered whole."""
        walk = Walk(self.tolerance, self.sharing.apart())
        walk.go(base, candidate)
        return not (walk.found or walk.silent)

    def state(self, base: Any, candidate: Any, where: str) -> None:
        """Compare `[[name, part], ..]`: a name more is an honest patch's freedom, one that is gone or changed is not."""
        found = {canonical(name): part for name, part in candidate}
        for name, part in base:
            if canonical(name) in found:
                self.visit(part, found[canonical(name)], f"{where}.{shortened(name)}")
            else:
                self.tell(where, "missing", name, "nothing")


def _same_leaf(base: Any, candidate: Any, tolerance: Tolerance) -> bool:
    if base == candidate or not isinstance(base, str):
        return bool(base == candidate)
    left, right = (without_lines(without_frames(text), tolerance.files) for text in (base, candidate))
    return left == right


def _exact(walk: Walk, base: Any, candidate: Any, where: str) -> None:
    if canonical(base) != canonical(candidate):
        walk.tell(where, "value", base, candidate)


def _floats(walk: Walk, base: Any, candidate: Any, where: str) -> None:
    for left, right in zip(base[1:], candidate[1:], strict=True):
        walk.number(float.fromhex(left), float.fromhex(right), where)


def _sequence(walk: Walk, base: Any, candidate: Any, where: str) -> None:
    left, right = base[-1], candidate[-1]
    if base[1:-1] != candidate[1:-1] or len(left) != len(right):
        walk.tell(where, "shape", f"{base[:-1]} of {len(left)}", f"{candidate[:-1]} of {len(right)}")
    for index, (one, other) in enumerate(zip(left, right, strict=False)):
        walk.visit(one, other, f"{where}[{index}]")


def _parts(walk: Walk, base: Any, candidate: Any, where: str) -> None:
    for index, (one, other) in enumerate(zip(base[1:], candidate[1:], strict=True)):
        walk.visit(one, other, f"{where}.{index}")


def _typed(walk: Walk, base: Any, candidate: Any, where: str) -> None:
    if not same_type(base[1], candidate[1]):
        walk.tell(where, "type", base[1], candidate[1])


def _subclass(walk: Walk, base: Any, candidate: Any, where: str) -> None:
    _typed(walk, base, candidate, where)
    walk.visit(base[2], candidate[2], where)
    if base[1] == containers.ORDERED and candidate[2][0] == "d":
        containers.order(walk, base[2], candidate[2], where)
    walk.state(base[3], candidate[3], where)


def _thing(walk: Walk, base: Any, candidate: Any, where: str) -> None:
    _typed(walk, base, candidate, where)
    keep = walk.tolerance.private
    walk.state(base[2] if keep else _public(base[2]), candidate[2] if keep else _public(candidate[2]), where)
    _texts(walk, base[3], candidate[3], where)


def _public(state: Any) -> list[Any]:
    return [pair for pair in state if not str(text_of(pair[0])).startswith("_")]


def _texts(walk: Walk, base: Any, candidate: Any, where: str) -> None:
    left, right = text_of(base), text_of(candidate)
    if left is None or right is None:
        walk.visit(base, candidate, where)
    elif not same_text(left, right, walk.tolerance):
        walk.tell(where, "text", left, right)


def _enumeration(walk: Walk, base: Any, candidate: Any, where: str) -> None:
    _typed(walk, base, candidate, where)
    _parts(walk, base[1:], candidate[1:], where)


def _exception(walk: Walk, base: Any, candidate: Any, where: str) -> None:
    _typed(walk, base, candidate, where)
    if not walk.tolerance.messages:
        return
    if len(base[2]) != len(candidate[2]):
        walk.tell(where, "text", base[2], candidate[2])
    for index, (one, other) in enumerate(zip(base[2], candidate[2], strict=False)):
        _texts(walk, one, other, f"{where}.args[{index}]")


_VISITORS: dict[str, Callable[[Walk, Any, Any, str], None]] = {
    "no": large.untold,
    "much": large.condensed,
    "d": containers.mapping,
    "sub": _subclass,
    "o": _thing,
    "enum": _enumeration,
    "x": _exception,
    "a": arrays.array,
    "n": arrays.array,
    "ao": arrays.objects,
    "as": arrays.structured,
    "abig": arrays.digest,
    "big": arrays.digest,
    **dict.fromkeys(("f", "c"), _floats),
    **dict.fromkeys(("l", "t", "dv", "dq"), _sequence),
    **dict.fromkeys(("st", "fs", "dk", "di"), containers.unordered),
    **dict.fromkeys(("m", "pt", "v", "sl"), _parts),
    **dict.fromkeys(("cls", "fn"), _typed),
}
