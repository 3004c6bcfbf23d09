"""The station: from a case to what timing measured."""

from __future__ import annotations

from importlib.metadata import version
from random import Random
from typing import TYPE_CHECKING, Any

from truelap.checks.timing.campaign import Campaign
from truelap.checks.timing.decide import unmeasured
from truelap.checks.timing.discovery import discover
from truelap.checks.timing.evidence import TimingEvidence
from truelap.checks.timing.suite import Timed, chosen, modules_of, timed_cases
from truelap.checks.timing.track import Venue
from truelap.suite import AsvConfig, choose_config, find_asv_configs
from truelap.task import import_roots

if TYPE_CHECKING:
    from truelap.model import Case
    from truelap.policy import Policy, Time
    from truelap.settings import Effort, Settings
    from truelap.task import Task
    from truelap.world import World
    from truelap.world.files import TreeOnDisk

NEEDS: tuple[str, ...] = ("rebuild",)


def gather(case: Case, world: World, policy: Policy, task: Task, settings: Settings) -> TimingEvidence:
    """Time every selected benchmark of base's suite on both sides.

    Raises:
        UsageError: base has no asv config, several and none is named, or no benchmark is selected.
        WorldError: the sandbox or the probe cannot be had.
    """
    base, candidate = world.trees.base(case), world.trees.candidate(case)
    config = choose_config(_configs(base), task.benchmarks.config)
    venue = Venue(
        world=world,
        environment=task.environment,
        limits=policy.limits,
        folder=config.benchmark_dir,
        paths=import_roots(task.environment, base.manifest),
        load_s=policy.time.benchmark_timeout_s,
        guarded=(*policy.protected.patterns, *policy.test_code.patterns, *case.base.protected_paths),
        without=frozenset(policy.ablate.off),
    )
    draw = Random(settings.seed)  # noqa: S311 - must be repeatable; no secret hangs on it
    cases, failed = _cases(venue, base, task, settings, draw.randrange(2**32))
    time = _scaled(policy.time, settings.effort)
    campaign = Campaign(venue, {"base": base, "candidate": candidate}, time, draw.randrange(2**32))
    timed = campaign.run([case for case in cases if _why_not(case) is None])
    untimed = [unmeasured(case, "invalid", why) for case in cases if (why := _why_not(case)) is not None]
    return TimingEvidence(
        config=config.path,
        protocol=_protocol(time),
        seed=settings.seed,
        order=campaign.order,
        cases=tuple(sorted((*timed, *untimed), key=lambda result: result.id)),
        failed_modules=failed,
        out_of_time=campaign.out_of_time,
        changed_files=tuple(sorted(campaign.changed)),
        touched=tuple(sorted(campaign.touched - campaign.changed)),
    )


def _configs(base: TreeOnDisk) -> tuple[AsvConfig, ...]:
    return find_asv_configs(base.manifest, lambda path: (base.root / path).read_bytes())


def _cases(
    venue: Venue, base: TreeOnDisk, task: Task, settings: Settings, seed: int
) -> tuple[tuple[Timed, ...], dict[str, str]]:
    modules = modules_of(base.manifest, venue.folder, venue.suite.name)
    benchmarks, failed = discover(venue, base, modules, seed)
    return chosen(timed_cases(benchmarks), settings.bench, task.benchmarks), failed


def _why_not(case: Timed) -> str | None:
    if case.benchmark.error is not None:
        return f"base cannot build it: {case.benchmark.error}"
    if case.benchmark.kind != "time":
        return f"not timed: benchmarks of kind {case.benchmark.kind} are not measured yet"
    return None


def _scaled(time: Time, effort: Effort) -> Time:
    """Quick looks at half the pairs, and twice at most: one look alone is too often wrong. Thorough looks twice as often."""
    if effort == "quick":
        return time.model_copy(update={"visits": min(2, time.visits), "pairs": max(4, time.pairs // 2)})
    if effort == "thorough":
        return time.model_copy(update={"visits": time.visits * 2})
    return time


def _protocol(time: Time) -> dict[str, Any]:
    return {
        "name": "pairs-1",
        "clock": "cpu of the whole sandbox, read by the judge; wall must bear it out",
        "number": "as in asv_runner 0.2: one setup, then a number of calls",
        "asv_runner": version("asv_runner"),
        "decision": "every visit beyond the margin, in the same direction",
        **time.model_dump(mode="json"),
    }
