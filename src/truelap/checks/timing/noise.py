"""Times a bundled loop against itself with the instrument that times patches: what this machine lets it tell."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

from truelap.checks.timing.amount import Plan
from truelap.checks.timing.resolving import Noise, resolve, spread
from truelap.checks.timing.rounds import Rounds
from truelap.checks.timing.visit import Broken, Lap
from truelap.errors import WorldError
from truelap.model import Base, Case
from truelap.task import Task
from truelap.workers.selecting import opened
from truelap.workers.venue import SIDES
from truelap.world.opening import open_world
from truelap.world.slots import leased

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from truelap.checks.timing.evidence import Visit
    from truelap.policy import Policy, Time
    from truelap.settings import Settings
    from truelap.workers.selecting import Opening

SECONDS = 20.0
LAPS = 6
"""Visits on the same workers, in which a machine may be more alike than from one start to the next."""

_LOOP = Path(__file__).resolve().parents[2] / "sample" / "loop"


def measure(
    policy: Policy,
    settings: Settings,
    progress: Callable[[str], None] | None = None,
    seconds: float = SECONDS,
) -> Noise:
    """Take visits of identical code, and say what they let timing tell.

    Args:
        policy: its margin, visits and pairs.
        settings: where and how to run.
        progress: called with a word on what is being done.
        seconds: after this long no further workers are started; there are always enough visits to decide.

    Raises:
        WorldError: no sandbox, no slot, or the loop cannot be timed.
    """
    with open_world(settings, _LOOP, (), progress) as world:
        tree = world.store.import_directory(_LOOP)
        case = Case(name="loop", base=Base(given="loop", commit=None, tree=tree), candidate_tree=tree)
        suite = opened(case, world, policy, Task(), settings)
        with leased(settings, world.events) as slot:
            suite = replace(suite, venue=replace(suite.venue, slot=slot))
            began = time.monotonic()
            taken: list[Visit] = []
            number = 0
            while len(taken) < policy.time.visits or time.monotonic() - began < seconds:
                world.events.progress("timing a known loop against itself")
                taken += _generation(suite, policy.time, number)
                number += 1
            lasted = time.monotonic() - began
    draw = Random(suite.seed)  # noqa: S311 - must be repeatable; no secret hangs on it
    resolves, wrong = resolve(taken, policy.time, draw)
    return Noise(
        resolves=resolves,
        margin=policy.time.margin,
        visits=policy.time.visits,
        spread=spread(taken),
        wrong=wrong,
        taken=len(taken),
        seconds=round(lasted, 1),
        slot=slot.as_data(),
    )


def _generation(suite: Opening, policy: Time, number: int) -> Iterator[Visit]:
    draw = Random(suite.seed + number)  # noqa: S311 - as above
    case = suite.cases[0]
    rounds = Rounds(suite.venue, suite.trees, policy.station_s)
    plan = Plan(
        sample_s=policy.sample_s,
        pairs=policy.pairs,
        max_pair_s=policy.max_pair_s,
        limit_s=policy.benchmark_timeout_s,
    )
    with rounds.workers(number, draw.randrange(2**32), [case.benchmark.module]) as track:
        for _ in range(LAPS):
            barred = [why for name in SIDES if (why := track.ready(name, case.benchmark.module))]
            if barred:
                raise WorldError(f"the known loop cannot be timed here: {barred[0]}")
            try:
                yield Lap(track.workers, plan, draw).run(case.order(draw.randrange(2**32)))
            except Broken as end:
                raise WorldError(f"the known loop cannot be timed here: {end}") from end
