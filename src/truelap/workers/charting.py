"""Asks base which of its functions each benchmark runs, in a sandbox that never held a byte of the submission."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from truelap.workers.impact import Chart, Places
from truelap.workers.track import Track
from truelap.workers.worker import START_S, Undelivered, Worker
from truelap.world.provenance import key_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from truelap.workers.cases import Timed
    from truelap.workers.venue import Name, Venue
    from truelap.world.files import TreeOnDisk

_MOST_S = 900.0
"""What is not charted by then is run."""
_SHORT_NS = 50_000_000
_MORE = 2
"""So many calls more of what is short: a first call may take another way."""


def charted(venue: Venue, base: TreeOnDisk, cases: Sequence[Timed], seed: int) -> Chart:
    """The chart of all cases, as an earlier run has it or base says now."""
    keep, venue = venue.world.keep, replace(venue, chart=True, station="chart")
    orders = [case.order(seed, own_code=False) for case in cases]
    key = key_of(**venue.facts(base), orders=orders) if keep else ""
    if keep and (content := keep.get("impact", key)) is not None:
        return Chart.model_validate_json(content)
    chart, whole = _chart(venue, base, cases, seed)
    if keep and whole:
        keep.put("impact", key, chart.model_dump_json().encode())
    return chart


def _chart(venue: Venue, base: TreeOnDisk, cases: Sequence[Timed], seed: int) -> tuple[Chart, bool]:
    """The chart, and whether there was time for all of it."""
    # Only base's worker is ever asked for.
    trees: dict[Name, TreeOnDisk] = {"base": base, "candidate": base}
    losses: dict[Name, int] = {"base": 0, "candidate": 0}
    spent: dict[Name, float] = {"base": 0.0, "candidate": 0.0}
    modules = sorted({case.benchmark.module for case in cases})
    found: dict[str, Places | None] = {}
    imported: Places | None = None
    began = time.monotonic()
    cores = venue.slot.turn(0).workers
    with Track(venue, trees, cores=cores, seed=seed, modules=modules, losses=losses, spent=spent) as track:
        for number, case in enumerate(cases):
            if time.monotonic() - began > _MOST_S:
                return Chart(imported=imported, cases=found), False
            venue.world.events.glance(f"charting what base runs: {number} of {len(cases)} benchmarks done")
            fresh = "base" not in track.workers
            if track.ready("base", case.benchmark.module) is None:
                worker = track.workers["base"]
                with worker.awake():
                    if fresh:
                        imported = _asked(worker)
                    found[case.id] = _of_case(worker, case, seed, venue.load_s)
            track.tidy()
    return Chart(imported=imported, cases=found), True


def _of_case(worker: Worker, case: Timed, seed: int, load_s: float) -> Places | None:
    limit_s = case.benchmark.timeout_s or load_s
    try:
        number = worker.open(case.order(seed, own_code=False), limit_s)
        lasted = worker.run(1, limit_s).elapsed_ns
        if lasted < _SHORT_NS and number != 1:
            worker.run(_MORE, limit_s)
        places = _places(worker.ask({"type": "chart"}, "charted", limit_s))
        worker.close(limit_s)
    except (Undelivered, ValueError):
        return None
    return places


def _asked(worker: Worker) -> Places | None:
    try:
        return _places(worker.ask({"type": "chart"}, "charted", START_S))
    except (Undelivered, ValueError):
        return None


def _places(told: dict[str, Any]) -> Places | None:
    """What ran; None where not all of it was seen."""
    places = tuple((path, line) for path, line in told["ran"])
    if not all(type(path) is str and type(line) is int for path, line in places):
        raise ValueError("code in a form that is not known")
    return places if told["whole"] is True else None
