"""How far off a ratio may be that a few visits have shown. Pure."""

from __future__ import annotations

import math
from statistics import NormalDist, median
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

VISIT_SPREAD = 0.025
PRIOR_VISITS = 4
"""What one visit is off by on a shared machine (1.6 to 3 % were measured), and how many visits' worth that is taken for."""

MEDIAN_WORSE = 1.2
"""The median of three to eight scatters at most so many times as much as their mean."""


def visit_interval(values: Sequence[float], confidence: float = 0.95) -> tuple[float, float]:
    """An interval for what visits have in common: their median, and Student's t over visits.

    The spread of a few visits says little of how far they may be off. So it starts from what visits of a shared machine are off by, as if
    some had shown that already (a moderated t: Smyth 2004).

    Args:
        values: log ratios, one a visit; at least one.
        confidence: that it holds.

    >>> [round(end, 3) for end in visit_interval([0.10, 0.10, 0.10])], [round(end, 3) for end in visit_interval([0.1])]
    ([0.065, 0.135], [0.031, 0.169])
    """
    count, middle = len(values), median(values)
    mean = math.fsum(values) / count
    squares = PRIOR_VISITS * VISIT_SPREAD**2 + math.fsum((value - mean) ** 2 for value in values)
    freedom = PRIOR_VISITS + count - 1
    # The median of more than two scatters more than their mean.
    worse = MEDIAN_WORSE if count > 2 else 1.0  # noqa: PLR2004 - of two it is the mean
    half = worse * _student(freedom, confidence) * math.sqrt(squares / freedom / count)
    return middle - half, middle + half


def _student(freedom: int, confidence: float) -> float:
    """Quantile of Student's t, by Cornish and Fisher's expansion; off by less than 0.3 % from 4 degrees of freedom."""
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    first = (z**3 + z) / 4
    second = (5 * z**5 + 16 * z**3 + 3 * z) / 96
    third = (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384
    return z + first / freedom + second / freedom**2 + third / freedom**3
