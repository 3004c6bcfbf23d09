"""The whole of timing: every case once, then those that look changed again and again, each time on fresh workers; and base beside itself."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from random import Random
from typing import TYPE_CHECKING, Any

from truelap.checks.timing.amount import Plan, one_call
from truelap.checks.timing.control import Control
from truelap.checks.timing.decide import broken, measured, not_reached
from truelap.checks.timing.proof import bar_of, goes_on, prove
from truelap.checks.timing.rounds import Rounds
from truelap.checks.timing.visit import Broken, Lap
from truelap.wording import counted
from truelap.workers.venue import SIDES, Name, Venue
from truelap.workers.worker import Undelivered

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from truelap.checks.timing.betting import Bar, Proof
    from truelap.checks.timing.evidence import CaseResult, Visit
    from truelap.policy import Time
    from truelap.workers.cases import Timed
    from truelap.workers.track import Track
    from truelap.world.files import TreeOnDisk


@dataclass
class _Run:
    """One case on its way."""

    case: Timed
    visits: list[Visit] = field(default_factory=list)
    result: CaseResult | None = None
    tried_again: bool = False


class Campaign:
    """Times cases on two trees.

    Args:
        venue: where.
        trees: of both sides.
        time: the policy's thresholds, already scaled by the effort asked for.
        seed: of every random choice.
    """

    def __init__(self, venue: Venue, trees: Mapping[Name, TreeOnDisk], time: Time, seed: int) -> None:
        self._venue = venue
        self.rounds = Rounds(venue, trees, time.station_s)
        self._time = time
        self._draw = Random(seed)  # noqa: S311 - the order must be repeatable; no secret hangs on it
        self._own_code = "own_code" not in venue.without
        self.control = Control(time.control, seed)
        self._runs: list[_Run] = []
        self.out_of_time = False
        self.order: tuple[str, ...] = ()

    def run(self, cases: Iterable[Timed]) -> tuple[CaseResult, ...]:
        """Time cases, besides those of earlier calls; one result for each of both, proved among all of them."""
        fresh = [_Run(case) for case in cases]
        self.order += self._shuffle(fresh)
        runs = self._runs = [*self._runs, *fresh]
        for generation in range(1 + max(self._time.visits, self._time.max_visits)):
            open_runs = self._open(runs)
            if open_runs:
                if generation:
                    self._shuffle(open_runs)
                self._generation(generation, open_runs)
        margin, without = self._time.margin, self._venue.without
        return tuple(
            run.result or measured(run.case, run.visits, proof, margin, without)
            for run, proof in zip(runs, self._prove(runs), strict=True)
        )

    @property
    def bar(self) -> Bar | None:
        """What a visit had to show, and how often one is taken to show it by chance."""
        return bar_of(self.control.visits, self._time, self._venue.without)

    def _shuffle(self, runs: list[_Run]) -> tuple[str, ...]:
        self._draw.shuffle(runs)
        return tuple(run.case.id for run in runs)

    def _prove(self, runs: Sequence[_Run]) -> tuple[Proof, ...]:
        # What was not delivered has proved nothing, and counts among the many all the same.
        seen = [run.visits if run.result is None else () for run in runs]
        return prove(seen, self.control.visits, self._time, self._venue.without)

    def _open(self, runs: Sequence[_Run]) -> list[_Run]:
        return [
            run
            for run, proof in zip(runs, self._prove(runs), strict=True)
            if run.result is None and goes_on(run.visits, proof, self._time, self._venue.without)
        ]

    def _generation(self, number: int, runs: Sequence[_Run]) -> None:
        modules = [run.case.benchmark.module for run in runs]
        seed = self._draw.randrange(2**32)
        told = f"timing {counted(len(runs), 'benchmark')}, visit {number + 1}"
        self._venue.world.events.progress(told)
        chosen = self.control.chosen([run.case.id for run in runs]) if number else frozenset()
        with (
            self.rounds.workers(number, seed, modules) as track,
            self.rounds.twin(number, seed, modules) as twin,
        ):
            waiting = deque(runs)
            while waiting:
                if (late := self.rounds.late(track)) is not None:
                    self._stop(waiting, late)
                    break
                run = waiting.popleft()
                self._venue.world.events.glance(f"{told}: {len(waiting)} to come after {run.case.id}")
                if not self._settled(track, run):
                    waiting.append(run)
                elif run.case.id in chosen:
                    self.control.visit(twin, run.case, self._plan(run.case), self._order(run.case))

    def _stop(self, waiting: Iterable[_Run], late: Name) -> None:
        for run in waiting:
            run.result = not_reached(run.case, run.visits, late)
            self.out_of_time |= run.result.decision == "invalid"

    def _settled(self, track: Track, run: _Run) -> bool:
        """One visit. False when it failed in a way that deserves a second try (once; a hang costs too much)."""
        module = run.case.benchmark.module
        barred = {name: reason for name in SIDES if (reason := track.ready(name, module)) is not None}
        if barred:
            run.result = broken(run.case, {name: Undelivered("lost", why) for name, why in barred.items()})
            return True
        blamed: Collection[Name] = SIDES
        try:
            lap = Lap(track.workers, self._plan(run.case), self._draw)
            run.visits.append(lap.run(self._order(run.case)))
        except Broken as end:
            blamed = end.failures.keys() - {"candidate"} or SIDES
            if not run.tried_again and _deserves_another(end.failures):
                run.tried_again = True
                return False
            run.result = broken(run.case, end.failures)
        finally:
            track.tidy(blamed)
        return True

    def _order(self, case: Timed) -> dict[str, Any]:
        return case.order(self._draw.randrange(2**32), own_code=self._own_code)

    def _plan(self, case: Timed) -> Plan:
        return Plan(
            sample_s=self._time.sample_s,
            pairs=self._time.pairs,
            max_pair_s=self._time.max_pair_s,
            limit_s=case.benchmark.timeout_s or self._time.benchmark_timeout_s,
            one_call=one_call(case, self._time),
            values=None if "parameters" in self._venue.without else case.benchmark.values,
        )


def _deserves_another(failures: Mapping[Name, Undelivered]) -> bool:
    """Only the candidate failed, and at once: a benchmark that fails now and then is no reason to accuse."""
    return set(failures) == {"candidate"} and failures["candidate"].kind in {"failed", "lost"}
