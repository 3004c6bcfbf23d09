"""Comparison of values that were too long to be told, by what was told in their place."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from truelap.values.text import same_type

if TYPE_CHECKING:
    from truelap.values.compare import Walk

_BARE = 2
_HEAVIEST = 2
"""No part of a sum has a larger weight."""
_ITERATOR = "an iterator"


def untold(walk: Walk, base: Any, candidate: Any, where: str) -> None:
    """What was not encoded (`no`): never equal, but for another reason, of another type or length it is another value."""
    if len(base) != len(candidate) or _reason(base) != _reason(candidate):
        walk.tell(where, "value", base[1], candidate[1])
    elif len(base) > _BARE:
        _sampled(walk, base, candidate, where)
    walk.tell(where, "not_comparable", base[1], candidate[1])


def _reason(value: Any) -> Any:
    # How something is iterated over is the patch's affair.
    return _ITERATOR if value[1].startswith(_ITERATOR) else value[1]


def _sampled(walk: Walk, base: Any, candidate: Any, where: str) -> None:
    if not all(same_type(*pair) for pair in zip(base[2:4], candidate[2:4], strict=True)):
        walk.tell(where, "type", base[2:4], candidate[2:4])
    if base[4] != candidate[4]:
        walk.tell(where, "shape", f"{base[4]} parts", f"{candidate[4]} parts")
        return
    for index, (one, other) in enumerate(zip(base[5], candidate[5], strict=True)):
        walk.visit(one, other, f"{where}.sampled[{index}]")


def condensed(walk: Walk, base: Any, candidate: Any, where: str) -> None:
    """Digests and sums of many parts (`much`)."""
    exact, rest, sums, whole = 3, 4, 6, 7
    if base[1:3] != candidate[1:3]:
        walk.tell(where, "shape", f"{base[1:3]} parts", f"{candidate[1:3]} parts")
    elif base[exact] == candidate[exact]:
        return
    elif base[rest] != candidate[rest] or not (walk.tolerance.rtol or walk.tolerance.atol):
        walk.tell(where, "digest", base[:5], candidate[:5])
    else:
        for one, other in zip(base[sums], candidate[sums], strict=True):
            row_sums(walk, one, other, where, single=base[5] is True)
        if base[whole] is not True:
            walk.tell(where, "not_comparable", "digests of floats", "other digests")


def row_sums(walk: Walk, base: Any, candidate: Any, where: str, *, single: bool) -> None:
    """`[count, [[sum, sum of sizes], ..]]` of weighted floats: what is within the tolerance number by number is so in its row's sum."""
    if base[0] != candidate[0]:
        walk.tell(where, "shape", f"{base[0]} floats", f"{candidate[0]} floats")
        return
    used = walk.tolerance
    rtol = max(used.rtol, used.single) if single and used.rtol else used.rtol
    length = -(-base[0] // max(len(base[1]), 1))
    for row, (one, other) in enumerate(zip(base[1], candidate[1], strict=True)):
        left, size, right, _ = map(float.fromhex, (*one, *other))
        allowed = rtol * size + _HEAVIEST * used.atol * length
        # Where a sum is beyond all floats, equal ones prove nothing.
        if not (math.isfinite(size) and abs(left - right) <= allowed):
            error = abs(left - right) / size if size else math.inf
            walk.tell(f"{where}, floats from {row * length}", "number", repr(left), repr(right), error)
