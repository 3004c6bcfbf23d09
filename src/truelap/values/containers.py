"""Comparison of what has no order, and of dictionaries."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from truelap.values.codec import canonical, shortened

if TYPE_CHECKING:
    from collections.abc import Iterable

    from truelap.values.compare import Walk

ORDERED = "collections:OrderedDict"
_MATCH_LIMIT = 100


def _left_over(base: Iterable[Any], candidate: Iterable[Any]) -> tuple[list[Any], list[Any]]:
    left, right = [canonical(item) for item in base], [canonical(item) for item in candidate]
    gone, new = Counter(left) - Counter(right), Counter(right) - Counter(left)
    texts = dict(zip(left, base, strict=True)) | dict(zip(right, candidate, strict=True))
    return [texts[key] for key in gone.elements()], [texts[key] for key in new.elements()]


def unordered(walk: Walk, base: Any, candidate: Any, where: str) -> None:
    """Sets and views (`st`, `fs`, `dk`, `di`)."""
    gone, new = _left_over(base[-1], candidate[-1])
    if len(gone) != len(new) or len(gone) > _MATCH_LIMIT or not _matched(walk, gone, list(new)):
        walk.tell(where, "value", ["without", *gone], ["with", *new])


def _matched(walk: Walk, gone: list[Any], new: list[Any]) -> bool:
    for item in gone:
        for index, other in enumerate(new):
            if walk.alike(item, other):
                del new[index]
                break
        else:
            return False
    return True


def mapping(walk: Walk, base: Any, candidate: Any, where: str) -> None:
    """Dictionaries (`d`)."""
    left, right = ({canonical(key): part for key, part in value[1]} for value in (base, candidate))
    if len(left) != len(base[1]) or len(right) != len(candidate[1]) or left.keys() != right.keys():
        # Keys that look alike (NaN, bare objects), or not the same keys: pairs are matched as a whole.
        pairs = [["d", [["t", pair] for pair in value[1]]] for value in (base, candidate)]
        unordered(walk, pairs[0], pairs[1], where)
        return
    for key, part in base[1]:
        walk.visit(part, right[canonical(key)], f"{where}[{shortened(key)}]")
    if walk.tolerance.dict_order:
        order(walk, base, candidate, where)


def order(walk: Walk, base: Any, candidate: Any, where: str) -> None:
    """The order of two dictionaries that have the same keys."""
    left, right = ([canonical(key) for key, _ in value[1]] for value in (base, candidate))
    if left != right and sorted(left) == sorted(right):
        walk.tell(where, "value", left, right)
