"""Times what came out as faster again, with inputs close to its own: once, and once more where the gain is not there."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import TYPE_CHECKING

from truelap.checks.timing.amount import Plan, one_call
from truelap.checks.timing.own_input import LATE, OwnInput, held, undelivered, without_gain
from truelap.checks.timing.rounds import Rounds
from truelap.checks.timing.visit import Broken, Lap
from truelap.wording import counted
from truelap.workers.retold import retold
from truelap.workers.venue import SIDES, Name, Venue

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from truelap.checks.timing.evidence import CaseResult, Visit
    from truelap.policy import Time
    from truelap.workers.cases import Timed
    from truelap.workers.track import Track
    from truelap.world.files import TreeOnDisk

VISITS = 2


class OtherInputs:
    """Holds gains against inputs that benchmarks do not have.

    Args:
        venue: of the own inputs.
        trees: of both sides.
        time: the policy's thresholds, already scaled by the effort asked for.
        seed: of every random choice.
        credit: whether a gain for the own input alone counts all the same.
    """

    def __init__(
        self, venue: Venue, trees: Mapping[Name, TreeOnDisk], time: Time, seed: int, *, credit: bool = False
    ) -> None:
        sources, _ = retold(venue, trees["base"], values=False)
        self._venue = replace(venue, sources=sources)
        self.rounds = Rounds(self._venue, trees, time.station_s)
        self._time = time
        self._credit = credit
        self._draw = Random(seed)  # noqa: S311 - must be repeatable; no secret hangs on it
        self._visits: dict[str, tuple[Visit, ...]] = {}

    def run(self, cases: Mapping[str, Timed], results: Sequence[CaseResult]) -> tuple[CaseResult, ...]:
        """The results, without the gains that are for the benchmarks' own inputs alone.

        Args:
            cases: by id.
            results: of timing them.
        """
        found: dict[str, OwnInput] = {}
        for number in range(VISITS):
            left = [one for one in results if one.decision == "faster" and _open(found.get(one.id))]
            if left:
                self._generation(number, cases, left, found)
        return tuple(
            without_gain(one, found[one.id], credit=self._credit) if one.id in found else one
            for one in results
        )

    def _generation(
        self, number: int, cases: Mapping[str, Timed], left: Sequence[CaseResult], found: dict[str, OwnInput]
    ) -> None:
        self._venue.world.events.progress(f"timing {counted(len(left), 'benchmark')} with other inputs")
        modules = [cases[one.id].benchmark.module for one in left]
        with self.rounds.workers(number, self._draw.randrange(2**32), modules) as track:
            for result in left:
                found[result.id] = self._tried(track, cases[result.id], result, found.get(result.id))

    def _tried(self, track: Track, case: Timed, result: CaseResult, before: OwnInput | None) -> OwnInput:
        if (late := self.rounds.late(track)) is not None:
            return undelivered({late: LATE}, before)
        barred = {
            name: why for name in SIDES if (why := track.ready(name, case.benchmark.module)) is not None
        }
        if barred:
            return undelivered(barred, before)
        lap = Lap(track.workers, self._plan(case), self._draw)
        own_code = "own_code" not in self._venue.without
        try:
            visit = lap.run(case.order(self._draw.randrange(2**32), own_code=own_code))
        except Broken as end:
            return undelivered({name: str(failure) for name, failure in end.failures.items()}, before)
        finally:
            track.tidy()
        self._visits[case.id] = (*self._visits.get(case.id, ()), visit)
        return held(result, self._visits[case.id], self._time.margin)

    def _plan(self, case: Timed) -> Plan:
        return Plan(
            sample_s=self._time.sample_s,
            pairs=self._time.pairs,
            max_pair_s=self._time.max_pair_s,
            limit_s=case.benchmark.timeout_s or self._time.benchmark_timeout_s,
            one_call=one_call(case, self._time),
            vary=True,
        )


def _open(found: OwnInput | None) -> bool:
    """Whether a visit is to come: one alone is no reason to take a gain away."""
    return found is None or found.status == "own_input_only"
