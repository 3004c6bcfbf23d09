"""One visit: one benchmark, both sides prepared and alive, taking turns on one core in samples of a few milliseconds.

The order is A | B B | A A | B: two neighbours are a pair, and a slow moment of the machine hits both. The first sample
after the other side's turn finds colder caches (1.3 % here); in this order each side has as many of those as the other.
While one side is awake every process of the other is stopped, and no setup runs inside a pair.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from truelap.checks.timing.calibrating import calibrated
from truelap.checks.timing.clocks import LONG_S, ClockCheck, Reading, doubtful
from truelap.checks.timing.evidence import Side, Visit
from truelap.stats import borne_queue
from truelap.workers.parameters import other_values
from truelap.workers.varying import vary
from truelap.workers.venue import SIDES, Name
from truelap.workers.worker import Undelivered

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from random import Random

    from truelap.checks.timing.amount import Plan
    from truelap.workers.worker import Sample, Worker

EMPTY_CALLS = 20_000
EMPTY_SAMPLES = 3
ASK_BELOW_NS = 1000
"""Where a call of the candidate costs less, the judge asks base's worker what an empty call costs."""


class Broken(Exception):  # noqa: N818 - a result, not an error
    """A visit that could not be finished: which sides did not deliver, and why."""

    def __init__(self, failures: Mapping[Name, Undelivered]) -> None:
        super().__init__(", ".join(f"{name}: {failure}" for name, failure in failures.items()))
        self.failures = failures


class Lap:
    """The state of one visit.

    Args:
        workers: both sides, asleep.
        plan: how much to measure.
        draw: the judge's chance: who is prepared first, who starts.
    """

    def __init__(self, workers: Mapping[Name, Worker], plan: Plan, draw: Random) -> None:
        self._workers = workers
        self._plan = plan
        self._draw = draw
        self._calls: dict[Name, int] = dict.fromkeys(SIDES, 1)
        self._samples: dict[Name, list[Sample]] = {name: [] for name in SIDES}
        self._sample_ns: dict[Name, float] = dict.fromkeys(SIDES, 0.0)
        self._pair_ns = 0
        self._setup_ns = 0
        self._wall_ns = 0
        self._began_ns: dict[Name, int] = dict.fromkeys(SIDES, 0)
        self._apart_ns: dict[Name, int] = dict.fromkeys(SIDES, 0)
        self._empty_s: float | None = None
        self._clock: ClockCheck | None = None

    def run(self, order: Mapping[str, Any]) -> Visit:
        """Time one case.

        Raises:
            Broken: a side did not deliver. Both are closed and asleep then, or not usable.
        """
        before = {name: self._workers[name].cpu_ns() for name in SIDES}
        try:
            self._measure(self._open(order))
        except Broken:
            self._close()
            raise
        failures = self._close()
        if failures:
            raise Broken(failures)
        after = {name: self._workers[name].cpu_ns() for name in SIDES}
        return Visit(
            base=self._side("base", before["base"], after["base"]),
            candidate=self._side("candidate", before["candidate"], after["candidate"]),
            empty_s=self._empty_s,
            clock=self._clock,
        )

    def _measure(self, number: int) -> None:
        if self._plan.vary:
            self._vary(number)
        self._calibrate_both(number)
        self._level()
        # How many setups calibrating takes is for each side to say; from here on both do the same.
        self._began_ns = {name: self._workers[name].cpu_ns() for name in SIDES}
        if number:
            self._redo()
        pairs = self._plan.pairs_in_block(number, self._calls.values(), self._pair_ns)
        while not self._block(pairs):
            self._redo()
        self._ask_for_empty()
        self._ask_for_clock(number)

    def _vary(self, number: int) -> None:
        """Base says which of its inputs can be others; the candidate gets the same."""
        spots, seed = None, self._draw.randrange(2**32)
        for name in SIDES:
            with self._of(name), self._workers[name].awake():
                spots = vary(self._workers[name], spots, seed, self._plan.limit_s)
                if not spots:
                    raise Undelivered("failed", "no argument of its calls can be changed each time")
        if number:
            self._redo()

    def _ask_for_empty(self) -> None:
        """What a call of nothing costs in the same loop, on the same core, in the same minute: no call can cost much less."""
        if all(sample.wall_ns >= ASK_BELOW_NS * sample.calls for sample in self._samples["candidate"]):
            return
        base = self._workers["base"]
        with self._of("base"), self._apart("base"), base.awake():
            samples = [base.run(EMPTY_CALLS, self._plan.limit_s, empty=True) for _ in range(EMPTY_SAMPLES)]
        self._empty_s = min(sample.cpu_ns / sample.calls for sample in samples) * 1e-9

    def _ask_for_clock(self, number: int) -> None:
        """Where the candidate's own clock seems to be wrong, one sample long enough to tell a lie from a busy thread.

        No more calls than the suite says that a setup is good for: an honest benchmark may fail after that.
        """
        base, candidate = ([_reading(sample) for sample in self._samples[name]] for name in SIDES)
        if not doubtful(base, candidate):
            return
        lasts_s = max(1e-6, self._sample_ns["candidate"] * 1e-9)
        calls = self._calls["candidate"] * max(1, round(LONG_S / lasts_s))
        if number:
            self._redo()
            calls = min(calls, number)
        worker = self._workers["candidate"]
        with self._of("candidate"), self._apart("candidate"), worker.awake():
            self._clock = ClockCheck(**_reading(worker.run(calls, self._plan.limit_s))._asdict())

    def _open(self, order: Mapping[str, Any]) -> int:
        # Base's own `number` is dictated to the candidate; what the candidate says about it is not looked at.
        failures: dict[Name, Undelivered] = {}
        numbers: dict[Name, int] = {}
        for name in self._shuffled():
            try:
                with self._workers[name].awake():
                    numbers[name] = self._workers[name].open(order, self._plan.limit_s)
            except Undelivered as failure:
                failures[name] = failure
                if name == "base" and not self._workers[name].usable:
                    # It does not count then, and the candidate may well hang in the same place.
                    break
        if failures:
            raise Broken(failures)
        self._compare_parameters()
        return 1 if self._plan.one_call else numbers["base"]

    def _compare_parameters(self) -> None:
        if self._plan.values is None:
            return
        base, candidate = (self._workers[name].values for name in SIDES)
        if other := other_values(base, self._plan.values, candidate):
            raise Broken({"candidate": Undelivered("failed", other)})

    def _calibrate_both(self, number: int) -> None:
        failures: dict[Name, Undelivered] = {}
        for name in SIDES:
            try:
                self._calibrate(name, number)
            except Broken as end:
                failures |= end.failures
                if end.failures[name].kind != "skipped":
                    break
        # A skip by both is none to speak of, so the candidate is asked where base skips.
        if failures:
            raise Broken(failures)

    def _calibrate(self, name: Name, number: int) -> None:
        worker = self._workers[name]
        with self._of(name), worker.awake():
            calls, per_call = calibrated(worker, number, self._plan)
        self._calls[name] = calls
        self._sample_ns[name] = per_call * calls

    def _level(self) -> None:
        """Sides that cost about the same make the same number of calls, so that what a sample itself costs cancels out."""
        per_call = {name: self._sample_ns[name] / self._calls[name] for name in SIDES}
        if max(per_call.values()) * 3 <= min(per_call.values()) * 4:
            self._calls = dict.fromkeys(SIDES, max(self._calls.values()))
            self._sample_ns = {name: per_call[name] * self._calls[name] for name in SIDES}
        self._pair_ns = round(sum(self._sample_ns.values()))

    def _block(self, pairs: int) -> bool:
        """Measure the pairs of one setup; whether the visit has enough then."""
        first = self._draw.randrange(2)
        # A | B B | A A | B
        for turn in range(pairs + 1):
            self._turn(SIDES[(first + turn) % 2], 1 if turn in {0, pairs} else 2)
        taken = len(self._samples["base"])
        spent_ns = self._setup_ns + taken * self._pair_ns
        return taken >= self._plan.needed(self._pair_ns, spent_ns=spent_ns, wall_ns=self._wall_ns)

    def _turn(self, name: Name, count: int) -> None:
        limit_s = self._plan.limit_s
        with self._of(name), self._workers[name].turn(limit_s) as taken:
            for _ in range(count):
                taken.append(self._workers[name].run(self._calls[name], limit_s))
        self._samples[name] += taken
        self._wall_ns += sum(sample.wall_ns for sample in taken)

    def _redo(self) -> None:
        for name in self._shuffled():
            with self._of(name), self._workers[name].awake():
                self._setup_ns += self._workers[name].redo(self._plan.limit_s)

    def _close(self) -> Mapping[Name, Undelivered]:
        failures: dict[Name, Undelivered] = {}
        for name in SIDES:
            worker = self._workers[name]
            try:
                if worker.in_case:
                    with worker.awake():
                        worker.close(self._plan.limit_s)
            except Undelivered as failure:
                failures[name] = failure
        return failures

    @contextmanager
    def _of(self, name: Name) -> Iterator[None]:
        try:
            yield
        except Undelivered as failure:
            raise Broken({name: failure}) from failure

    @contextmanager
    def _apart(self, name: Name) -> Iterator[None]:
        """What only one side is asked is no work that it put off."""
        before = self._workers[name].cpu_ns()
        yield
        self._apart_ns[name] += self._workers[name].cpu_ns() - before

    def _shuffled(self) -> list[Name]:
        return self._draw.sample(SIDES, 2)

    def _side(self, name: Name, before_ns: int, after_ns: int) -> Side:
        worker, samples = self._workers[name], self._samples[name]
        sampled_ns = sum(sample.cpu_ns for sample in samples)
        own = 1 - (self._borne() if name == "candidate" else 1.0)
        return Side(
            calls=self._calls[name],
            cpu_per_call=tuple(sample.cpu_ns / sample.calls * 1e-9 for sample in samples),
            wall_per_call=tuple(sample.wall_ns / sample.calls * 1e-9 for sample in samples),
            elapsed_per_call=tuple(
                (sample.elapsed_ns + own * sample.stood_ns) / sample.calls * 1e-9 for sample in samples
            ),
            claimed_per_call=tuple(sample.claimed_ns / sample.calls * 1e-9 for sample in samples),
            queued_s=worker.queued_ns * 1e-9,
            stray_s=worker.stray_ns * 1e-9,
            asleep_s=worker.asleep_ns * 1e-9,
            cpu_s=(after_ns - before_ns) * 1e-9,
            outside_s=(after_ns - self._began_ns[name] - self._apart_ns[name] - sampled_ns) * 1e-9,
        )

    def _borne(self) -> float:
        """The share of the candidate's standing in line that base's bears out: the rest is waiting, whoever it waits for."""
        base, candidate = (self._samples[name] for name in SIDES)
        return borne_queue(
            sum(sample.stood_ns for sample in candidate),
            sum(sample.wall_ns for sample in candidate),
            sum(sample.stood_ns for sample in base),
            sum(sample.wall_ns for sample in base),
        )


def _reading(sample: Sample) -> Reading:
    return Reading(sample.claimed_ns * 1e-9, sample.elapsed_ns * 1e-9, sample.wall_ns * 1e-9)
