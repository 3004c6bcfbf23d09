"""The arithmetic of timing. Standard library only; no clock, no chance, nothing of ours.

Logarithms are natural throughout. A log ratio is ln(base / candidate): above zero, the candidate is faster.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Sequence

Leaning = Literal["faster", "slower", "same"]

BUSY = 0.9
"""CPU seconds per wall second from which a sample counts as computing, undisturbed."""

WAITS = 0.25
"""Share of its wall time from which base is said to wait."""

POSSIBLE = 0.5
"""A call can be as cheap as this share of an empty one; the rest is for clocks that change their speed."""

QUEUES = 1.5
CHANCE_QUEUE = 0.02
"""A candidate may stand in line for so many times base's share of its wall time, and this much more: chance alone does that."""

GROWTH = 10
"""How much longer one calibration step may be than the one before."""


@dataclass(frozen=True)
class Cost:
    """What one call cost in one sample, in seconds: CPU of the whole sandbox, and wall.

    `elapsed_s` is wall without standing ready for a core that others had, which says more of the program and less of the
    machine; the wall time where it is not known.
    """

    cpu_s: float
    wall_s: float
    elapsed_s: float | None = None

    @property
    def elapsed(self) -> float:
        """Computing and waiting."""
        return self.wall_s if self.elapsed_s is None else self.elapsed_s


@dataclass(frozen=True)
class Pair:
    """Two neighbouring samples, one of each side."""

    base: Cost
    candidate: Cost


@dataclass(frozen=True)
class Effect:
    """What one visit says.

    Attributes:
        log_ratio: by the clock that decides.
        check: by the other clock; it must bear the first one out.
        clock: which clock decides: "cpu", or "wall" where base itself mostly waits.
        elapsed: by computing and waiting together, whatever decides.
    """

    log_ratio: float
    check: float
    clock: Literal["cpu", "wall"]
    elapsed: float = 0.0


def log_ratio(base: float, candidate: float) -> float:
    """ln(base / candidate); zero where one of them is not a positive number, since then nothing was measured.

    >>> round(log_ratio(3.0, 1.0), 4), log_ratio(1.0, 0.0)
    (1.0986, 0.0)
    """
    if base <= 0 or candidate <= 0:
        return 0.0
    return math.log(base / candidate)


def _busy(cost: Cost) -> float:
    return cost.cpu_s / cost.wall_s if cost.wall_s > 0 else 1.0


def quantile(values: Sequence[float], share: float) -> float:
    """The value below or at which `share` of the values lie (a value that occurs, never one between two).

    >>> quantile([4.0, 1.0, 3.0, 2.0], 0.5), quantile([4.0, 1.0, 3.0, 2.0], 1.0)
    (2.0, 4.0)
    """
    ranked = sorted(values)
    return ranked[max(0, math.ceil(share * len(ranked)) - 1)]


def effect_of(pairs: Sequence[Pair], base_waits: float) -> Effect:
    """The median of the pairs' log ratios, on both clocks.

    CPU decides, unless base itself waits (sleeping, reading, other processes): wall time that it neither computed nor
    stood in line for a core, in its busiest samples too. Where CPU decides, wall is read from pairs that nothing
    disturbed if there are enough, since on a shared machine a sample that lost its core says little.

    Args:
        pairs: at least one.
        base_waits: share of base's wall time in its samples that it neither computed nor was ready to.
    """
    cpu = median(log_ratio(p.base.cpu_s, p.candidate.cpu_s) for p in pairs)
    walls = [log_ratio(p.base.wall_s, p.candidate.wall_s) for p in pairs]
    elapsed = median(log_ratio(p.base.elapsed, p.candidate.elapsed) for p in pairs)
    if base_waits > WAITS and quantile([_busy(p.base) for p in pairs], 0.9) < BUSY:
        return Effect(median(walls), cpu, "wall", elapsed)
    calm = [
        wall for wall, p in zip(walls, pairs, strict=True) if min(_busy(p.base), _busy(p.candidate)) >= BUSY
    ]
    return Effect(cpu, median(calm if len(calm) * 4 >= len(walls) else walls), "cpu", elapsed)


def loses_time(effects: Sequence[Effect], margin: float) -> bool:
    """Whether every visit takes longer, beyond the margin, counting what no CPU clock shows: sleep, locks, other processes."""
    return all(effect.elapsed < -math.log1p(margin) for effect in effects)


def is_impossible(candidate: Cost, empty_s: float) -> bool:
    """Whether a call cost less, on either clock, than half of what a call of nothing at all costs in the same loop.

    Args:
        candidate: what one call cost.
        empty_s: what an empty call costs, in seconds of CPU.
    """
    return max(candidate.cpu_s, candidate.wall_s) < POSSIBLE * empty_s


def borne_out(effects: Sequence[Effect], margin: float) -> bool:
    """Whether the second clock agrees with the first.

    Wall must show at least half of what CPU shows: CPU that fell because other processes work shows no shorter wall.
    Where wall decides, CPU must only not contradict: less waiting is a gain that CPU cannot see.
    """
    shown = median(effect.log_ratio for effect in effects)
    other = median(effect.check for effect in effects)
    sign = math.copysign(1.0, shown)
    if all(effect.clock == "cpu" for effect in effects):
        return other * sign >= abs(shown) / 2
    return other * sign >= -math.log1p(margin)


def stray_limit_s(log_ratio_shown: float, candidate_s: float) -> float:
    """How much more CPU the candidate may spend between its samples than base does, before its gain is doubted.

    Half of what it claims to save over `candidate_s` of sampled CPU, and a millisecond for the conversation itself.
    """
    return 0.001 + candidate_s * math.expm1(max(0.0, log_ratio_shown)) / 2


def borne_queue(stood: float, wall: float, base_stood: float, base_wall: float) -> float:
    """How much of the candidate's standing in line is the machine's doing, as a share of it.

    Both sides take turns on one core, so whoever else wants that core holds up both. What goes far beyond base's share of its wall
    time the candidate has brought about: by processes of its own, or by giving its priority away.

    Args:
        stood: how long the candidate stood in line in its samples.
        wall: their wall time.
        base_stood: the same of base.
        base_wall: likewise.

    >>> borne_queue(5.0, 10.0, 4.0, 10.0), borne_queue(5.0, 10.0, 0.0, 10.0)
    (1.0, 0.04)
    """
    share = base_stood / base_wall if base_wall > 0 else 0.0
    return min(1.0, wall * (QUEUES * share + CHANCE_QUEUE) / stood) if stood > 0 else 1.0


def next_calls(calls: int, seconds: float, target_s: float, most: int) -> int:
    """How many calls the next calibration sample makes, after one of `calls` calls took `seconds`.

    >>> next_calls(1, 0.001, 0.004, 10**9), next_calls(1, 1e-6, 0.004, 10**9), next_calls(5, 0.1, 0.004, 10**9)
    (4, 10, 1)
    """
    wanted = calls * target_s / seconds if seconds > 0 else math.inf
    return max(1, round(min(wanted, calls * GROWTH, most)))


def median_interval(values: Sequence[float], confidence: float = 0.95) -> tuple[float, float]:
    """An interval for the median that holds whatever the distribution (order statistics, binomial).

    With fewer than six values no pair of them reaches 95 %, and the extremes are returned.

    >>> median_interval([float(n) for n in range(1, 13)])
    (3.0, 10.0)
    """
    ranked = sorted(values)
    count = len(ranked)
    below, tail = 0, 0.0
    while below < (count - 1) // 2:
        tail += math.comb(count, below) / 2**count
        if 2 * tail > 1 - confidence:
            break
        below += 1
    low = max(0, below - 1)
    return ranked[low], ranked[count - 1 - low]


def speedup(log_ratios: Sequence[float]) -> float | None:
    """Geometric mean of the ratios; None when there are none.

    >>> speedup([math.log(4.0), 0.0]), speedup([])
    (2.0, None)
    """
    if not log_ratios:
        return None
    return math.exp(math.fsum(log_ratios) / len(log_ratios))
