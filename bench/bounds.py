"""How far from what was counted a share may be."""

from __future__ import annotations

import math


def upper(hits: int, count: int, confidence: float = 0.95) -> float:
    """The upper bound of a share (Clopper and Pearson, one-sided): with a larger one so few hits would be rarer than that.

    >>> round(upper(0, 1000), 5), round(upper(2, 1000), 5), upper(3, 3)
    (0.00299, 0.00628, 1.0)
    """
    if hits >= count:
        return 1.0
    low, high = hits / count, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if at_most(hits, count, middle) > 1 - confidence else (low, middle)
    return high


def lower(hits: int, count: int, confidence: float = 0.95) -> float:
    """The lower bound of a share, by the same rule.

    >>> round(lower(10, 10), 3), lower(0, 5)
    (0.741, 0.0)
    """
    return 1 - upper(count - hits, count, confidence)


def at_most(hits: int, count: int, share: float) -> float:
    """The probability of so many hits or fewer."""
    if share <= 0:
        return 1.0
    logs = (
        math.lgamma(count + 1)
        - math.lgamma(one + 1)
        - math.lgamma(count - one + 1)
        + one * math.log(share)
        + (count - one) * math.log1p(-share)
        for one in range(hits + 1)
    )
    return math.fsum(map(math.exp, logs))
