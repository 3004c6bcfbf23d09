"""Base beside itself: what the instrument says where nothing changed, in the same minutes and of the same benchmarks."""

from __future__ import annotations

import math
from random import Random
from typing import TYPE_CHECKING, Any

from truelap.checks.timing.visit import Broken, Lap
from truelap.workers.venue import SIDES

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from truelap.checks.timing.amount import Plan
    from truelap.checks.timing.evidence import Visit
    from truelap.workers.cases import Timed
    from truelap.workers.track import Track


class Control:
    """Visits of base beside itself.

    Args:
        share: of the visits of a round; 0 for none, otherwise there is one at least.
        seed: of the choice among benchmarks.
    """

    def __init__(self, share: float, seed: int) -> None:
        self._share = share
        self._draw = Random(seed)  # noqa: S311 - must be repeatable; no secret hangs on it
        self.visits: list[Visit] = []

    def chosen(self, ids: Sequence[str]) -> frozenset[str]:
        """The benchmarks of one round that are timed this way as well."""
        return frozenset(self._draw.sample(list(ids), math.ceil(self._share * len(ids))))

    def visit(self, twin: Track, case: Timed, plan: Plan, order: Mapping[str, Any]) -> None:
        """Time a benchmark of base on two workers of base; one that base does not deliver says nothing.

        Not on base's worker of the round: one that has forked more processes than the candidate's could be told from it.

        Args:
            twin: with base in both places.
            case: to be timed.
            plan: how much of it.
            order: to both workers.
        """
        module = case.benchmark.module
        if any(twin.ready(name, module) is not None for name in SIDES):
            return
        lap = Lap(twin.workers, plan, self._draw)
        try:
            self.visits.append(lap.run(order))
        except Broken:
            pass
        finally:
            twin.tidy(())
