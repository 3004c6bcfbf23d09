"""Does an assertion come out as at base, by the judge's own comparison of the values that the candidate sent?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from truelap.values import canonical, compare, holds, plain

if TYPE_CHECKING:
    from collections.abc import Mapping

    from truelap.checks.tests.attest_marks import Site

_MISSING = object()


def is_witness(site: Site, slot: int) -> bool:
    """Whether an operand is only looked at by the judge, not by the assertion."""
    return any(operand.slot == slot and operand.role == "witness" for operand in site.operands)


def same_truth(site: Site, slot: int, occurrence: int, sides: tuple[Any, Any]) -> bool:
    """Whether a value that differs from base's leaves its assertion as it is at base.

    Args:
        site: where the value was sent from.
        slot: which operand it is.
        occurrence: which time in this test.
        sides: what base and the candidate sent for the test, by place.

    Returns:
        False also when the judge cannot tell.
    """
    if site.kind == "raises":
        base, candidate = (_at(side, (site.id, slot), occurrence) for side in sides)
        return _same_warnings(base, candidate) if slot else _same_exception(base, candidate)
    if site.kind == "truth":
        left, right = (_truth(_at(side, (site.id, slot), occurrence)) for side in sides)
        return left is not None and left == right
    if not site.operators:
        return False
    before, now = (outcome_at(site, occurrence, side) for side in sides)
    return before is not None and before == now and _one_side_is_bases(site, occurrence, sides)


def holds_at_both(site: Site, slot: int, occurrence: int, sides: tuple[Any, Any]) -> bool:
    """Whether a comparison holds at base, and at the candidate although a value of it is another one: `calls <= 10`."""
    holding = bool(site.operators) and outcome_at(site, occurrence, sides[0]) is True
    return holding and same_truth(site, slot, occurrence, sides)


def truth_at(site: Site, occurrence: int, side: Mapping[tuple[int, int], list[Any]]) -> bool | None:
    """Whether what is asked to be true is, None when the judge cannot tell."""
    return _truth(_at(side, (site.id, 0), occurrence))


def _at(side: Mapping[tuple[int, int], list[Any]], place: tuple[int, int], occurrence: int) -> Any:
    values = side.get(place, [])
    return values[occurrence] if occurrence < len(values) else _MISSING


def _same_exception(base: Any, candidate: Any) -> bool:
    found = None if _MISSING in (base, candidate) else compare(base, candidate)
    return found is not None and found.kind == "text"


def _same_warnings(base: Any, candidate: Any) -> bool:
    """Whether as many warnings of the same categories were heard, whatever they say."""
    heard, again = _categories(base), _categories(candidate)
    return None not in (heard, again) and compare(heard, again) is None


def _categories(heard: Any) -> list[Any] | None:
    """Categories alone, as an encoding; None for what is no list of categories and texts."""
    try:
        (tag, pairs) = heard
        found = [category for kind, (category, _) in pairs if (kind, category[0]) == ("t", "cls")]
        return ["l", found] if tag == "l" and len(found) == len(pairs) else None
    except (TypeError, ValueError, LookupError):
        return None


def _truth(value: Any) -> bool | None:
    try:
        return None if value is _MISSING else bool(plain(value))
    except (ValueError, TypeError):
        return None


def _operands(site: Site, occurrence: int, side: Mapping[tuple[int, int], list[Any]]) -> list[Any]:
    return [
        operand.constant if operand.known else _at(side, (site.id, operand.slot), occurrence)
        for operand in site.operands[: len(site.operators) + 1]
    ]


def outcome_at(site: Site, occurrence: int, side: Mapping[tuple[int, int], list[Any]]) -> bool | None:
    """Whether a comparison holds by the values that a side sent, None when the judge cannot tell."""
    operands = _operands(site, occurrence, side)
    if _MISSING in operands:
        return None
    results = [
        holds(operator, left, right)
        for operator, left, right in zip(site.operators, operands, operands[1:], strict=False)
    ]
    return None if None in results or not results else all(results)


def _one_side_is_bases(site: Site, occurrence: int, sides: tuple[Any, Any]) -> bool:
    """A candidate that sends a wrong value twice compares equal with itself: one operand has to be base's own."""
    base, candidate = (_operands(site, occurrence, side) for side in sides)
    return any(canonical(left) == canonical(right) for left, right in zip(base, candidate, strict=True))
