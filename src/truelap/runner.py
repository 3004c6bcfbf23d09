"""Walks a case along stations: times each, turns our own faults into findings, says where the line ends, and concludes."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, NamedTuple

from truelap.errors import WorldError, boundary
from truelap.model import Finding, StationRecord
from truelap.verdict import decide
from truelap.world.machine import describe, tool

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from types import ModuleType

    from truelap.model import Case, StationStatus, Verdict
    from truelap.policy import Policy
    from truelap.settings import Settings
    from truelap.task import Task
    from truelap.world import World

    Run = Callable[[Case, World, Policy, Task, Settings], Case]
    Look = Callable[[Case, World, Policy, Task, Settings], None]

_NAMED = 3


class Station(NamedTuple):
    """One stop of the line."""

    name: str
    run: Run
    prepares: bool = False
    """When it fails, nothing after it makes sense."""
    optional: bool = False
    """It may have nothing to do; then it gives the case back as it got it."""


def check(name: str, module: ModuleType, look: Look | None = None) -> Station:
    """A station that measures (`gather`), and judges what it measured (`judge`, pure).

    Args:
        name: of the station.
        module: the check.
        look: called before it measures anything; it may find that what the user named cannot be used.
    """

    def run(case: Case, world: World, policy: Policy, task: Task, settings: Settings) -> Case:
        if look:
            look(case, world, policy, task, settings)
        evidence = module.gather(case, world, policy, task, settings)
        return case.plus(evidence=((name, evidence),), findings=module.judge(evidence, policy))

    return Station(name, run)


def walk(
    stations: Iterable[Station],
    case: Case,
    world: World,
    policy: Policy,
    *,
    task: Task,
    settings: Settings,
) -> Case:
    """Send a case along stations.

    A refusal, a failed preparation, nothing left to judge or a fault of ours ends the line; a failed check does not, unless
    the policy says so, and neither does a build of which nothing is known.

    Raises:
        UsageError: a station found that what the user named cannot be used.
    """
    ended = False
    for station in stations:
        if ended:
            not_run = StationRecord(name=station.name, status="not_run", seconds=0.0)
            case = case.plus(stations=(not_run,))
            continue
        world.events.progress(station.name)
        before, began, fault = case, time.monotonic(), False
        try:
            with boundary(f"station {station.name}"):
                case = station.run(case, world, policy, task, settings)
        except WorldError as error:
            told = Finding(code=f"station:{station.name}", level="inconclusive", message=str(error))
            case, fault = case.plus(findings=(told,)), True
        record = _record(station, before, case, time.monotonic() - began)
        case = case.plus(stations=(record,))
        world.events.say("station", **record.model_dump())
        new = case.findings[len(before.findings) :]
        ended = fault or _is_over(case) or _stops(station, new, policy)
    return case


def of_cache(world: World) -> tuple[Finding, ...]:
    """What became of base's truth on disk, where that is not as it should be. It costs time and nothing else."""
    found = []
    if world.unkept:
        found.append(("cache:unused", f"nothing is kept for the next submission: {world.unkept}"))
    if world.keep and world.keep.damaged:
        damaged = world.keep.damaged
        some = ", ".join(damaged[:_NAMED])
        found.append(
            ("cache:damaged", f"{len(damaged)} kept on disk were damaged, and measured anew: {some}")
        )
    return tuple(Finding(code=code, level="info", message=text) for code, text in found)


def conclude(stations: Iterable[Station], case: Case, world: World, policy: Policy, seed: int) -> Verdict:
    """The verdict on a case that has come to the end of these stations, without a reward."""
    required = tuple(station.name for station in stations if not station.optional)
    return decide(case, policy, seed=seed, tool=tool(), machine=describe(world), required=required)


def _record(station: Station, before: Case, after: Case, seconds: float) -> StationRecord:
    bad = any(finding.level != "info" for finding in after.findings[len(before.findings) :])
    fine: StationStatus = "skipped" if after is before else "done"
    return StationRecord(name=station.name, status="failed" if bad else fine, seconds=round(seconds, 3))


def _is_over(case: Case) -> bool:
    return case.refused or case.candidate_tree == case.base.tree


def _stops(station: Station, new: tuple[Finding, ...], policy: Policy) -> bool:
    bad = {finding.level for finding in new} - {"info"}
    if station.prepares:
        # A build that nobody can make says nothing of the patch. The checks go on, or a header file in a wrong patch would
        # buy it an inconclusive end where the tests show a failure.
        return bool(bad) and not (station.optional and bad == {"inconclusive"})
    return bool(bad) and policy.verdict.stop_on_fail
