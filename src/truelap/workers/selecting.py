"""Where the benchmarks of a case run, and which of them: the same for every station that runs benchmarks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from truelap.suite import AsvConfig, choose_config, find_asv_configs
from truelap.task import import_roots
from truelap.workers.cases import Timed, chosen, modules_of, timed_cases
from truelap.workers.discovery import discover
from truelap.workers.venue import Venue

if TYPE_CHECKING:
    from truelap.model import Case
    from truelap.policy import Policy
    from truelap.settings import Settings
    from truelap.task import Task
    from truelap.world import World
    from truelap.world.files import TreeOnDisk


def open_venue(case: Case, world: World, policy: Policy, task: Task) -> tuple[AsvConfig, Venue]:
    """Base's asv config, and what workers for its suite have in common.

    Raises:
        UsageError: base has no asv config, or several and none is named.
    """
    base = world.trees.base(case)
    configs = find_asv_configs(base.manifest, lambda path: (base.root / path).read_bytes())
    config = choose_config(configs, task.benchmarks.config)
    return config, Venue(
        world=world,
        environment=task.environment,
        limits=policy.limits,
        folder=config.benchmark_dir,
        paths=import_roots(task.environment, base.manifest),
        load_s=policy.time.benchmark_timeout_s,
        guarded=(*policy.protected.patterns, *policy.test_code.patterns, *case.base.protected_paths),
        without=frozenset(policy.ablate.off),
    )


def selected(
    venue: Venue, base: TreeOnDisk, task: Task, settings: Settings, seed: int
) -> tuple[tuple[Timed, ...], dict[str, str]]:
    """The cases that are asked for, and the modules of the suite that cannot be imported at base, with the reason.

    Raises:
        UsageError: no benchmark is selected.
    """
    modules = modules_of(base.manifest, venue.folder, venue.suite.name)
    setting = (venue.environment.model_dump_json(), venue.limits, venue.load_s, venue.without)
    benchmarks, failed = venue.world.trees.known(
        base,
        ("benchmarks", modules, venue.paths, seed, setting),
        lambda: discover(venue, base, modules, seed),
    )
    return chosen(timed_cases(benchmarks), settings.bench, task.benchmarks), failed


def why_not(case: Timed) -> str | None:
    """Why a case is not run at all; None when it is."""
    if case.benchmark.error is not None:
        return f"base cannot build it: {case.benchmark.error}"
    if case.benchmark.kind != "time":
        return f"not timed: benchmarks of kind {case.benchmark.kind} are not measured yet"
    return None
