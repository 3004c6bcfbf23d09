"""Measures what both sides take outside of the timed calls, for benchmarks that came out as faster: in new processes each time."""

from __future__ import annotations

from itertools import pairwise
from random import Random
from typing import TYPE_CHECKING

from truelap.checks.timing.moved import (
    Moved,
    Outside,
    import_growth,
    memory_growth,
    put_off,
    weighed,
    without_moved,
)
from truelap.checks.timing.rounds import Rounds
from truelap.wording import counted
from truelap.workers.venue import SIDES, Name, Venue
from truelap.workers.worker import Undelivered
from truelap.world.memory import PeakMemory

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from truelap.checks.timing.evidence import CaseResult
    from truelap.policy import Time
    from truelap.workers.cases import Timed
    from truelap.workers.track import Track
    from truelap.workers.worker import Worker
    from truelap.world.files import TreeOnDisk

VISITS = 3
"""Sandboxes a side, started anew: importing is measured once in each. A quick look makes do with one."""

_Costs = tuple[float, float, float, int]


class OutsideOfCalls:
    """Holds gains against what is paid for them elsewhere.

    Args:
        venue: where the benchmarks were timed.
        trees: of both sides.
        time: the policy's thresholds, already scaled by the effort asked for.
        seed: of every random choice.
        visits: how many sandboxes a side.
        credit: whether a gain that is paid for elsewhere counts all the same.
    """

    def __init__(
        self,
        venue: Venue,
        trees: Mapping[Name, TreeOnDisk],
        time: Time,
        seed: int,
        *,
        visits: int = VISITS,
        credit: bool = False,
    ) -> None:
        self._venue = venue
        self.rounds = Rounds(venue, trees, time.station_s)
        self._time = time
        self._visits = visits
        self._credit = credit
        self._draw = Random(seed)  # noqa: S311 - must be repeatable; no secret hangs on it
        self._loads: dict[Name, list[float]] = {name: [] for name in SIDES}
        self._costs: dict[str, dict[Name, list[_Costs]]] = {}
        self._failures: dict[str, dict[Name, str]] = {}

    def run(self, cases: Mapping[str, Timed], results: Sequence[CaseResult]) -> tuple[CaseResult, ...]:
        """The results, without gains that are work done elsewhere.

        Args:
            cases: by id.
            results: of timing them.
        """
        gains = [one for one in results if one.decision == "faster"]
        for _ in range(self._visits if gains else 0):
            self._generation(cases, gains)
        found = {one.id: self._found(one) for one in gains}
        return tuple(
            without_moved(one, found[one.id], credit=self._credit) if one.id in found else one
            for one in results
        )

    def _generation(self, cases: Mapping[str, Timed], gains: Sequence[CaseResult]) -> None:
        word = "takes" if len(gains) == 1 else "take"
        self._venue.world.events.progress(f"what {counted(len(gains), 'benchmark')} {word} outside of calls")
        modules = [cases[one.id].benchmark.module for one in gains]
        with self.rounds.workers(0, self._draw.randrange(2**32), modules) as track:
            for name in SIDES:
                if track.ready(name) is None:
                    self._loads[name].append(track.load_ns[name] * 1e-9)
            for one in gains:
                if one.id not in self._failures:
                    self._visit(track, cases[one.id])

    def _visit(self, track: Track, case: Timed) -> None:
        order = case.order(self._draw.randrange(2**32), own_code=False)
        limit_s = case.benchmark.timeout_s or self._time.benchmark_timeout_s
        failures: dict[Name, str] = {}
        for name in self._draw.sample(SIDES, 2):
            late = self.rounds.late(track)
            barred = track.ready(name, case.benchmark.module)
            if barred is not None or late is not None:
                failures[late or name] = barred or "the time for all benchmarks was used up"
                continue
            try:
                costs = _costs(track.workers[name], order, limit_s)
                self._costs.setdefault(case.id, {side: [] for side in SIDES})[name].append(costs)
            except Undelivered as failure:
                failures[name] = str(failure)
        track.tidy()
        if failures:
            self._failures[case.id] = failures

    def _found(self, result: CaseResult) -> Moved:
        """Base decides whether it counts; what only the candidate does not deliver would hide what it moved."""
        failures = self._failures.get(result.id)
        if failures and "base" in failures:
            return Moved(status="not_tried", reason=failures["base"])
        if failures:
            return Moved(
                status="moved", reason=f"the candidate does not do it again: {failures['candidate']}"
            )
        sides = {name: self._outside(result.id, name) for name in SIDES}
        both = sides["base"], sides["candidate"]
        grown = import_growth(*both, self._time) or memory_growth(*both, self._time) or put_off(result)
        if grown is not None:
            return Moved(status="moved", reason=grown, base=both[0], candidate=both[1])
        return weighed(result, *both, self._time)

    def _outside(self, case: str, name: Name) -> Outside:
        setup, first, again, peak = zip(*self._costs[case][name], strict=True)
        return Outside(
            load_s=tuple(self._loads[name]), setup_s=setup, first_s=first, again_s=again, peak_bytes=peak
        )


def _costs(worker: Worker, order: Mapping[str, object], limit_s: float) -> _Costs:
    """Setup in a new process, one call, and setup again: CPU seconds of each; and the bytes that it held at most."""
    with worker.awake():
        memory = PeakMemory(worker.pids)
        marks = [worker.cpu_ns()]
        worker.open(order, limit_s)
        marks.append(worker.cpu_ns())
        worker.run(1, limit_s)
        marks.append(worker.cpu_ns())
        worker.redo(limit_s)
        marks.append(worker.cpu_ns())
        peak = memory.read_bytes()
        worker.close(limit_s)
    setup, first, again = ((later - sooner) * 1e-9 for sooner, later in pairwise(marks))
    return setup, max(first, 1e-9), again, peak
