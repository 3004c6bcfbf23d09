"""What tests of base send from each of their assertions, and how far that can be relied on."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from truelap.values import Tolerance, canonical, compare

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

Place = tuple[int, int]
"""Id of a site, and slot of an operand."""
Values = dict[Place, list[Any]]
"""What one test sent: for each place its values, in order."""
Stability = Literal["exact", "unordered", "unstable", "uncounted"]

UNRELIABLE = ("unstable", "uncounted")
_EVENT_PARTS = 3
_EMPTY_TAGS = ("no", "again", "up", "cls", "fn", "mod")


@dataclass(frozen=True)
class Known:
    """What base sends from one place of one test.

    Attributes:
        stability: `exact`: every run the same in the same order; `unordered`: the same values in any order; `unstable`:
            other values, so nothing can be asked of the candidate; `uncounted`: not even as many.
        values: of base's first run.
    """

    stability: Stability
    values: tuple[Any, ...]


Truth = dict[Place, Known]


def read(events: Iterable[Any]) -> Values:
    """Sort the events of one test by place.

    Raises:
        ValueError: an event is not `[site, slot, value]`.
    """
    found: Values = {}
    for event in events:
        if not isinstance(event, list) or len(event) != _EVENT_PARTS:
            raise ValueError("an event that is none")
        site, slot, value = event
        if type(site) is not int or type(slot) is not int:
            raise ValueError("an event without a place")
        found.setdefault((site, slot), []).append(value)
    return found


def learn(runs: Sequence[Values], *, tolerance: Tolerance | None = None) -> Truth:
    """What base sends for one test, and how far it can be relied on.

    Args:
        runs: of the same test on base, at least two, under different hash seeds; the candidate runs under the first's.
        tolerance: of floats.
    """
    used = tolerance or Tolerance()
    places = {place for run in runs for place in run}
    return {place: _known([run.get(place, []) for run in runs], used) for place in sorted(places)}


def _known(sent: Sequence[list[Any]], tolerance: Tolerance) -> Known:
    first, others = sent[0], sent[1:]
    if any(len(other) != len(first) for other in others):
        return Known("uncounted", tuple(first))
    if all(_same(one, two, tolerance) for other in others for one, two in zip(first, other, strict=True)):
        return Known("exact", tuple(first))
    texts = [Counter(map(canonical, values)) for values in sent]
    return Known("unordered" if all(text == texts[0] for text in texts) else "unstable", tuple(first))


def _same(base: Any, candidate: Any, tolerance: Tolerance) -> bool:
    found = compare(base, candidate, tolerance=tolerance)
    return found is None or found.kind == "not_comparable"


def untold(value: Any) -> bool:
    """Whether a value could not be told, or not all of it, and what was told in its place may stand for other values."""
    tag = value[0] if isinstance(value, list) and value else None
    return tag == "no" or (tag == "much" and value[-1] is not True)


def tells(value: Any) -> bool:
    """Whether a value is evidence: more than a truth, None, a bare name, or something that cannot be compared.

    >>> tells(True), tells(["o", "m:C", [], None]), tells(0), tells(["x", "builtins:ValueError", []])
    (False, False, True, True)
    """
    if isinstance(value, list) and value:
        bare = value[0] == "o" and not value[2] and value[3] is None
        return value[0] not in _EMPTY_TAGS and not bare and not untold(value)
    return value is not None and not isinstance(value, bool)
