"""What is seen of costs that are known (`make bench-ab`): 0 to 50 %, added to the candidate or to base, by the whole protocol.

Each benchmark is a number of equal units, and one side makes so many more of them, so the true ratio is exact. Every task has each cost with both
signs. Every run adds to bench/results/ab.jsonl; what is printed is of all runs with the same policy and options together.
"""

from __future__ import annotations

import math
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE)]

import bundle  # noqa: E402
import experiment  # noqa: E402

COSTS = (0.0, 0.03, 0.05, 0.07, 0.10, 0.20, 0.50)


def project(
    seed: int, folder: Path, shares: tuple[float, ...] = COSTS
) -> tuple[experiment.Project, dict[str, float]]:
    """A task, and the signed costs of its benchmarks; a cost below zero is base's."""
    costs = bundle.injected(shares, seed)
    sides = {
        "base": {name: max(0.0, -cost) for name, cost in costs.items()},
        "candidate": {name: max(0.0, cost) for name, cost in costs.items()},
    }
    made = [experiment.written(folder / side, bundle.files(added)) for side, added in sides.items()]
    return experiment.Project(*made), costs


def true_ratio(cost: float) -> float:
    """The log ratio that a signed cost makes."""
    return math.copysign(math.log1p(abs(cost)), -cost) if cost else 0.0


def row_of(cost: float, rows: list[dict[str, Any]]) -> str:
    """One line: power, bias and coverage."""
    true = true_ratio(cost)
    wanted = "same" if not cost else "slower" if cost > 0 else "faster"
    right = [row for row in rows if row["decision"] == wanted]
    wrong = [row for row in rows if row["decision"] not in {wanted, "same"}]
    visits = sum(len(row["visits"]) for row in rows) / len(rows)
    return (
        f"{cost:+7.0%} {len(rows):5d} {len(right) / len(rows):8.1%} {len(wrong):6d}"
        f" {bias(rows, true):+8.2%} {bias(right, true):+8.2%} {coverage(rows, true):9.1%} {coverage(right, true):9.1%} {visits:7.2f}"
    )


def bias(rows: list[dict[str, Any]], true: float) -> float:
    """How far the reported ratio is off in the mean."""
    return math.expm1(sum(row["log_ratio"] - true for row in rows) / len(rows)) if rows else 0.0


def coverage(rows: list[dict[str, Any]], true: float) -> float:
    """Share of intervals that hold the true ratio."""
    return sum(row["interval"][0] <= true <= row["interval"][1] for row in rows) / max(1, len(rows))


def summary(book: experiment.Book) -> str:
    """A table, a line a cost; where it is zero, `right` means that nothing was called changed."""
    costs = sorted({row["cost"] for row in book.rows})
    lines = [row_of(cost, [row for row in book.rows if row["cost"] == cost]) for cost in costs]
    real = [row for row in book.rows if row["cost"]]
    truths = [row["interval"][0] <= true_ratio(row["cost"]) <= row["interval"][1] for row in book.rows]
    sure = [one for one, row in zip(truths, book.rows, strict=True) if row["decision"] != "same"]
    head = "   cost     n    right  wrong  bias     of right  interval  of right  visits"
    return "\n".join(
        [
            book.conditions(),
            head,
            *lines,
            f"intervals hold the truth: {sum(truths) / len(truths):.1%} of all, {sum(sure) / max(1, len(sure)):.1%} of what is called changed ({len(sure)} of {len(real)})",
        ]
    )


def main() -> int:
    told = experiment.options(__doc__ or "").parse_args()
    if told.suite != "synthetic":
        raise SystemExit("costs can be added to the synthetic suite alone")
    book = experiment.Book(told.results / "ab.jsonl", told)
    with experiment.neighbour(wanted=told.neighbour):
        for seed in experiment.repeat(told, book):
            with TemporaryDirectory() as folder:
                made, costs = project(seed, Path(folder))
                book.add(experiment.timed(made, seed, told), seed, costs)
            print(".", end="", flush=True, file=sys.stderr)
    print(f"\n{summary(book)}" if book.rows else "nothing was measured")
    return 0 if book.rows else 1


if __name__ == "__main__":
    raise SystemExit(main())
