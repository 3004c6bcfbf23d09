"""The station: from a case to what timing measured."""

from __future__ import annotations

from dataclasses import replace
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from truelap.checks.timing.campaign import Campaign
from truelap.checks.timing.decide import unmeasured, without_credit
from truelap.checks.timing.evidence import TimingEvidence
from truelap.checks.timing.other_inputs import OtherInputs
from truelap.checks.timing.outside import VISITS, OutsideOfCalls
from truelap.checks.timing.values import ValueCampaign
from truelap.workers.impact import NONE_MEASURED, NOT_RUN, everything
from truelap.workers.selecting import opened, why_not
from truelap.workers.valuing import VALUED
from truelap.world.slots import leased

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from truelap.checks.timing.evidence import CaseResult
    from truelap.model import Case
    from truelap.policy import Policy, Time
    from truelap.settings import Effort, Settings
    from truelap.task import Task
    from truelap.workers.cases import Timed
    from truelap.workers.impact import Choice
    from truelap.workers.selecting import Opening
    from truelap.workers.venue import Venue
    from truelap.world import World

NEEDS: tuple[str, ...] = ("rebuild",)

TIMED = ("time", "timeraw")
"""asv's kinds of benchmarks whose calls are timed."""

_NUMBER = {
    "before_samples": "as in asv_runner 0.2: one setup, then a number of calls",
    "before_calls": "as in asv_runner 0.3: a setup before each call, where there is one",
}


def gather(case: Case, world: World, policy: Policy, task: Task, settings: Settings) -> TimingEvidence:
    """Time every selected benchmark of base's suite on both sides.

    Raises:
        UsageError: base has no asv config, several and none is named, or no benchmark is selected.
        WorldError: the sandbox, the probe or a slot cannot be had, or the slot was lost.
    """
    suite = opened(case, world, policy, task, settings)
    time = _scaled(policy.time, settings.effort)
    cases = {case.id: case for case in suite.cases if why_not(case, TIMED) is None}
    with leased(settings, world.events) as slot:
        venue = replace(suite.venue, slot=slot)
        campaign = Campaign(venue, suite.trees, time, suite.seed)
        timed = campaign.run((*suite.runs(), *_raw(cases)))
        choice, timed = _widened(suite, campaign, timed)
        if policy.verdict.timeraw == "report":
            raw = {one.id for one in _raw(cases)}
            timed = tuple(without_credit(one) if one.id in raw else one for one in timed)
        others, outside = _looks(suite, venue, time, policy, settings.effort)
        if policy.keeps("siblings"):
            timed = others.run(cases, timed)
        if policy.keeps("moved"):
            timed = outside.run(cases, timed)
        asked = ValueCampaign(venue, campaign.rounds, time, suite.seed)
        values = asked.run(one for one in suite.cases if why_not(one, VALUED) is None)
    rounds = (campaign.rounds, others.rounds, outside.rounds)
    changed = {path for one in rounds for path in one.changed}
    touched = {path for one in rounds for path in one.touched}
    known = (*TIMED, *VALUED)
    untimed = [
        unmeasured(case, "invalid", why) for case in suite.cases if (why := why_not(case, known)) is not None
    ]
    # Not reached is not changed: it counts, as it would if it had been timed.
    untimed += [unmeasured(cases[name], "same", NOT_RUN) for name in (choice.left if choice else ())]
    return TimingEvidence(
        config=suite.config,
        protocol={**_protocol(time), "slot": slot.as_data()},
        seed=settings.seed,
        order=campaign.order,
        cases=tuple(sorted((*timed, *untimed), key=lambda result: result.id)),
        values=tuple(sorted(values, key=lambda result: result.id)),
        failed_modules=suite.failed,
        out_of_time=campaign.out_of_time or asked.out_of_time,
        control=tuple(campaign.control.visits),
        bar=campaign.bar,
        choice=choice,
        changed_files=tuple(sorted(changed)),
        touched=tuple(sorted(touched - changed)),
    )


def _looks(
    suite: Opening, venue: Venue, time: Time, policy: Policy, effort: Effort
) -> tuple[OtherInputs, OutsideOfCalls]:
    """What looks at gains once more."""
    credit = policy.verdict.memo == "credit"
    others = OtherInputs(venue, suite.trees, time, suite.seed, credit=credit)
    visits, credit = 1 if effort == "quick" else VISITS, policy.verdict.moved == "credit"
    return others, OutsideOfCalls(venue, suite.trees, time, suite.seed, visits=visits, credit=credit)


def _raw(cases: Mapping[str, Timed]) -> Iterator[Timed]:
    """Those of which nobody knows what they reach: it runs elsewhere."""
    return (case for case in cases.values() if case.benchmark.kind == "timeraw")


def _widened(
    suite: Opening, campaign: Campaign, timed: tuple[CaseResult, ...]
) -> tuple[Choice | None, tuple[CaseResult, ...]]:
    """The rest as well, where a benchmark changes that the change should not reach, or none was measured."""
    choice = suite.choice
    if choice is None or not choice.left:
        return choice, timed
    screened = frozenset(choice.screened)
    odd = [one.id for one in timed if one.id in screened and one.decision not in {"same", "invalid"}]
    if not odd and any(one.visits for one in timed):
        return choice, timed
    choice = choice.widened(odd[0]) if odd else everything(suite.runs() + suite.rest(), NONE_MEASURED)
    return choice, campaign.run(suite.rest())


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
        "number": _NUMBER[time.setup],
        "asv_runner": version("asv_runner"),
        "decision": "e-values of bets on the visits that confirm the first pass, e-BH over all benchmarks",
        **time.model_dump(mode="json"),
    }
