"""The station: from a case to what timing measured."""

from __future__ import annotations

from dataclasses import replace
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from truelap.checks.timing.campaign import Campaign
from truelap.checks.timing.decide import unmeasured
from truelap.checks.timing.evidence import TimingEvidence
from truelap.checks.timing.other_inputs import OtherInputs
from truelap.checks.timing.outside import OutsideOfCalls
from truelap.workers.selecting import opened, why_not
from truelap.world.slots import leased

if TYPE_CHECKING:
    from truelap.model import Case
    from truelap.policy import Policy, Time
    from truelap.settings import Effort, Settings
    from truelap.task import Task
    from truelap.world import World

NEEDS: tuple[str, ...] = ("rebuild",)


def gather(case: Case, world: World, policy: Policy, task: Task, settings: Settings) -> TimingEvidence:
    """Time every selected benchmark of base's suite on both sides.

    Raises:
        UsageError: base has no asv config, several and none is named, or no benchmark is selected.
        WorldError: the sandbox, the probe or a slot cannot be had, or the slot was lost.
    """
    suite = opened(case, world, policy, task, settings)
    time = _scaled(policy.time, settings.effort)
    cases = {case.id: case for case in suite.cases if why_not(case) is None}
    with leased(settings, world.events) as slot:
        venue = replace(suite.venue, slot=slot)
        campaign = Campaign(venue, suite.trees, time, suite.seed)
        timed = campaign.run(cases.values())
        others = OtherInputs(venue, suite.trees, time, suite.seed, credit=policy.verdict.memo == "credit")
        if policy.keeps("siblings"):
            timed = others.run(cases, timed)
        outside = OutsideOfCalls(
            venue, suite.trees, time, suite.seed, credit=policy.verdict.moved == "credit"
        )
        if policy.keeps("moved"):
            timed = outside.run(cases, timed)
    rounds = (campaign.rounds, others.rounds, outside.rounds)
    changed = {path for one in rounds for path in one.changed}
    touched = {path for one in rounds for path in one.touched}
    untimed = [unmeasured(case, "invalid", why) for case in suite.cases if (why := why_not(case)) is not None]
    return TimingEvidence(
        config=suite.config,
        protocol={**_protocol(time), "slot": slot.as_data()},
        seed=settings.seed,
        order=campaign.order,
        cases=tuple(sorted((*timed, *untimed), key=lambda result: result.id)),
        failed_modules=suite.failed,
        out_of_time=campaign.out_of_time,
        control=tuple(campaign.control.visits),
        chance=campaign.chance,
        changed_files=tuple(sorted(changed)),
        touched=tuple(sorted(touched - changed)),
    )


def _scaled(time: Time, effort: Effort) -> Time:
    """Quick looks at half the pairs, and has two confirm it at least: one alone is too often wrong. Thorough looks twice as often."""
    if effort == "quick":
        return time.model_copy(update={"visits": min(2, time.visits), "pairs": max(4, time.pairs // 2)})
    if effort == "thorough":
        return time.model_copy(update={"visits": time.visits * 2, "max_visits": time.max_visits * 2})
    return time


def _protocol(time: Time) -> dict[str, Any]:
    return {
        "name": "pairs-2",
        "clock": "cpu of the whole sandbox, read by the judge; wall must bear it out",
        "number": "as in asv_runner 0.2: one setup, then a number of calls",
        "asv_runner": version("asv_runner"),
        "decision": "e-values of bets on the visits that confirm the first pass, e-BH over all benchmarks",
        **time.model_dump(mode="json"),
    }
