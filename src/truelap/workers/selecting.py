"""Where the benchmarks of a case run, and which of them: the same for every station that runs benchmarks."""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import dataclass, replace
from random import Random
from typing import TYPE_CHECKING

from truelap.errors import WorldError
from truelap.policy import measuring
from truelap.scripts import find_scripts
from truelap.suite import choose_config, find_asv_configs
from truelap.task import import_roots
from truelap.workers.arrays import has_numpy
from truelap.workers.cases import NOT_TIMED, Timed, check_names, chosen, modules_of, timed_cases
from truelap.workers.changes import UnknownReachError, changed_functions
from truelap.workers.charting import charted
from truelap.workers.discovery import listed
from truelap.workers.impact import Choice, choose, everything
from truelap.workers.retold import unclocked_scripts
from truelap.workers.venue import Name, Venue
from truelap.world.slots import aside
from truelap.world.tree_links import real_files

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from truelap.model import Case
    from truelap.policy import Policy
    from truelap.settings import Settings
    from truelap.task import Task
    from truelap.world import World
    from truelap.world.files import TreeOnDisk


@dataclass(frozen=True)
class Opening:
    """What a station starts from.

    Attributes:
        config: path of base's asv config; the patterns of scripts or tests, where those are the suite.
        venue: what its workers have in common.
        trees: of both sides.
        cases: those that are asked for.
        failed: modules of the suite that cannot be imported at base, with the reason.
        choice: which of the cases are run; None for all, without a look at what changes.
        base_seed: of choices that base's part of a station is kept for.
        seed: of a station's other choices.
    """

    config: str
    venue: Venue
    trees: Mapping[Name, TreeOnDisk]
    cases: tuple[Timed, ...]
    failed: dict[str, str]
    base_seed: int
    seed: int
    choice: Choice | None = None

    def runs(self) -> tuple[Timed, ...]:
        """The cases to begin with."""
        left = frozenset(self.choice.left if self.choice else ())
        return tuple(case for case in self.cases if why_not(case) is None and case.id not in left)

    def rest(self) -> tuple[Timed, ...]:
        """Those that follow when a case changes that the change should not reach."""
        left = frozenset(self.choice.left if self.choice else ())
        return tuple(case for case in self.cases if case.id in left)


def opened(case: Case, world: World, policy: Policy, task: Task, settings: Settings) -> Opening:
    """Find base's suite, and ask base what it holds.

    Raises:
        UsageError: base has no asv config or not the files named, several configs and none is named, or no benchmark is selected.
        WorldError: the sandbox or the probe cannot be had.
    """
    trees: Mapping[Name, TreeOnDisk] = {
        "base": world.trees.base(case),
        "candidate": world.trees.candidate(case),
    }
    told, venue, default_s = _open_venue(case, trees["base"], world, policy, task)
    venue = replace(venue, slot=aside(settings.slots), sources=unclocked_scripts(venue, trees["base"]))
    # Must be repeatable; no secret hangs on it.
    shared, own = Random(settings.base_seed), Random(settings.seed)  # noqa: S311
    cases, failed = _selected(venue, trees["base"], task, settings, shared.randrange(2**32))
    seeds = shared.randrange(2**32), own.randrange(2**32)
    bounded = tuple(_bounded(one, default_s) for one in cases)
    found = Opening(told, venue, trees, bounded, failed, *seeds)
    if task.benchmarks.select == "all":
        return found
    return replace(found, choice=_chosen(found, policy.time.screened_share))


def _chosen(suite: Opening, share: float) -> Choice:
    """Which cases the change can reach, and a share of the others: the same for all stations of a verification."""
    base, other = suite.trees["base"], suite.trees["candidate"]
    cases = [case for case in suite.cases if why_not(case) is None]

    def read(path: bytes) -> tuple[bytes, bytes]:
        name = os.fsdecode(path)
        return (base.root / name).read_bytes(), (other.root / name).read_bytes()

    try:
        changed = changed_functions(base.manifest, other.manifest, read)
    except UnknownReachError as error:
        return everything(cases, f"all: {error}")
    ids = tuple(case.id for case in cases)
    chart = suite.venue.world.trees.known(
        base, ("chart", ids), lambda: charted(suite.venue, base, cases, suite.base_seed)
    )
    draw = Random(f"impact {suite.seed}")  # noqa: S311 - must be repeatable; whoever names no seed has a random one
    return choose(cases, chart, changed, share, draw)


def _open_venue(
    case: Case, base: TreeOnDisk, world: World, policy: Policy, task: Task
) -> tuple[str, Venue, float | None]:
    """What the suite is called, the venue, and seconds for a benchmark that says nothing of it."""
    named, style = task.benchmarks.files
    told, folder, default_s = ", ".join(named), ".", None
    files: tuple[str, ...] = ()
    if style != "asv":
        files = find_scripts(named, real_files(base), style)
    else:
        configs = find_asv_configs(real_files(base), lambda path: (base.root / path).read_bytes())
        config = choose_config(configs, task.benchmarks.config)
        told, folder, default_s = config.path, config.benchmark_dir, config.default_timeout_s
    venue = Venue(
        world=world,
        environment=task.environment,
        limits=policy.limits,
        folder=folder,
        paths=import_roots(task.environment, base.manifest),
        load_s=policy.time.benchmark_timeout_s,
        guarded=measuring(case.base, policy),
        without=frozenset(policy.ablate.off),
        numpy=has_numpy(world, base),
        places=case.base.import_folders,
        style=style,
        files=files,
    )
    return told, venue, default_s


def _selected(
    venue: Venue, base: TreeOnDisk, task: Task, settings: Settings, seed: int
) -> tuple[tuple[Timed, ...], dict[str, str]]:
    modules = venue.files or modules_of(real_files(base), venue.folder, venue.suite.name)
    setting = (venue.environment.model_dump_json(), venue.limits, venue.load_s, venue.without)
    benchmarks, failed = venue.world.trees.known(
        base,
        ("benchmarks", modules, venue.paths, seed, setting),
        lambda: listed(venue, base, modules, seed),
    )
    cases = timed_cases(benchmarks)
    # What a module holds that cannot be imported is not known.
    if cases and not failed:
        check_names(cases, task)
    return chosen(cases, settings.bench, task.benchmarks), failed


def _bounded(case: Timed, default_s: float | None) -> Timed:
    if case.benchmark.timeout_s is not None or default_s is None:
        return case
    bounded = case.benchmark.model_copy(update={"timeout_s": default_s})
    return case.model_copy(update={"benchmark": bounded})


def look_ahead(case: Case, world: World, policy: Policy, task: Task, settings: Settings) -> None:
    """Learn early that a choice of benchmarks holds none. What base's suite holds is then known to later stations.

    Where nobody chooses, nothing is done, and a fault of ours is left to the stations that need the suite.

    Raises:
        UsageError: base has no asv config or not the files named, several configs and none is named, or no benchmark is selected.
    """
    named = (
        *(task.benchmarks.include, task.benchmarks.exclude),
        *(task.outputs.skip, task.outputs.overrides),
    )
    if settings.bench is None and not any(named):
        return
    with suppress(WorldError):
        opened(case, world, policy, task, settings)


def why_not(case: Timed, kinds: Collection[str] = ("time",)) -> str | None:
    """Why a case is not run at all; None when it is.

    Args:
        case: of base's suite.
        kinds: those that the station knows what to do with.
    """
    if case.benchmark.error is not None:
        return f"base cannot build it: {case.benchmark.error}"
    if case.benchmark.kind not in kinds:
        return f"{NOT_TIMED} {case.benchmark.kind} are not measured yet"
    return None
