"""What the sandbox and the outside clock cost, and whether they change a ratio (`make bench-cost`): the same tasks with and without them, in turn.

Without them the same protocol runs in plain processes and believes the workers' own clock. Known costs of 0 to 50 % are injected as in
`make bench-ab`, so what either way is off by is known. Every run adds to bench/results; what is printed is of all runs together.
"""

from __future__ import annotations

import math
import sys
from pathlib import Path
from statistics import fmean, stdev
from tempfile import TemporaryDirectory
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE)]

import ab  # noqa: E402
import experiment  # noqa: E402

WAYS: dict[str, experiment.Way] = {
    "sandboxed": experiment.Way(),
    "plain": experiment.Way(sandbox="none", off=("outside_clock",)),
}


def main() -> int:
    told = experiment.options(__doc__ or "").parse_args()
    if told.suite != "synthetic":
        raise SystemExit("costs can be added to the synthetic suite alone")
    books = {name: experiment.Book(told.results / f"cost-{name}.jsonl", told) for name in WAYS}
    with experiment.neighbour(wanted=told.neighbour):
        for seed in experiment.repeat(told, books["plain"]):
            with TemporaryDirectory() as folder:
                made, costs = ab.project(seed, Path(folder))
                # Whoever goes first finds other caches and another minute.
                for name in sorted(WAYS, reverse=bool(seed % 2)):
                    books[name].add(experiment.timed(made, seed, told, WAYS[name]), seed, costs)
            print(".", end="", flush=True, file=sys.stderr)
    print(
        f"\n{summary(*(books[name].rows for name in WAYS))}"
        if books["plain"].rows
        else "nothing was measured"
    )
    return 0 if books["plain"].rows else 1


def summary(sandboxed: list[dict[str, Any]], plain: list[dict[str, Any]]) -> str:
    """The difference of the first visits' log ratios, benchmark by benchmark, and of the seconds, task by task.

    First visits alone, since how often a benchmark is looked at again depends on what the first one showed.
    """
    ratios = _by(sandboxed, "visits"), _by(plain, "visits")
    changes = [ratios[0][key][0] - ratios[1][key][0] for key in ratios[0].keys() & ratios[1].keys()]
    visits = [_per_visit(rows) for rows in (sandboxed, plain)]
    shared = sorted(visits[0].keys() & visits[1].keys())
    dearer = [visits[0][seed] / visits[1][seed] - 1 for seed in shared]
    off = [
        fmean(row["visits"][0] - ab.true_ratio(row["cost"]) for row in rows) for rows in (sandboxed, plain)
    ]
    return "\n".join(
        [
            f"ratio: changed by {_percent(changes)} in the mean of {len(changes)} benchmarks; off by {math.expm1(off[0]):+.2%} with, {math.expm1(off[1]):+.2%} without",
            f"time of a visit: {_percent(dearer)} more in the mean of {len(dearer)} tasks",
        ]
    )


def _by(rows: list[dict[str, Any]], field: str) -> dict[tuple[int, str], Any]:
    return {(row["seed"], row["id"]): row[field] for row in rows}


def _per_visit(rows: list[dict[str, Any]]) -> dict[int, float]:
    """Seconds of each task for each of its visits, by seed: a task that looks again more often takes longer."""
    seconds = {row["seed"]: row["seconds"] for row in rows}
    counts = {seed: sum(len(row["visits"]) for row in rows if row["seed"] == seed) for seed in seconds}
    return {seed: seconds[seed] / counts[seed] for seed in seconds}


def _percent(values: list[float]) -> str:
    error = 1.96 * stdev(values) / math.sqrt(len(values)) if len(values) > 1 else math.inf
    return f"{math.expm1(fmean(values)):+.2%} (95 %: ±{error:.2%})"


if __name__ == "__main__":
    raise SystemExit(main())
