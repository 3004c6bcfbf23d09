"""What the candidate computes, held against what base computes. Pure.

Base has run twice, under two hash seeds and with other random numbers in the calls. What it does not reproduce is not asked
for; the spread of its floats widens the tolerance. What cannot be compared is never taken for equal.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from truelap.values import Comparison, Difference, Tolerance, examine, public

if TYPE_CHECKING:
    from collections.abc import Iterator

    from truelap.checks.outputs.asking import Output
    from truelap.checks.outputs.siblings import Told

Status = Literal["equal", "differs", "not_comparable", "missing"]

WIDENING = 10.0
"""So many times base's own spread is tolerated."""

_SILENT = ("no", "again", "up", "k", "fn", "cls", "mod")
_COUNT = -1
_RAISED = ("raised", 0)
_PARTS_OF_ITERATOR = 4
_NO_STATE = "nothing that it computes can be seen from outside"


@dataclass(frozen=True)
class Ruling:
    """What came out for one case.

    Attributes:
        status: `equal`: at least one value that says something, and none that differs.
        reason: why not equal, in one line.
        compared: values of base that were compared.
        left_out: values that base does not reproduce, or that cannot be compared.
        largest_error: of all floats, relative to base, also within the tolerance.
        error_at: where.
    """

    status: Status
    reason: str | None = None
    compared: int = 0
    left_out: int = 0
    largest_error: float = 0.0
    error_at: str = ""


class Part(NamedTuple):
    """One look at all sides."""

    name: str
    base: Told
    again: Told
    candidate: Told
    tells: frozenset[str] | None = None
    """Places whose values say something; all where None."""


def rule(base: Output, again: Output, candidate: Output, tolerance: Tolerance, max_rtol: float) -> Ruling:
    """Compare.

    Args:
        base: its first run.
        again: base once more.
        candidate: under the same seeds as base's first run.
        tolerance: what counts as the same.
        max_rtol: base's own spread widens `rtol` up to this; what spreads further is not asked for.
    """
    hall = Hall(tolerance, max_rtol)
    for part in _parts(base, again, candidate):
        before, now = part.base.get(_RAISED), part.candidate.get(_RAISED)
        if before is None and now is not None:
            return Ruling("missing", f"{part.name}: raises {told_briefly(now)}")
        if before is not None and now is None:
            return Ruling("not_comparable", f"{part.name}: base raises {told_briefly(before)}")
        hall.visit(part)
    return hall.ruling()


def _parts(base: Output, again: Output, candidate: Output) -> Iterator[Part]:
    yield Part("first call", base.first, again.first, candidate.first)
    if base.later is not None:
        yield Part("later call", base.later, again.later or {}, candidate.later or {})
    before = again.before or {}
    changed = {place for (place, at), value in again.state.items() if before.get((place, at)) != value}
    yield Part("after the calls", base.state, again.state, candidate.state, frozenset(changed))


class Hall:
    """One case's comparison on its way."""

    def __init__(self, tolerance: Tolerance, max_rtol: float) -> None:
        self._tolerance = tolerance
        self._max_rtol = max_rtol
        self._difference: str | None = None
        self._why_not = _NO_STATE
        self._told = False
        self._untold = False
        self._compared = self._left_out = 0
        self._largest, self._at = 0.0, ""

    def visit(self, part: Part) -> None:
        """Compare what base tells there."""
        for (place, at), value in part.base.items():
            used = self._learned(part, (place, at))
            if used is None:
                self._left_out += 1
                self._why_not = f"{part.name}, {place}: base itself does not reproduce it"
            elif at == _COUNT:
                self._count(part, place, value)
            else:
                self._value(part, (place, at), used)

    def ruling(self) -> Ruling:
        """What came out so far."""
        numbers = (self._compared, self._left_out, self._largest, self._at)
        if self._difference is not None:
            return Ruling("differs", self._difference, *numbers)
        if self._untold or not self._told:
            return Ruling("not_comparable", self._why_not, *numbers)
        return Ruling("equal", None, *numbers)

    def _learned(self, part: Part, key: tuple[str, int]) -> Tolerance | None:
        """What is tolerated of a value; None where base does not reproduce it."""
        if key not in part.again:
            return None
        wide = replace(self._tolerance, rtol=max(self._max_rtol, self._tolerance.rtol))
        spread = examine(part.base[key], part.again[key], tolerance=wide)
        if spread.difference is not None and spread.difference.kind != "not_comparable":
            return None
        widened = max(self._tolerance.rtol, min(WIDENING * spread.largest_error, wide.rtol))
        return replace(self._tolerance, rtol=widened)

    def _count(self, part: Part, place: str, count: Any) -> None:
        found = part.candidate.get((place, _COUNT), 0)
        if found != count:
            self._differs(
                f"{part.name}, {place}: reached {told_briefly(found)} times, not {told_briefly(count)}"
            )

    def _value(self, part: Part, key: tuple[str, int], used: Tolerance) -> None:
        where = ", ".join(filter(None, (part.name, key[0]))) + (f" (time {key[1] + 1})" if key[1] else "")
        base = _as_told(part.base[key], part.candidate.get(key))
        if key not in part.candidate:
            self._differs(f"{where}: it is not there")
            return
        if isinstance(base, list) and base[:1] == ["no"]:
            self._silent(part, key, where)
            return
        found = _compared(base, part.candidate[key], used)
        if found.largest_error > self._largest:
            self._largest, self._at = found.largest_error, f"{where} {found.error_at}".rstrip()
        if found.difference is None:
            self._compared += 1
            self._told |= (part.tells is None or key[0] in part.tells) and says_something(base)
        elif _undecided(found.difference, base):
            self._left_out += 1
            told = found.difference
            self._why_not = f"{where}: {told.base if told.kind == 'not_comparable' else told}"
        else:
            self._differs(f"{where}: {found.difference}")

    def _silent(self, part: Part, key: tuple[str, int], where: str) -> None:
        """What base could not tell: a candidate that could not either must give the same account of it."""
        base, candidate = part.base[key], part.candidate[key]
        found = examine(base, candidate, tolerance=self._tolerance).difference
        if (
            isinstance(candidate, list)
            and candidate[:1] == ["no"]
            and found
            and found.kind != "not_comparable"
        ):
            self._differs(f"{where}: {found}")
            return
        self._left_out += 1
        if not self._untold:
            self._why_not = f"{where}: {base[1]}"
        # Parts that the judge draws speak for the whole; what else the benchmark computes does not.
        drawn = any(place.startswith(f"{key[0]}, sampled") for place, _ in part.base)
        self._untold |= len(base) > 2 and not drawn  # noqa: PLR2004 - see probes/encode.py

    def _differs(self, told: str) -> None:
        self._difference = self._difference or told


def _as_told(base: Any, candidate: Any) -> Any:
    """Base's iterator, named like the candidate's where base's works only when asked: nothing is saved by working at once."""
    if _is_iterator(base) and _is_iterator(candidate) and base[1][1] == "lazy":
        return ["t", [base[1][0], candidate[1][1], *base[1][2:]]]
    return base


def _is_iterator(value: Any) -> bool:
    return (
        isinstance(value, list)
        and value[:1] == ["t"]
        and len(value) > 1
        and isinstance(value[1], list)
        and len(value[1]) == _PARTS_OF_ITERATOR
        and value[1][0] == "iterator"
    )


def _compared(base: Any, candidate: Any, used: Tolerance) -> Comparison:
    found = examine(base, candidate, tolerance=used)
    if found.difference is not None and found.difference.kind != "not_comparable" and _is_private(found):
        # What an object holds for itself is the patch's to change.
        return examine(base, candidate, tolerance=replace(used, private=False))
    return found


def _is_private(found: Comparison) -> bool:
    told = found.difference
    return told is not None and ("._" in told.where or (told.kind == "missing" and told.base.startswith("_")))


def _undecided(difference: Difference, base: Any) -> bool:
    """Whether a difference proves nothing: of a digest of floats, rounding cannot be told from a wrong number."""
    return difference.kind == "not_comparable" or (difference.kind == "digest" and _rounds(base))


def _rounds(value: Any) -> bool:
    """Whether a digest that stands for floats is part of an encoding: its rounded form is another one."""
    if not isinstance(value, list):
        return False
    if value[:1] in (["big"], ["abig"]):
        return bool(value[-1] != value[-2])
    return any(_rounds(part) for part in value)


def says_something(value: Any) -> bool:
    """Whether an encoding is more than nothing, a bare type or a bare name: what a function does, its name does not tell.

    >>> says_something(["l", []]), says_something(None), says_something(["o", "m:C", [], None])
    (True, False, False)
    """
    if not isinstance(value, list):
        return value is not None
    if value[0] == "o":
        return value[3] is not None or any(says_something(part) for _, part in public(value)[2])
    return value[0] not in _SILENT


def told_briefly(value: Any) -> str:
    """An encoding for a message."""
    try:
        return " ".join(str(value).split())[:200]
    except RecursionError:
        return "something nested beyond all measure"
