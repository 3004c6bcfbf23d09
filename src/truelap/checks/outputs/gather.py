"""The station: from a case to what its benchmarks compute."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from truelap.checks.outputs.campaign import Campaign
from truelap.checks.outputs.evidence import CaseOutput, OutputEvidence
from truelap.checks.outputs.recorded import Records
from truelap.checks.outputs.ruling import Ruling
from truelap.task import Override
from truelap.values import Tolerance
from truelap.workers.impact import NOT_RUN
from truelap.workers.origins import TellsOrigins, two_products
from truelap.workers.retold import retold
from truelap.workers.selecting import opened

if TYPE_CHECKING:
    from collections.abc import Sequence

    from truelap.model import Case
    from truelap.policy import Outputs, Policy
    from truelap.settings import Settings
    from truelap.task import OutputChoice, Task
    from truelap.workers.cases import Timed
    from truelap.workers.impact import Choice
    from truelap.world import World

NEEDS: tuple[str, ...] = ("rebuild",)


def gather(case: Case, world: World, policy: Policy, task: Task, settings: Settings) -> OutputEvidence:
    """Run every benchmark of base's suite that would be timed, and compare what it computes.

    Raises:
        UsageError: base has no asv config, several and none is named, or no benchmark is selected.
        WorldError: the sandbox or the probe cannot be had.
    """
    suite = opened(case, world, policy, task, settings)
    skipped = {one.id: why for one in suite.cases if (why := _why_skipped(one, task.outputs)) is not None}
    skipped |= dict.fromkeys(suite.choice.left if suite.choice else (), NOT_RUN)
    sources, unchanged = retold(suite.venue, suite.trees["base"], values=True)
    venue = replace(suite.venue, station="outputs", sources=sources)
    facts = venue.facts(suite.trees["base"]) if world.keep else {}
    records = Records(world.keep, {**facts, "policy": policy.digest})
    campaign = Campaign(venue, suite.trees, policy.outputs, suite.base_seed, records)
    found = _run(campaign, [one for one in suite.runs() if one.id not in skipped], policy, task)
    choice = suite.choice
    if choice and (name := _reaches_further(choice, found)):
        choice = choice.widened(name)
        skipped = {name: why for name, why in skipped.items() if why != NOT_RUN}
        found += _run(campaign, [one for one in suite.rest() if one.id not in skipped], policy, task)
    left = [
        CaseOutput(id=one.id, params=one.params, ruling=Ruling("not_comparable", skipped[one.id]))
        for one in suite.cases
        if one.id in skipped
    ]
    return OutputEvidence(
        config=suite.config,
        seed=settings.seed,
        settings=policy.outputs.model_dump(mode="json"),
        cases=tuple(sorted((*found, *left), key=lambda one: one.id)),
        unchanged_files=unchanged,
        failed_modules=suite.failed,
        changed_files=tuple(sorted(campaign.changed)),
        touched=tuple(sorted(campaign.touched - campaign.changed)),
        choice=choice,
        base_kept=records.used,
        two_products=_two_products(case, campaign),
    )


def _run(campaign: Campaign, cases: Sequence[Timed], policy: Policy, task: Task) -> tuple[CaseOutput, ...]:
    most = policy.outputs.siblings if policy.keeps("siblings") else 0
    return campaign.run(
        cases,
        {one.id: _tolerance(one, policy.outputs, task.outputs) for one in cases},
        {one.id: _siblings(_override(one, task.outputs), most) for one in cases},
    )


def _reaches_further(choice: Choice, found: Sequence[CaseOutput]) -> str | None:
    """A benchmark that computes something else, though the change should not reach it."""
    odd = (one.id for one in found if one.ruling.status in {"differs", "missing"})
    return next((name for name in odd if name in choice.screened), None)


def _two_products(case: Case, campaign: Campaign) -> tuple[str, ...]:
    tests = case.get("tests")
    seen = tests.integrity if isinstance(tests, TellsOrigins) else None
    return tuple(two_products(seen, *campaign.loaded)) if seen else ()


def _why_skipped(case: Timed, choice: OutputChoice) -> str | None:
    for skip in choice.skip:
        if skip.benchmark in {case.id, case.benchmark.name}:
            return f"left out by the task: {skip.reason}"
    return None


def _override(case: Timed, choice: OutputChoice) -> Override:
    return choice.overrides.get(case.id) or choice.overrides.get(case.benchmark.name) or Override()


def _siblings(own: Override, most: int) -> int:
    return most if own.siblings is None else min(most, own.siblings)


def _first(*given: float | None) -> float:
    return next(one for one in given if one is not None)


def _tolerance(case: Timed, outputs: Outputs, choice: OutputChoice) -> Tolerance:
    own = _override(case, choice)
    rtol = _first(own.rtol, choice.rtol, outputs.rtol)
    return Tolerance(rtol=rtol, atol=_first(own.atol, choice.atol, outputs.atol), single=outputs.single_rtol)
