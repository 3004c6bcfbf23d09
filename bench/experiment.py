"""Times a task as the station does, again and again, and keeps what came out in a file that later runs add to."""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import time
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Literal

from truelap.checks.timing import gather
from truelap.model import Base, Case
from truelap.policy import load_policy
from truelap.settings import Settings
from truelap.task import Task
from truelap.world.opening import open_world

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

RESULTS = Path(__file__).resolve().parent / "results"
BUSY = "while True: pass"
DECIDED = {"faster", "slower", "same"}


@dataclass(frozen=True)
class Project:
    """One side of a task, or both.

    Attributes:
        base: folder of the starting tree.
        candidate: folder of the other one.
        task: how it is run.
        python: its interpreter.
        bench: which of its benchmarks.
    """

    base: Path
    candidate: Path
    task: Task = field(default_factory=Task)
    python: Path = Path(sys.executable)
    bench: str | None = None


@dataclass(frozen=True)
class Way:
    """How workers run.

    Attributes:
        sandbox: which; none for plain processes.
        off: defences that are switched off.
    """

    sandbox: Literal["auto", "none"] = "auto"
    off: tuple[str, ...] = ()


@dataclass(frozen=True)
class Trial:
    """What one way of timing says of one task.

    Attributes:
        seconds: from trees to decisions.
        decisions: by benchmark; other than faster, slower and same where it comes to none.
    """

    seconds: float
    decisions: Mapping[str, str]


def options(what: str) -> argparse.ArgumentParser:
    """What a run of any of these commands can be told."""
    parser = argparse.ArgumentParser(description=what, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=3.0, help="begin no task after so long")
    parser.add_argument("--tasks", type=int, default=10_000, help="tasks at most")
    parser.add_argument("--seed", type=int, help="of the first task; by default one that no earlier run had")
    parser.add_argument("--neighbour", action="store_true", help="keep one process busy beside it")
    parser.add_argument("--suite", default="synthetic", choices=("synthetic", "param", "networkx"))
    parser.add_argument("--effort", default="standard", choices=("quick", "standard", "thorough"))
    parser.add_argument(
        "--slots",
        type=Path,
        help="folder of the locks by which measurements take turns; a new one waits for nobody",
    )
    parser.add_argument("--results", type=Path, default=RESULTS, help="folder of what earlier runs found")
    return parser


@contextmanager
def neighbour(*, wanted: bool) -> Iterator[None]:
    """Another process that computes all the time, if wanted."""
    with ExitStack() as stack:
        if wanted:
            busy = subprocess.Popen([sys.executable, "-I", "-c", BUSY])
            stack.callback(busy.wait)
            stack.callback(busy.kill)
        yield


def written(folder: Path, files: Mapping[str, str]) -> Path:
    """A folder with these files."""
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(content)
    return folder


def timed(project: Project, seed: int, told: argparse.Namespace, way: Way | None = None) -> dict[str, Any]:
    """The timing of one task: timing.json, and what it took."""
    way = way or Way()
    began = time.monotonic()
    with TemporaryDirectory() as work:
        settings = Settings(
            python=project.python,
            seed=seed,
            work=Path(work),
            effort=told.effort,
            bench=project.bench,
            slots=told.slots,
            sandbox=way.sandbox,
            unsafe=way.sandbox == "none",
        )
        with open_world(settings, project.base, ()) as world:
            trees = [world.store.import_directory(folder) for folder in (project.base, project.candidate)]
            base = Base(given="base", commit=None, tree=trees[0])
            case = Case(name="bench", base=base, candidate_tree=trees[1])
            evidence = gather(case, world, load_policy().without(way.off), project.task, settings)
    data: dict[str, Any] = evidence.artifacts()["timing.json"]
    return data | {"seconds": time.monotonic() - began}


class Book:
    """What was found, a line a benchmark, by this run and by earlier ones of the same policy.

    Args:
        path: of the file.
        told: the command line; what belongs together must have the same suite, effort and neighbour.
        also: what else must be the same.
    """

    def __init__(self, path: Path, told: argparse.Namespace, **also: str) -> None:
        self._path = path
        self._same = {
            "policy": load_policy().digest[:12],
            "protocol": "pairs-2",
            "suite": told.suite,
            "effort": told.effort,
            "neighbour": told.neighbour,
            **also,
        }
        path.parent.mkdir(parents=True, exist_ok=True)
        lines = path.read_text().splitlines() if path.is_file() else []
        found = [json.loads(line) for line in lines]
        self.rows = [row for row in found if self._same.items() <= row.items()]

    @property
    def next_seed(self) -> int:
        """One that no row has."""
        return 1 + max((row["seed"] for row in self.rows), default=0)

    def add(self, data: Mapping[str, Any], seed: int, costs: Mapping[str, float]) -> None:
        """Keep the benchmarks of one task that were measured.

        Args:
            data: timing.json.
            seed: of the task.
            costs: that were injected, by the last part of the benchmark's name.
        """
        common = {
            "seconds": round(data["seconds"], 2),
            "chance": data["control"]["chance"],
            "control": [round(ratio, 5) for ratio in data["control"]["log_ratios"]],
        }
        fresh = [
            {
                **common,
                "id": name,
                "cost": costs.get(name.rpartition("time_")[2], 0.0),
                "decision": found["decision"],
                "reason": found["reason"],
                "log_ratio": found["log_ratio"],
                "interval": found["interval"],
                "visits": [round(visit["log_ratio"], 5) for visit in found["visits"]],
            }
            for name, found in data["benchmarks"].items()
            if found["decision"] in DECIDED
        ]
        self.keep(fresh, seed)

    def keep(self, rows: list[dict[str, Any]], seed: int) -> None:
        """Write these down, with where and when."""
        common = {
            **self._same,
            "date": datetime.now(UTC).isoformat(timespec="seconds"),
            "machine": f"{platform.machine()}, {os.cpu_count()} cores, CPython {platform.python_version()}",
            "load": round(os.getloadavg()[0], 1),
            "seed": seed,
        }
        fresh = [{**common, **row} for row in rows]
        with self._path.open("a") as book:
            book.writelines(json.dumps(row) + "\n" for row in fresh)
        self.rows += fresh

    def place(self) -> str:
        """Where and when."""
        loads = [row["load"] for row in self.rows]
        dates = sorted(row["date"][:16] for row in self.rows)
        return (
            f"{self._same['suite']}, {self._same['effort']}, {'a busy neighbour' if self._same['neighbour'] else 'no neighbour of ours'}; "
            f"{dates[0]} to {dates[-1]}; {self.rows[-1]['machine']}; load {min(loads)} to {max(loads)}"
        )

    def conditions(self) -> str:
        """Where and when, and what it took."""
        tasks = {row["seed"]: row["seconds"] for row in self.rows}
        visits = sum(len(row["visits"]) for row in self.rows) / len(self.rows)
        return f"{self.place()}; {sum(tasks.values()) / len(tasks):.1f} s a task, {visits:.2f} visits a benchmark"


def repeat(told: argparse.Namespace, book: Book) -> Iterator[int]:
    """Seeds, until the time is over."""
    end = time.monotonic() + 60 * told.minutes
    first = book.next_seed if told.seed is None else told.seed
    for number in range(told.tasks):
        if time.monotonic() > end:
            return
        yield first + number
