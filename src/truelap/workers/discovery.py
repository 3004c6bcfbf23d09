"""Asks base what its suite holds, in a sandbox that never held a byte of the submission."""

from __future__ import annotations

from typing import TYPE_CHECKING

from truelap.model import Frozen
from truelap.workers.cases import Benchmark
from truelap.workers.track import Track
from truelap.workers.worker import Undelivered
from truelap.world.provenance import key_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from truelap.workers.venue import Name, Venue
    from truelap.world.files import TreeOnDisk


Listed = tuple[tuple[Benchmark, ...], dict[str, str]]
"""All benchmarks in the order of the modules, and the modules that cannot be imported, with the reason."""


def listed(venue: Venue, base: TreeOnDisk, modules: tuple[str, ...], seed: int) -> Listed:
    """What the suite holds, as an earlier run has it or base says now."""
    keep = venue.world.keep
    if keep is None:
        return discover(venue, base, modules, seed)[0]
    key = key_of(**venue.facts(base), modules=modules, seed=seed)
    if (content := keep.get("benchmarks", key)) is not None:
        kept = _Kept.model_validate_json(content)
        return kept.benchmarks, kept.failed
    (found, failed), sure = discover(venue, base, modules, seed)
    if sure:
        kept = _Kept(benchmarks=found, failed=failed)
        keep.put("benchmarks", key, kept.model_dump_json(by_alias=True).encode())
    return found, failed


class _Kept(Frozen):
    benchmarks: tuple[Benchmark, ...]
    failed: dict[str, str]


def discover(venue: Venue, base: TreeOnDisk, modules: Iterable[str], seed: int) -> tuple[Listed, bool]:
    """Import every module of the suite, each on its own.

    Returns:
        What was found, and whether the workers answered every time.
    """
    cores = venue.slot.turn(0).workers
    found: list[Benchmark] = []
    failed: dict[str, str] = {}
    sure = True
    # Only base's worker is ever asked for.
    trees: dict[Name, TreeOnDisk] = {"base": base, "candidate": base}
    losses: dict[Name, int] = {"base": 0, "candidate": 0}
    spent: dict[Name, float] = {"base": 0.0, "candidate": 0.0}
    with Track(venue, trees, cores=cores, seed=seed, modules=(), losses=losses, spent=spent) as track:
        for module in modules:
            venue.world.events.glance(f"listing the benchmarks of {module}")
            gone = track.ready("base")
            if gone is not None:
                failed[module], sure = gone, False
                continue
            benchmarks, error, answered = _module(track, venue, module)
            sure = sure and answered
            found += benchmarks
            if error is not None:
                failed[module] = error
            track.tidy()
    return (tuple(found), failed), sure


def _module(track: Track, venue: Venue, module: str) -> tuple[tuple[Benchmark, ...], str | None, bool]:
    worker = track.workers["base"]
    try:
        with worker.awake():
            return *worker.discover(module, venue.load_s), True
    except Undelivered as failure:
        return (), str(failure), False
