"""Calls beside a benchmark's own: what the product computes for arguments that no benchmark has.

What base answers without raising, and reproduces, the candidate must answer alike. Where base raises, nothing is asked.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from truelap.checks.outputs.ruling import Hall, Part, told_briefly
from truelap.model import Frozen

if TYPE_CHECKING:
    from collections.abc import Mapping

    from truelap.values import Tolerance

Told = dict[tuple[str, int], Any]
"""What was told, by place and occurrence; at -1 stands how many there were."""

Way = tuple[str, str, str]
"""A place of the suite, an argument of what is called there, and what is changed about it."""

_WORDS = 3
_NONE = "no call of the product has an argument that can be changed"


class Wish(NamedTuple):
    """What a side is asked for beside its own calls.

    Attributes:
        most: calls at most; none where nothing is asked.
        budget_s: what they may take together at base, in seconds.
        plan: what base did; None for base's own first run.
    """

    most: int
    budget_s: float
    plan: tuple[Way, ...] | None = None

    def affordable(self, call_s: float) -> int:
        """How many calls are made, where a benchmark's own takes so many seconds."""
        return min(self.most, int(self.budget_s / max(call_s, 1e-6)))


@dataclass(frozen=True)
class Beside:
    """What came of such calls on one side.

    Attributes:
        plan: what was done.
        told: as of the benchmark's own calls.
        why_none: why there is nothing, or why it broke off.
    """

    plan: tuple[Way, ...] = ()
    told: Mapping[tuple[str, int], Any] | None = None
    why_none: str | None = None


NO_WISH = Wish(0, 0.0)
NOTHING = Beside()


class Siblings(Frozen):
    """What came out for one case."""

    plan: tuple[Way, ...] = ()
    """What base was asked for."""
    compared: int = 0
    """How many of its answers were compared."""
    difference: str | None = None
    why_none: str | None = None

    @property
    def tried(self) -> int:
        """How many calls base was asked for."""
        return len(self.plan)

    def as_data(self) -> dict[str, Any]:
        """For outputs.json."""
        return {
            "tried": self.tried,
            "compared": self.compared,
            "left_out": self.tried - self.compared,
            "difference": self.difference,
            "why_none": self.why_none,
            "calls": list(map(label_of, self.plan)),
        }


def label_of(way: Way) -> str:
    """The place under which a worker tells what came of a call.

    >>> label_of(("line 3.8 f", "argument 1", "one less"))
    'line 3.8 f, argument 1 one less'
    """
    return f"{way[0]}, {way[1]} {way[2]}"


def read_plan(told: Any, most: int) -> tuple[Way, ...]:
    """What a worker says it did.

    Raises:
        ValueError: it has another form.

    >>> read_plan([["line 3.8 f", "argument 1", "one less"]], 8)
    (('line 3.8 f', 'argument 1', 'one less'),)
    """
    if not isinstance(told, list) or len(told) > most:
        raise ValueError("a plan in a form that is not known")
    for way in told:
        if not isinstance(way, list) or len(way) != _WORDS or not all(type(word) is str for word in way):
            raise ValueError("a plan in a form that is not known")
    return tuple((place, argument, change) for place, argument, change in told)


def compare(
    base: Beside, again: Beside, candidate: Beside, tolerance: Tolerance, max_rtol: float
) -> Siblings:
    """Hold the candidate's answers against base's. Pure."""
    if not base.plan:
        return Siblings(why_none=base.why_none or _NONE)
    if base.told is None or again.told is None:
        return Siblings(plan=base.plan, why_none=base.why_none or again.why_none)
    compared, difference = 0, None
    for way in base.plan:
        label = label_of(way)
        first, second, found = (_of(label, side.told or {}) for side in (base, again, candidate))
        if not first or any(_said(label, part, "raised", "not made") for part in (first, second)):
            continue
        if (why := _missing(label, found, candidate)) is not None:
            compared, difference = compared + 1, difference or f"{label}: {why}"
        elif not _said(label, found, "not made"):
            hall = Hall(tolerance, max_rtol)
            hall.visit(Part("", first, second, found))
            ruling = hall.ruling()
            compared += ruling.status != "not_comparable"
            difference = difference or (ruling.reason if ruling.status == "differs" else None)
    return Siblings(plan=base.plan, compared=compared, difference=difference)


def _of(label: str, told: Mapping[tuple[str, int], Any]) -> Told:
    begins = (f"{label},", f"{label}:")
    return {
        (place, at): value
        for (place, at), value in told.items()
        if at >= 0 and (place == label or place.startswith(begins))
    }


def _said(label: str, told: Told, *words: str) -> bool:
    return any((f"{label}, {word}", 0) in told for word in words)


def _missing(label: str, told: Told, candidate: Beside) -> str | None:
    """How the candidate gives no answer at all."""
    if (raised := told.get((f"{label}, raised", 0))) is not None:
        return f"raises {told_briefly(raised)}"
    if not told:
        return candidate.why_none or "no answer"
    return None
