"""What timing measured, as frozen values, and the two views of it: numbers for verdict.json, and timing.json."""

from __future__ import annotations

from statistics import median
from typing import Any, ClassVar, Literal

from truelap.checks.timing.betting import Bar, Proof
from truelap.checks.timing.clocks import ClockCheck, clock_lie
from truelap.checks.timing.interval import visit_interval
from truelap.checks.timing.moved import Moved
from truelap.checks.timing.own_input import OwnInput
from truelap.checks.timing.record import case_data, control_data
from truelap.checks.timing.telling import notable
from truelap.checks.timing.value_result import ValueResult, notable_values
from truelap.model import Evidence, Frozen
from truelap.stats import (
    Cost,
    Effect,
    Pair,
    effect_of,
    is_impossible,
    log_ratio,
    speedup,
)
from truelap.workers.impact import Choice

Clock = Literal["own", "elapsed"]
Decision = Literal["faster", "slower", "same", "missing", "invalid"]


class Side(Frozen):
    """One side of one visit, by the judge's clocks. Times are seconds."""

    calls: int
    """Calls per sample: chosen for each side so that its samples last about equally long."""
    cpu_per_call: tuple[float, ...]
    """CPU of the whole sandbox, one number a sample."""
    wall_per_call: tuple[float, ...]
    elapsed_per_call: tuple[float, ...] = ()
    """Wall without the time that it was ready to compute and had no core, as far as base had none either; as wall where it is empty."""
    claimed_per_call: tuple[float, ...] = ()
    """What the worker says by a clock of its own: a claim, by which nothing is decided."""
    queued_s: float
    """Wall time in its samples when it was ready to compute and had no core."""
    stray_s: float
    """CPU that the sandbox used in its own turns between samples."""
    asleep_s: float
    """CPU that it used while it was stopped: nothing, unless something is wrong."""
    cpu_s: float
    """CPU from before setup to after teardown."""
    outside_s: float = 0.0
    """Of this, what was used from the first sample on, but not in samples: by setups, teardowns and whatever else."""

    @property
    def sampled_s(self) -> float:
        """CPU of all samples together."""
        return self.calls * sum(self.cpu_per_call)

    @property
    def waiting(self) -> float:
        """Share of the samples' wall time that it neither computed nor was ready to."""
        wall = self.calls * sum(self.wall_per_call)
        return 1 - (self.sampled_s + self.queued_s) / wall


class Visit(Frozen):
    """One benchmark timed once on both sides, each in a process of its own; sample n of one side pairs with sample n of the other."""

    base: Side
    candidate: Side
    empty_s: float | None = None
    """What a call of nothing cost on base's side; only measured where the candidate's calls cost hardly anything."""
    clock: ClockCheck | None = None
    """Only where the candidate's own clock was in doubt."""

    @property
    def impossible(self) -> bool:
        """Whether the candidate's calls cost less than any call can."""
        side = self.candidate
        cost = Cost(median(side.cpu_per_call), median(side.wall_per_call))
        return self.empty_s is not None and is_impossible(cost, self.empty_s)

    @property
    def pairs(self) -> tuple[Pair, ...]:
        """The samples, two by two."""
        return tuple(
            Pair(base, candidate)
            for base, candidate in zip(_costs(self.base), _costs(self.candidate), strict=True)
        )

    @property
    def effect(self) -> Effect:
        """What the pairs say together."""
        return effect_of(self.pairs, self.base.waiting)


def _costs(side: Side) -> tuple[Cost, ...]:
    elapsed = side.elapsed_per_call or side.wall_per_call
    return tuple(Cost(*costs) for costs in zip(side.cpu_per_call, side.wall_per_call, elapsed, strict=True))


class CaseResult(Frozen):
    """One benchmark with one set of parameters."""

    id: str
    """As asv writes it: the name, and the parameter index behind a dash."""
    params: tuple[str, ...] = ()
    decision: Decision
    reason: str | None = None
    visits: tuple[Visit, ...] = ()
    candidate_runs_skipped: bool = False
    """Base skips it, the candidate does not."""
    waits: bool = False
    """Told by computing and waiting together: it takes time that the clock that decides otherwise does not show."""
    own_input: OwnInput | None = None
    """Of a gain: whether other inputs than the benchmark's own show it as well."""
    moved: Moved | None = None
    """Of a gain: whether it is paid for outside of the timed calls."""
    proof: Proof | None = None
    """What its visits prove; None when nothing was measured."""

    @property
    def impossible(self) -> bool:
        """Whether any visit shows calls that cost less than any call can."""
        return any(visit.impossible for visit in self.visits)

    @property
    def clock_lie(self) -> str | None:
        """What is wrong with the candidate's own clock, see `clocks`."""
        return clock_lie(self.visits) if self.visits else None

    @property
    def judged(self) -> tuple[Visit, ...]:
        """The visits that the reported ratio comes from: not the first, which chose what to look at again."""
        return self.visits[1:] or self.visits

    @property
    def log_ratio(self) -> float | None:
        """The median of what the judged visits say; None when nothing was measured."""
        if not self.visits:
            return None
        return median(self._shown(visit) for visit in self.judged)

    @property
    def interval(self) -> tuple[float, float] | None:
        """95 % interval of it."""
        return visit_interval([self._shown(visit) for visit in self.judged]) if self.visits else None

    def _shown(self, visit: Visit) -> float:
        return visit.effect.elapsed if self.waits else visit.effect.log_ratio

    def as_data(self) -> dict[str, Any]:
        """One entry of timing.json."""
        return case_data(self)


def pair_ratios(visit: Visit, kind: Clock) -> list[float]:
    """Log ratios of a visit's pairs, by the clock that decides it or by computing and waiting together."""
    if kind == "elapsed":
        return [log_ratio(pair.base.elapsed, pair.candidate.elapsed) for pair in visit.pairs]
    if visit.effect.clock == "cpu":
        return [log_ratio(pair.base.cpu_s, pair.candidate.cpu_s) for pair in visit.pairs]
    return [log_ratio(pair.base.wall_s, pair.candidate.wall_s) for pair in visit.pairs]


class TimingEvidence(Evidence):
    """Everything that the time station measured."""

    section: ClassVar[str] = "timing"

    config: str
    """Path of the asv config in base."""
    protocol: dict[str, Any]
    seed: int
    order: tuple[str, ...]
    """Ids in the order in which they were first timed."""
    cases: tuple[CaseResult, ...]
    values: tuple[ValueResult, ...] = ()
    """Of benchmarks that say something else than a time."""
    failed_modules: dict[str, str]
    """Modules of the suite that cannot be imported at base, with the reason."""
    changed_files: tuple[str, ...] = ()
    """Files of the candidate's tree that were other than they should be after it had run."""
    touched: tuple[str, ...] = ()
    """Files of tests and benchmarks, and folders of theirs, that the candidate's workers wrote to, whatever stands there now."""
    control: tuple[Visit, ...] = ()
    """Base beside itself, by the same instrument."""
    bar: Bar | None = None
    """What a visit had to show to count; None where base beside itself shows that as often."""
    choice: Choice | None = None
    """Which benchmarks were run, where the task has not all of them run."""
    out_of_time: bool = False
    """Base alone took more than its share of the time for all benchmarks."""

    def count(self, decision: Decision) -> int:
        """How many benchmarks have this decision; those that are no times count where they are missing or invalid."""
        timed = sum(one.decision == decision for one in self.cases)
        others = sum(one.decision == decision for one in self.values)
        return timed + others if decision in {"missing", "invalid"} else timed

    @property
    def credited(self) -> tuple[float, ...]:
        """A log ratio for every benchmark that was measured; zero where no change is established."""
        return tuple(
            case.log_ratio or 0.0 if case.decision in {"faster", "slower"} else 0.0
            for case in self.cases
            if case.decision in {"faster", "slower", "same"}
        )

    def summary(self) -> dict[str, Any]:
        """See `Evidence`: counts, and the geometric mean over all measured benchmarks (null when there is none)."""
        counts = {
            f"n_{name}": self.count(name) for name in ("faster", "slower", "same", "missing", "invalid")
        }
        return {
            **counts,
            "n_failed_modules": len(self.failed_modules),
            "speedup": speedup(self.credited),
            "selection": self.choice.as_data() if self.choice else None,
            "benchmarks": notable(self.cases),
            "control": control_data(self),
            "n_values": sum(one.decision not in {"missing", "invalid"} for one in self.values),
            "values": notable_values(self.values),
            "protocol": self.protocol,
        }

    def artifacts(self) -> dict[str, Any]:
        """See `Evidence`: timing.json."""
        return {
            "timing.json": {
                "config": self.config,
                "protocol": self.protocol,
                "seed": self.seed,
                "order": list(self.order),
                "failed_modules": self.failed_modules,
                "control": control_data(self),
                "selection": self.choice.model_dump(mode="json") if self.choice else None,
                "benchmarks": {case.id: case.as_data() for case in self.cases},
                "values": {one.id: one.as_data() for one in self.values},
            }
        }
