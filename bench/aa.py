"""How often what did not change is called changed (`make bench-aa`): a tree against itself, by the whole protocol.

Every run adds to bench/results/aa.jsonl; what is printed is of all runs with the same policy and options together. `make bench-aa
BENCH="--minutes 30 --neighbour"` runs longer, and beside a busy process.
"""

from __future__ import annotations

import math
import shutil
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "examples")]

import bounds  # noqa: E402
import bundle  # noqa: E402
import experiment  # noqa: E402
import real  # noqa: E402

from truelap.policy import load_policy  # noqa: E402
from truelap.task import load_task  # noqa: E402

EDGE = math.log1p(load_policy().time.margin)


def project(suite: str, folder: Path) -> experiment.Project:
    """The same tree twice: of the made-up library, or an old release with the suite of the examples beside it."""
    if suite == "synthetic":
        base = experiment.written(folder / "base", bundle.files({}))
        return experiment.Project(base, base)
    bed, work = next(bed for bed in real.BEDS if bed.name == suite), HERE.parent / "demo-real-out"
    base = folder / "base"
    shutil.copytree(real.source(bed.name, bed.old, work), base)
    shutil.copytree(HERE.parent / "examples" / f"{suite}_suite", base, dirs_exist_ok=True)
    task = load_task(HERE.parent / "examples" / f"{suite}.toml")
    return experiment.Project(base, base, task, real.environment(bed, work))


def summary(book: experiment.Book) -> str:
    """Confirmed false changes, per benchmark and per task."""
    rows = book.rows
    wrong = [row for row in rows if row["decision"] != "same"]
    tasks, bad = {row["seed"] for row in rows}, {row["seed"] for row in wrong}
    first = [row for row in rows if len(row["visits"]) == 1]
    control = [ratio for row in {row["seed"]: row for row in rows}.values() for ratio in row["control"]]
    noisy = sum(row["chance"] is None for row in {row["seed"]: row for row in rows}.values())
    beyond = sum(abs(row["visits"][0]) > EDGE for row in rows)
    lines = [
        book.conditions(),
        f"false changes: {line(len(wrong), len(rows))} of benchmarks, {line(len(bad), len(tasks))} of tasks",
        f"first visits beyond the margin: {line(beyond, len(rows))}; done after the first pass: {len(first) / len(rows):.1%}",
        f"base beside itself: {len(control)} visits, {sum(abs(ratio) > EDGE for ratio in control)} beyond the margin; too noisy: {noisy} tasks",
        *(f"  {row['id']}, seed {row['seed']}: {row['decision']} {row['visits']}" for row in wrong),
    ]
    return "\n".join(lines)


def line(hits: int, count: int) -> str:
    """A share with its upper bound."""
    return f"{hits} of {count} ({hits / count:.2%}, 95 % bound {bounds.upper(hits, count):.2%})"


def main() -> int:
    told = experiment.options(__doc__ or "").parse_args()
    book = experiment.Book(told.results / "aa.jsonl", told)
    with TemporaryDirectory() as folder, experiment.neighbour(wanted=told.neighbour):
        made = project(told.suite, Path(folder))
        for seed in experiment.repeat(told, book):
            book.add(experiment.timed(made, seed, told), seed, {})
            print(".", end="", flush=True, file=sys.stderr)
    print(f"\n{summary(book)}" if book.rows else "nothing was measured")
    return 0 if book.rows else 1


if __name__ == "__main__":
    raise SystemExit(main())
