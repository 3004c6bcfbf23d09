"""Asks both sides for what benchmarks say that is no time: twice, and twice more on fresh workers where it seems to change."""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random
from typing import TYPE_CHECKING

from truelap.checks.timing.decide import broken, not_reached
from truelap.checks.timing.value_result import ValueResult, decide_value
from truelap.wording import counted
from truelap.workers.parameters import other_values
from truelap.workers.valuing import reading
from truelap.workers.venue import SIDES, Name
from truelap.workers.worker import Undelivered

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from truelap.checks.timing.evidence import CaseResult
    from truelap.checks.timing.rounds import Rounds
    from truelap.policy import Time
    from truelap.workers.cases import Timed
    from truelap.workers.parameters import Values
    from truelap.workers.track import Track
    from truelap.workers.venue import Venue

GENERATIONS = 2
READINGS = 2


@dataclass
class _Asked:
    """One case on its way."""

    case: Timed
    found: dict[Name, list[float]] = field(default_factory=lambda: {name: [] for name in SIDES})
    broken: CaseResult | None = None
    unconfirmed: str | None = None

    def decided(self, margin: float) -> str:
        base, candidate = (self.found[name] for name in SIDES)
        return decide_value(self.case.benchmark.kind, base, candidate, margin)


class ValueCampaign:
    """Asks for the numbers of cases on two trees, each from a process of its own.

    Args:
        venue: where.
        rounds: starts the workers; its account is timing's.
        time: the policy's thresholds.
        seed: of every random choice.
    """

    def __init__(self, venue: Venue, rounds: Rounds, time: Time, seed: int) -> None:
        self._venue = venue
        self._rounds = rounds
        self._time = time
        self._draw = Random(seed)  # noqa: S311 - must be repeatable; no secret hangs on it
        self.out_of_time = False

    def run(self, cases: Iterable[Timed]) -> tuple[ValueResult, ...]:
        """One result for each case."""
        asked = [_Asked(case) for case in cases]
        for number in range(GENERATIONS):
            left = [one for one in asked if self._goes_on(one, number)]
            if left:
                self._generation(number, left)
        return tuple(map(self._result, asked))

    def _goes_on(self, one: _Asked, number: int) -> bool:
        return not number or (one.broken is None and one.decided(self._time.value_margin) != "same")

    def _generation(self, number: int, left: Sequence[_Asked]) -> None:
        self._venue.world.events.progress(
            f"asking {counted(len(left), 'benchmark')} for memory and other numbers, {number + 1}"
        )
        modules = [one.case.benchmark.module for one in left]
        with self._rounds.workers(number, self._draw.randrange(2**32), modules) as track:
            for one in left:
                late = self._rounds.late(track)
                if late is None:
                    self._ask(track, one)
                elif number:
                    one.unconfirmed = "not confirmed: the time for all benchmarks was used up"
                else:
                    one.broken = not_reached(one.case, (), late)
                    self.out_of_time |= late == "base"

    def _ask(self, track: Track, one: _Asked) -> None:
        failures = self._readings(track, one)
        # What fails now and then is no reason to accuse; a hang costs too much.
        if failures.keys() == {"candidate"} and failures["candidate"].kind in {"failed", "lost"}:
            failures = self._readings(track, one)
        if failures:
            one.broken = broken(one.case, failures)

    def _readings(self, track: Track, one: _Asked) -> dict[Name, Undelivered]:
        for _ in range(READINGS):
            failures: dict[Name, Undelivered] = {}
            values: dict[Name, Values] = {}
            for name in SIDES:
                try:
                    one.found[name].append(self._reading(track, name, one.case))
                    values[name] = track.workers[name].values
                except Undelivered as failure:
                    failures[name] = failure
                    if name == "base" and failure.kind in {"late", "lost"}:
                        # It does not count then, and the candidate may well hang in the same place.
                        break
            track.tidy(failures.keys() - {"candidate"} or SIDES)
            if not failures and (other := self._other_parameters(one.case, values)):
                failures = {"candidate": Undelivered("failed", other)}
            if failures:
                return failures
        return {}

    def _reading(self, track: Track, name: Name, case: Timed) -> float:
        barred = track.ready(name, case.benchmark.module)
        if barred is not None:
            raise Undelivered("lost", barred)
        own_code = "own_code" not in self._venue.without
        order = case.order(self._draw.randrange(2**32), own_code=own_code)
        worker = track.workers[name]
        with worker.awake():
            return reading(worker, order, case.benchmark.timeout_s or self._time.benchmark_timeout_s)

    def _other_parameters(self, case: Timed, values: dict[Name, Values]) -> str | None:
        if "parameters" in self._venue.without:
            return None
        return other_values(values["base"], case.benchmark.values, values["candidate"])

    def _result(self, one: _Asked) -> ValueResult:
        told = one.case.benchmark
        blank = ValueResult(
            id=one.case.id, params=one.case.params, kind=told.kind, unit=told.unit, decision="invalid"
        )
        if one.broken is not None:
            skipped = one.broken.candidate_runs_skipped
            found = {"reason": one.broken.reason, "candidate_runs_skipped": skipped}
            if one.broken.decision == "missing":
                found["decision"] = "missing"
            return blank.model_copy(update=found)
        base, candidate = (tuple(one.found[name]) for name in SIDES)
        decision = "same" if one.unconfirmed else one.decided(self._time.value_margin)
        return blank.model_copy(
            update={
                "decision": decision,
                "reason": one.unconfirmed,
                "base": base,
                "candidate": candidate,
            }
        )
