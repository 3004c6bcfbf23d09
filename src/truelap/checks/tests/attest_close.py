"""Assertions that two values are close: what they tolerate, and whether a candidate's value is as close to base's. Pure.

Of `assert isclose(f(2), 1.414)` the worker says only that it is true, and under the secret mostly that it is false, as it is for
any other number as well. So the values that went in are held against base's.
"""

from __future__ import annotations

import ast
import math
from typing import TYPE_CHECKING, Any

from truelap.checks.tests.attest_names import called_name
from truelap.values import numbers

if TYPE_CHECKING:
    from typing import TypeGuard

Closeness = tuple[float, float]
"""Relative and absolute tolerance."""

CLOSE: dict[str, Closeness] = {
    "isclose": (1e-5, 1e-8),
    "allclose": (1e-5, 1e-8),
    "array_equal": (0.0, 0.0),
    "array_equiv": (0.0, 0.0),
}
"""Functions that compare their first two arguments, with numpy's defaults: math's are narrower."""

_RELATIVE, _ABSOLUTE = ("rtol", "rel_tol"), ("atol", "abs_tol")
_PLACES = 2
_TWICE = 2.0
"""Base and candidate may each be as far from what is expected, on either side."""


def is_close(node: ast.expr | None) -> TypeGuard[ast.Call]:
    """Whether an expression asks whether two values are close."""
    return isinstance(node, ast.Call) and called_name(node) in CLOSE


def closeness(call: ast.Call) -> Closeness | None:
    """What an assertion that two values are close tolerates; None where that is no number in the source, or it is none."""
    if called_name(call) not in CLOSE:
        return None
    found = list(CLOSE[called_name(call)])
    given: list[tuple[int, ast.expr]] = [*enumerate(call.args[_PLACES : 2 * _PLACES])]
    for keyword in call.keywords:
        given += [(0, keyword.value)] if keyword.arg in _RELATIVE else []
        given += [(1, keyword.value)] if keyword.arg in _ABSOLUTE else []
        if keyword.arg is None:
            return None
    for place, node in given:
        if not isinstance(node, ast.Constant) or not isinstance(node.value, int | float):
            return None
        found[place] = max(0.0, float(node.value))
    return found[0], found[1]


def is_far(base: Any, candidate: Any, tolerated: Closeness) -> bool:
    """Whether a candidate's value is further from base's than both can be from one that they are close to.

    Args:
        base: encoded; False where it is no numbers.
        candidate: encoded; True where it is none, and base's is.
        tolerated: by the assertion.

    >>> is_far(2, ["f", (2.000001).hex()], (1e-5, 0.0)), is_far(2, ["f", (2.1).hex()], (1e-5, 0.0))
    (False, True)
    """
    left, right = numbers(base), numbers(candidate)
    if left is None:
        return False
    if right is None or len(left) != len(right):
        return True
    return any(not _near(one, other, tolerated) for one, other in zip(left, right, strict=True))


def _near(one: complex, other: complex, tolerated: Closeness) -> bool:
    if one == other or (one != one and other != other):  # noqa: PLR0124 - NaN
        return True
    relative, absolute = tolerated
    away = abs(one - other)
    return math.isfinite(away) and away <= _TWICE * (absolute + relative * max(abs(one), abs(other)))
