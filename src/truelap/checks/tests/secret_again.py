"""Looks again at what differs under the secret: only base's own runs can say that it does so by chance.

Two of them may agree by chance where a value has few outcomes, so base runs up to eight times before a difference stands: fewer where
several tests differ, which seldom toss alike. Beside several that stand, one that base tosses may then be named too.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from truelap.checks.tests.sides import Side
    from truelap.checks.tests.value_evidence import Ruled

_ASKED = 20
"""Tests that are looked at again together: where one of them stands, no more need be."""
_TOSSES = 7
"""Throws of a coin that must not all fall alike: one for each test that differs, in each run of base after the first."""
_LONGEST_S = 60.0
"""Tests that take longer together at base are not run so often."""


def differing(tests: Mapping[str, Ruled]) -> list[str]:
    """Ids whose values are not base's."""
    return [name for name, ruled in tests.items() if ruled.status == "differs"]


def settled(
    runs: Sequence[Side],
    names: Sequence[str],
    weighed: Callable[[Sequence[Side], Sequence[str]], dict[str, Ruled]],
    look: Callable[[Sequence[str], int], Side],
) -> dict[str, Ruled]:
    """What becomes of differences after more runs of base, the quickest tests first.

    Args:
        runs: of base, so far.
        names: ids that differ.
        weighed: judges some of them by some runs of base.
        look: runs base again, for some of them; its second argument says how often it ran before.
    """
    tests: dict[str, Ruled] = {}
    quick = sorted(names, key=lambda name: runs[0].nodes[name].seconds)
    for start in range(0, len(quick), _ASKED):
        found = _again(runs, quick[start : start + _ASKED], weighed, look)
        tests |= found
        if differing(found):
            break
    return tests


def _again(
    runs: Sequence[Side],
    names: Sequence[str],
    weighed: Callable[[Sequence[Side], Sequence[str]], dict[str, Ruled]],
    look: Callable[[Sequence[str], int], Side],
) -> dict[str, Ruled]:
    tests = weighed(runs, names)
    seconds = sum(runs[0].nodes[name].seconds for name in names)
    while (odd := differing(tests)) and len(runs) < _enough(len(odd)) and seconds < _LONGEST_S:
        more = look(odd, len(runs))
        if more.faults:
            # Base must come to its end to be an excuse.
            break
        runs = [*runs, more]
        tests |= weighed(runs, odd)
    return tests


def _enough(tests: int) -> int:
    """How often base runs in all where so many tests differ."""
    return 1 + max(1, math.ceil(_TOSSES / tests))
