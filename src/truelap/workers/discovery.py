"""Asks base what its suite holds, in a sandbox that never held a byte of the submission."""

from __future__ import annotations

from typing import TYPE_CHECKING

from truelap.workers.track import Track
from truelap.workers.worker import Undelivered

if TYPE_CHECKING:
    from collections.abc import Iterable

    from truelap.workers.cases import Benchmark
    from truelap.workers.venue import Name, Venue
    from truelap.world.files import TreeOnDisk


def discover(
    venue: Venue, base: TreeOnDisk, modules: Iterable[str], seed: int
) -> tuple[tuple[Benchmark, ...], dict[str, str]]:
    """Import every module of the suite, each on its own.

    Returns:
        All benchmarks in the order of the modules, and the modules that cannot be imported, with the reason.
    """
    cores = venue.slot.turn(0).workers
    found: list[Benchmark] = []
    failed: dict[str, str] = {}
    # Only base's worker is ever asked for.
    trees: dict[Name, TreeOnDisk] = {"base": base, "candidate": base}
    losses: dict[Name, int] = {"base": 0, "candidate": 0}
    spent: dict[Name, float] = {"base": 0.0, "candidate": 0.0}
    with Track(venue, trees, cores=cores, seed=seed, modules=(), losses=losses, spent=spent) as track:
        for module in modules:
            venue.world.events.glance(f"listing the benchmarks of {module}")
            gone = track.ready("base")
            if gone is not None:
                failed[module] = gone
                continue
            benchmarks, error = _module(track, venue, module)
            found += benchmarks
            if error is not None:
                failed[module] = error
            track.tidy()
    return tuple(found), failed


def _module(track: Track, venue: Venue, module: str) -> tuple[tuple[Benchmark, ...], str | None]:
    worker = track.workers["base"]
    try:
        with worker.awake():
            return worker.discover(module, venue.load_s)
    except Undelivered as failure:
        return (), str(failure)
