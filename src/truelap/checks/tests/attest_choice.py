"""`assert a or b`: which of the parts holds is the package's affair, as long as one does."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from truelap.checks.tests.attest_truth import outcome_at, truth_at
from truelap.values import canonical

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from truelap.checks.tests.attest_marks import Choice, Site

    Side = Mapping[tuple[int, int], list[Any]]


def is_choice(node: ast.BoolOp, *, wanted: bool) -> bool:
    """Whether an assertion may come out as wanted in more ways than one."""
    return isinstance(node.op, ast.Or) is wanted


def chosen(node: ast.BoolOp, leaf: Callable[[ast.expr, bool], Choice], *, wanted: bool) -> Choice:
    """Take a condition apart; what comes out is true where the assertion holds.

    Args:
        node: the condition.
        leaf: makes the choice of one claim; its second argument says whether the claim is wanted to be true.
        wanted: likewise of the condition.
    """
    choice = _parted(node, leaf, wanted=wanted)
    return choice if wanted else ("not", choice)


def _parted(node: ast.expr, leaf: Callable[[ast.expr, bool], Choice], *, wanted: bool) -> Choice:
    if isinstance(node, ast.BoolOp):
        op = "or" if isinstance(node.op, ast.Or) else "and"
        return op, *(_parted(value, leaf, wanted=wanted) for value in node.values)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return "not", _parted(node.operand, leaf, wanted=not wanted)
    return leaf(node, wanted)


def same_choices(choice: Choice, sites: Mapping[int, Site], base: Side, candidate: Side) -> list[bool] | None:
    """What a condition comes to each time, where that is the same on both sides.

    Returns:
        None when it is not, or the judge cannot work it out from what the sides sent, or where the candidate may have made up
        both values of a comparison.
    """
    found = _Reader(sites, base).all(choice)
    return found if found is not None and found == _Reader(sites, candidate, base).all(choice) else None


@dataclass
class _Reader:
    """Goes through what one side sent as the test did, each part as often as it was reached."""

    sites: Mapping[int, Site]
    side: Side
    base: Side | None = None

    def __post_init__(self) -> None:
        self._read: dict[int, int] = {}

    def all(self, choice: Choice) -> list[bool] | None:
        leaves, found = list(_leaves(choice)), []
        left = self._left(leaves)
        while left:
            truth, before = self._truth(choice), left
            left = self._left(leaves)
            if truth is None or left >= before:
                return None
            found.append(truth)
        return found

    def _left(self, leaves: list[int]) -> int:
        return sum(
            max(0, len(values) - self._read.get(site, 0))
            for (site, slot), values in self.side.items()
            if site in leaves and not self._is_witness(site, slot)
        )

    def _is_witness(self, site: int, slot: int) -> bool:
        return self.sites[site].kind == "truth" and slot != 0

    def _truth(self, choice: Choice) -> bool | None:
        if isinstance(choice, bool):
            return choice
        if isinstance(choice, int):
            return self._claim(self.sites[choice])
        if choice[0] == "not":
            truth = self._truth(choice[1])
            return None if truth is None else not truth
        enough = bool(choice[0] == "or")
        for part in choice[1:]:
            truth = self._truth(part)
            if truth is None or truth is enough:
                return truth
        return not enough

    def _claim(self, site: Site) -> bool | None:
        occurrence = self._read.get(site.id, 0)
        self._read[site.id] = occurrence + 1
        if site.close is not None:
            # Only whether it says so is known here, and a candidate can say so of anything.
            return None
        if site.kind == "truth":
            return truth_at(site, occurrence, self.side)
        return outcome_at(site, occurrence, self.side) if self._is_anchored(site, occurrence) else None

    def _is_anchored(self, site: Site, occurrence: int) -> bool:
        """Whether one value is in the source text, or base's: a candidate that sends one twice compares equal with itself."""
        return self.base is None or any(
            operand.known or self._is_bases((site.id, operand.slot), occurrence) for operand in site.operands
        )

    def _is_bases(self, place: tuple[int, int], occurrence: int) -> bool:
        own, base = self.side.get(place, [])[occurrence:], (self.base or {}).get(place, [])
        return bool(own) and canonical(own[0]) in map(canonical, base)


def _leaves(choice: Choice) -> Iterator[int]:
    if isinstance(choice, tuple):
        for part in choice[1:]:
            yield from _leaves(part)
    elif not isinstance(choice, bool):
        yield choice
