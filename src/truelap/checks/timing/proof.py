"""From visits to what they prove: which benchmarks are looked at again, for how long, and what is established then. Pure."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from truelap.checks.timing.betting import Bar, Proof, borne_chance, needed, winnings
from truelap.stats import borne_out, loses_time

if TYPE_CHECKING:
    from collections.abc import Sequence

    from truelap.checks.timing.evidence import Visit
    from truelap.policy import Time
    from truelap.stats import Effect

WIDER = (1, 2, 4)
"""Where base beside itself lies beyond the margin too often, only changes beyond so many times as much are told."""

GIVEN_UP = 2
"""After so many visits of confirmation, whoever has less than he staked has lost."""


def gains(effect: Effect, margin: float) -> bool:
    """Whether a visit shows a gain beyond the margin."""
    return effect.log_ratio > math.log1p(margin)


def loses(effect: Effect, margin: float, without: frozenset[str] = frozenset()) -> bool:
    """Whether a visit shows a loss beyond the margin, by the clock that decides or by computing and waiting together."""
    shown = effect.log_ratio if "waiting" in without else min(effect.log_ratio, effect.elapsed)
    return shown < -math.log1p(margin)


def beyond(effect: Effect, margin: float, without: frozenset[str] = frozenset()) -> bool:
    """Whether a visit shows a change in either direction."""
    return gains(effect, margin) or loses(effect, margin, without)


def bar_of(control: Sequence[Visit], rules: Time, without: frozenset[str] = frozenset()) -> Bar | None:
    """The lowest bar that base beside itself allows: the policy's margin, or on a noisy machine a multiple of it.

    Args:
        control: visits of base beside itself.
        rules: the policy's.
        without: defences that the policy switches off.

    Returns:
        None where even the highest is passed more often than a bet could bear.
    """
    effects = [visit.effect for visit in control]
    for margin in (rules.margin * times for times in WIDER):
        hits = sum(beyond(effect, margin, without) for effect in effects)
        if (chance := borne_chance(rules.chance, hits, len(effects))) is not None:
            return Bar(margin, chance)
    return None


def prove(
    cases: Sequence[Sequence[Visit]],
    control: Sequence[Visit],
    rules: Time,
    without: frozenset[str] = frozenset(),
) -> tuple[Proof, ...]:
    """What is proved of every benchmark, by its visits but the first, which chose what to look at again.

    Args:
        cases: the visits of all benchmarks of the task, those without any included.
        control: visits of base beside itself.
        rules: the policy's.
        without: defences that the policy switches off.
    """
    bar = bar_of(control, rules, without)
    margin, odds = bar or Bar(rules.margin * WIDER[-1], max(rules.chance))
    effects = [[visit.effect for visit in visits[1:]] for visits in cases]
    faster = [winnings((gains(one, margin) for one in seen), odds) for seen in effects]
    slower = [winnings((loses(one, margin, without) for one in seen), odds) for seen in effects]
    enough = None if bar is None else needed([*faster, *slower], rules.level)
    return tuple(
        Proof(
            faster=up,
            slower=down,
            visits=len(seen),
            least=rules.visits,
            needed=enough,
            noisy=bool(seen) and margin > rules.margin,
        )
        for up, down, seen in zip(faster, slower, effects, strict=True)
    )


def goes_on(
    visits: Sequence[Visit], proof: Proof, rules: Time, without: frozenset[str] = frozenset()
) -> bool:
    """Whether another visit could still make this benchmark faster or slower.

    A change that the second clock does not bear out yet gets as many visits again: on a crowded machine wall time needs
    them, and work that is hidden from one clock stays on the other.

    Args:
        visits: so far.
        proof: what they prove.
        rules: the policy's.
        without: defences that the policy switches off.
    """
    confirmed = len(visits) - 1
    if confirmed < 1:
        return not visits or _looks_changed(visits[0].effect, rules, without)
    if confirmed >= max(rules.visits, rules.max_visits) or (confirmed >= GIVEN_UP and proof.best < 1):
        return False
    if proof.claim == "same":
        return True
    effects = [visit.effect for visit in visits]
    waits = "waiting" not in without and loses_time(effects, rules.margin)
    return not (waits or borne_out(effects, rules.margin)) and confirmed < 2 * rules.visits


def _looks_changed(effect: Effect, rules: Time, without: frozenset[str]) -> bool:
    close = rules.margin * rules.screen
    return abs(effect.log_ratio) > math.log1p(close) or beyond(effect, rules.margin, without)
