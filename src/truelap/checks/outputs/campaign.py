"""All cases, one after the other, on three workers: base, base once more, and the candidate; nothing is kept of a case."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Literal

from truelap.checks.outputs.asking import Plan, tell
from truelap.checks.outputs.evidence import CaseOutput
from truelap.checks.outputs.questions import Asked, chance
from truelap.checks.outputs.recorded import Habits
from truelap.checks.outputs.ruling import Ruling, rule
from truelap.checks.outputs.siblings import Siblings, Way, Wish, compare
from truelap.workers.parameters import other_values
from truelap.workers.track import Track
from truelap.workers.venue import SIDES, Name, Venue
from truelap.workers.worker import Undelivered

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from truelap.checks.outputs.asking import Calls, Output
    from truelap.checks.outputs.recorded import Records
    from truelap.policy import Outputs
    from truelap.values import Tolerance
    from truelap.workers.cases import Timed
    from truelap.world.files import TreeOnDisk

Role = Literal["base", "again", "candidate"]
_LATE = "the time for outputs was used up"


class _Failed(Exception):  # noqa: N818 - a result, not an error
    def __init__(self, role: Role, failure: Undelivered) -> None:
        super().__init__(str(failure))
        self.role = role
        self.failure = failure


@dataclass(frozen=True)
class _Place:
    track: Track
    name: Name


class Campaign:
    """Compares cases.

    Args:
        venue: where.
        trees: of both sides.
        outputs: the policy's numbers.
        seed: of every random choice.
        records: what base told before.
    """

    def __init__(
        self,
        venue: Venue,
        trees: Mapping[Name, TreeOnDisk],
        outputs: Outputs,
        seed: int,
        records: Records,
    ) -> None:
        self._venue = venue
        self._trees = trees
        self._policy = outputs
        self._seed = seed
        self._records = records
        self._places: dict[Role, _Place] = {}
        self._siblings: Mapping[str, int] = {}
        self.changed: set[str] = set()
        self.touched: set[str] = set()
        self.loaded: tuple[Mapping[str, str], Mapping[str, str]] = ({}, {})

    def run(
        self, cases: Sequence[Timed], tolerances: Mapping[str, Tolerance], siblings: Mapping[str, int]
    ) -> tuple[CaseOutput, ...]:
        """Compare all cases; one result each.

        Args:
            cases: in this order.
            tolerances: by id of the case.
            siblings: how many calls beside its own at most, likewise.
        """
        self._siblings = siblings
        found = []
        modules = sorted({case.benchmark.module for case in cases})
        draw = chance(self._seed, "workers")
        seed, other = draw.randrange(2**32), draw.randrange(2**32)
        base = dict.fromkeys(SIDES, self._trees["base"])
        with ExitStack() as stack:
            first = stack.enter_context(self._track(modules, self._trees, seed, seed))
            second = stack.enter_context(self._track(modules, base, seed, other))
            self._places = {
                "base": _Place(first, "base"),
                "again": _Place(second, "base"),
                "candidate": _Place(first, "candidate"),
            }
            for number, case in enumerate(cases):
                self._venue.world.events.glance(
                    f"comparing outputs: {number} of {len(cases)} benchmarks done"
                )
                found.append(self._settled(case, tolerances[case.id]))
        # What base's own workers write to is the suite's habit, not the submission's doing.
        habits = Habits(
            first.changed["base"] | second.changed["base"],
            first.touched["base"] | second.touched["base"],
            dict(first.loaded["base"]),
        )
        self._records.close(habits)
        habits.add(self._records.habits)
        self.changed |= first.changed["candidate"] - habits.changed
        before, after = self.loaded
        self.loaded = {**before, **habits.loaded}, {**after, **first.loaded["candidate"]}
        self.touched |= first.touched["candidate"] - habits.touched
        return tuple(found)

    def _track(
        self, modules: Iterable[str], trees: Mapping[Name, TreeOnDisk], seed: int, hash_seed: int
    ) -> Track:
        return Track(
            self._venue,
            trees,
            cores=self._venue.slot.turn(0).workers,
            seed=seed,
            modules=modules,
            losses=dict.fromkeys(SIDES, 0),
            spent=dict.fromkeys(SIDES, 0.0),
            hash_seed=hash_seed,
        )

    def _settled(self, case: Timed, tolerance: Tolerance) -> CaseOutput:
        if (late := self._late()) is not None:
            return CaseOutput(id=case.id, params=case.params, ruling=late)
        asked = Asked.drawn(self._seed, case.id, 0)
        found = self._compared(case, tolerance, asked)
        # What happens now and then is no reason to accuse. Of siblings the same ones are looked at again.
        if found.ruling.status in {"differs", "missing"} and not self._hangs(found):
            found = self._compared(case, tolerance, Asked.drawn(self._seed, case.id, 1))
        elif found.siblings.difference is not None:
            found = self._compared(case, tolerance, asked._replace(first=False), found.siblings.plan)
        return found

    def _compared(
        self, case: Timed, tolerance: Tolerance, asked: Asked, plan: tuple[Way, ...] | None = None
    ) -> CaseOutput:
        calls, siblings = None, Siblings()
        try:
            wish = Wish(self._siblings[case.id], self._policy.sibling_s, plan)
            base, again = self._base(case, asked, wish)
            calls, wish = base.calls, wish._replace(plan=base.beside.plan)
            candidate = self._tell("candidate", case, asked, lambda *_: calls, wish)
            self._compare_parameters(base, again, candidate)
            ruling = rule(base, again, candidate, tolerance, self._policy.max_rtol)
            besides = (base.beside, again.beside, candidate.beside)
            siblings = compare(*besides, tolerance, self._policy.max_rtol)
        except _Failed as end:
            if end.role == "candidate":
                ruling = Ruling("missing", str(end))
            else:
                ruling = Ruling("not_comparable", f"base does not deliver it: {end}")
        return CaseOutput(id=case.id, params=case.params, ruling=ruling, calls=calls, siblings=siblings)

    def _base(self, case: Timed, asked: Asked, wish: Wish) -> tuple[Output, Output]:
        """Both runs of base: as they were kept, or now."""
        question = {"case": case.order(asked.seed), "asked": asked, "wish": wish}
        known = self._records.get(question) if asked.first else None
        if known is not None:
            if isinstance(known, Undelivered):
                raise _Failed("base", known)
            return known
        try:
            base = self._tell("base", case, asked, partial(asked.calls, self._policy), wish)
            # The other does what base's first run did.
            again = self._tell(
                "again", case, asked, lambda *_: base.calls, wish._replace(plan=base.beside.plan)
            )
        except _Failed as end:
            if asked.first:
                self._records.put_failure(question, end.failure)
            raise
        if asked.first:
            self._records.put(question, base, again)
        return base, again

    def _tell(self, role: Role, case: Timed, asked: Asked, calls: Calls, wish: Wish) -> Output:
        place = self._places[role]
        try:
            barred = place.track.ready(place.name, case.benchmark.module)
            if barred is not None:
                raise _Failed(role, Undelivered("lost", barred))
            worker = place.track.workers[place.name]
            with worker.awake():
                plan = Plan(
                    seed=asked.other_seed if role == "again" else asked.call_seed,
                    sample=asked.sample,
                    calls=calls,
                    limit_s=case.benchmark.timeout_s or self._venue.load_s,
                    before=role == "again",
                    wish=wish,
                    patient=role == "candidate",
                )
                own_code = "own_code" not in self._venue.without
                return tell(worker, case.order(asked.seed, own_code=own_code), plan)
        except Undelivered as failure:
            raise _Failed(role, failure) from failure
        finally:
            place.track.tidy()

    def _compare_parameters(self, base: Output, again: Output, candidate: Output) -> None:
        if "parameters" in self._venue.without:
            return
        if other := other_values(base.values, again.values, candidate.values):
            raise _Failed("candidate", Undelivered("failed", other))

    def _late(self) -> Ruling | None:
        """As in timing: base must do with half of the time, so that a candidate may be twice as slow."""
        spent = {role: place.track.spent(place.name) for role, place in self._places.items()}
        if max(spent["base"], spent["again"]) > self._policy.station_s / 2:
            return Ruling("not_comparable", f"not run: {_LATE} by base")
        if spent["candidate"] > self._policy.station_s:
            return Ruling("missing", f"not run: {_LATE} by the candidate")
        return None

    def _hangs(self, found: CaseOutput) -> bool:
        return "did not answer in time" in (found.ruling.reason or "")
