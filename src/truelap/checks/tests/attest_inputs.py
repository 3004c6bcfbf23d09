"""How large a share of the inputs of a test function is replaced: where it has few, most of them. Pure."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from truelap.checks.tests.attest_literals import Literals

_ALL_STAY = 0.06
"""How likely all that a test function puts in stays as it is, at most: answers that are carried along would still be right."""


class Few:
    """Which share of a function's inputs is replaced."""

    def __init__(self, share: float) -> None:
        self._share = share
        self._inputs: dict[int, set[object]] = {}
        self._homes: dict[object, set[int]] = {}

    def add(self, function: int, value: object) -> None:
        """Count an input."""
        self._inputs.setdefault(function, set()).add(value)
        self._homes.setdefault(value, set()).add(function)

    def of(self, function: int) -> float:
        """The share of one function; 0 for none."""
        count = len(self._inputs.get(function, ())) if function else 0
        surely = 1 - _ALL_STAY ** (1 / count) if count and self._share else 0.0
        return max(self._share, surely)

    def of_text(self, text: object) -> float:
        """The share of a text or bytes, which is replaced in the whole file or nowhere."""
        return max(map(self.of, self._homes.get(text, ())), default=self._share)


def shares_of(finder: Literals, share: float) -> Few:
    """The shares of the functions of a file.

    Args:
        finder: has seen the file.
        share: for functions with many inputs; 0 for none at all.
    """
    few = Few(share)
    for node, function in finder.found:
        if id(node) not in finder.expected:
            few.add(function, node.value)
    for joined, function in finder.joined:
        for part in joined.values:
            if isinstance(part, ast.Constant):
                few.add(function, part.value)
    return few
