"""Whether the same pair of releases gets the same verdicts again (`make bench-pairs`): real suites, each timed five times from other seeds.

networkx and param are those of `make demo-real`; xarray's suite comes with its source distribution and is large, so it is timed where it is named:
`make bench-pairs BENCH=xarray`. Every run adds to bench/results/pairs.jsonl. Ends with 1 where a benchmark whose effect is over 10 % came
out differently.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import sys
import time
from collections import defaultdict
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from statistics import median
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "examples")]

import real  # noqa: E402

LARGE = math.log1p(0.1)
WORK = HERE.parent / "demo-real-out"
CORE = "xarray/core"

XARRAY = real.Bed(
    name="xarray",
    old="2026.2.0",
    new="2026.4.0",
    takes=(f"{CORE}/dataset_utils.py", f"{CORE}/indexes.py", f"{CORE}/variable.py"),
    tests=0,
    needs=("numpy==2.3.5", "pandas==2.3.3", "packaging==25.0", "pytest==8.4.2"),
    outcome="accepted",
    failure_reason=None,
    speed="mixed",
)
BEDS = {bed.name: bed for bed in (*real.BEDS, XARRAY)}
XARRAY_TASK = '[task]\nname = "xarray"\n\n[benchmarks]\nconfig = "asv_bench/asv.conf.json"\n'


@dataclass(frozen=True)
class Found:
    """What one run said of each benchmark: its decision and log ratio; and the seconds that it took."""

    decisions: dict[str, tuple[str, float]]
    seconds: float


def timed(bed: real.Bed, base: Path, diff: Path, told: argparse.Namespace) -> Found:
    """One run, from a seed of its own."""
    out, task = base.parent / "out-time", base.parent / "task.toml"
    task.write_text(XARRAY_TASK if bed is XARRAY else (HERE.parent / f"examples/{bed.name}.toml").read_text())
    command = [sys.executable, "-m", "truelap", "time", base, "--base-dir", base, "--patch", diff]
    more = ["--task", task, "--python", real.environment(bed, WORK), "--out", out, "--no-cache", "--quiet"]
    narrowed = ["--bench", told.bench] if told.bench else []
    began = time.monotonic()
    real.run(*command, *more, *narrowed, ok=(0, 1, 3))
    seconds = time.monotonic() - began
    timing: dict[str, Any] = json.loads((out / "timing.json").read_text())
    return Found(
        {
            name: (one["decision"], one["log_ratio"])
            for name, one in timing["benchmarks"].items()
            if one["log_ratio"] is not None
        },
        seconds,
    )


def summary(runs: list[dict[str, tuple[str, float]]]) -> tuple[str, bool]:
    """What the runs agree on, and whether they do so wherever the effect is large."""
    found: dict[str, list[tuple[str, float]]] = defaultdict(list)
    for run in runs:
        for name, one in run.items():
            found[name].append(one)
    large = {name: seen for name, seen in found.items() if abs(median(ratio for _, ratio in seen)) > LARGE}
    odd = {name: seen for name, seen in large.items() if len({decision for decision, _ in seen}) > 1}
    odd |= {name: seen for name, seen in large.items() if len(seen) < len(runs)}
    every = sum(len({decision for decision, _ in seen}) == 1 for seen in found.values())
    agreed = f"{every} of {len(found)} benchmarks, {len(large) - len(odd)} of {len(large)} of those with an effect over 10 %"
    lines = [f"{len(runs)} runs: the same decision each time for {agreed}"]
    lines += [
        f"  {name}: {', '.join(f'{decision} {math.exp(ratio):.2f}x' for decision, ratio in seen)}"
        for name, seen in odd.items()
    ]
    return "\n".join(lines), not odd


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("beds", nargs="*", metavar="PAIR", choices=[*BEDS, []], help=", ".join(BEDS))
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--bench", help="time only benchmarks whose id holds this")
    parser.add_argument("--results", type=Path, default=HERE / "results", help="folder of what runs found")
    told = parser.parse_args()
    told.results.mkdir(parents=True, exist_ok=True)
    good = True
    for bed in (BEDS[name] for name in told.beds or ("networkx", "param")):
        base, diff = real.make(bed, WORK)
        runs = []
        for number in range(told.runs):
            found = timed(bed, base, diff, told)
            runs.append(found.decisions)
            row = {
                "date": datetime.now(UTC).isoformat(timespec="seconds"),
                "load": round(os.getloadavg()[0], 1),
                "pair": f"{bed.name} {bed.old} {bed.new}",
                "seconds": round(found.seconds, 1),
                "decisions": found.decisions,
            }
            with (told.results / "pairs.jsonl").open("a") as book:
                book.write(json.dumps(row) + "\n")
            print(f"{bed.name}: run {number + 1} of {told.runs}, {found.seconds:.0f} s", file=sys.stderr)
        text, agreed = summary(runs)
        print(f"{bed.name} {bed.old} -> {bed.new}, load {os.getloadavg()[0]:.1f}: {text}")
        good = good and agreed
    return 0 if good else 1


if __name__ == "__main__":
    raise SystemExit(main())
