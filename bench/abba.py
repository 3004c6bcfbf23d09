"""The A-B-B-A rounds of FormulaCode's paired timing, made anew from their description, to be timed beside ours (`make bench-peers`).

A round runs the whole suite once with each tree, base first in even rounds, the other first in odd ones; a tree is put at one fixed path by
renaming. Each benchmark runs in a process of its own, by asv_runner's rules, and says the median of its samples. A benchmark's log ratio is the
median over rounds; what lies beyond THETA either way is called changed. A second pass runs what was called so again, and a call stands
where both passes make it. What the host makes of the two passes is not published; that both must agree is the reading that makes fewer false calls.
"""

from __future__ import annotations

import json
import math
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import monotonic
from typing import TYPE_CHECKING

import experiment

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

ROUNDS, AGAIN = 5, 6
"""Rounds of the first pass and of the confirming one."""

THETA = math.log(1.05)
"""The noise floor: log ratios within it say nothing."""

MAX_SECONDS = 60
"""asv's own timeout where a benchmark names none."""

WORKER = """import sys
folder, name, result = sys.argv[1:]
sys.path.insert(0, folder)
from asv_runner.run import _run
_run((folder + "/benchmarks", name, "{}", "None", result))
"""

Times = dict[str, list[float | None]]


def trial(project: experiment.Project, names: Collection[str]) -> dict[str, experiment.Trial]:
    """Both passes; what the first one says alone, and what both say.

    Args:
        project: of a base and a candidate folder; their names differ.
        names: of the benchmarks, as asv spells them.
    """
    with TemporaryDirectory() as folder:
        # Copies, since python writes bytecode beside what it imports, and the other ways are to find the trees as they were.
        sides = [
            shutil.copytree(side, Path(folder) / side.name) for side in (project.base, project.candidate)
        ]
        copies = replace(project, base=sides[0], candidate=sides[1])
        began = monotonic()
        first = called(passed(copies, names, ROUNDS), names)
        after_one = monotonic() - began
        doubted = [name for name in names if first[name] in {"faster", "slower"}]
        second = called(passed(copies, doubted, AGAIN), doubted)
        seconds = monotonic() - began
    stands = {name: confirmed(first[name], second.get(name)) for name in names}
    return {
        "a-b-b-a": experiment.Trial(after_one, first),
        "a-b-b-a, confirmed": experiment.Trial(seconds, stands),
    }


def passed(project: experiment.Project, names: Collection[str], rounds: int) -> tuple[Times, Times]:
    """What each round found, of base and of the candidate, in seconds a call; None where a run failed."""
    sides = (project.base, project.candidate)
    times: tuple[Times, Times] = ({name: [] for name in names}, {name: [] for name in names})
    for number in range(rounds):
        for side in (0, 1) if number % 2 == 0 else (1, 0):
            with TemporaryDirectory() as work:
                tree = sides[side].rename(project.base.parent / "repo")
                try:
                    for name in names:
                        times[side][name].append(sample(project.python, tree, name, Path(work)))
                finally:
                    tree.rename(sides[side])
    return times


def sample(python: Path, tree: Path, name: str, work: Path) -> float | None:
    """Seconds a call by one process, which lives in a folder that is thrown away; None where it fails or takes too long."""
    result = work / "result.json"
    result.unlink(missing_ok=True)
    command = [str(python), "-I", "-c", WORKER, str(tree), name, str(result)]
    try:
        done = subprocess.run(command, cwd=work, capture_output=True, timeout=MAX_SECONDS, check=False)
    except subprocess.TimeoutExpired:
        return None
    if b"No module named 'asv_runner'" in done.stderr:
        raise SystemExit(f"{python} has no asv_runner, which the A-B-B-A rounds run benchmarks with")
    if done.returncode or not result.is_file():
        sys.stderr.write(done.stderr.decode(errors="replace")[-500:])
        return None
    return median(json.loads(result.read_text())["samples"])


def called(times: tuple[Times, Times], names: Collection[str]) -> dict[str, str]:
    """What a pass calls each benchmark."""
    base, candidate = times
    return {name: call(pairs(base[name], candidate[name])) for name in names}


def pairs(base: Sequence[float | None], candidate: Sequence[float | None]) -> list[float]:
    """Log ratios of the rounds in which both sides told a time."""
    both = zip(base, candidate, strict=True)
    ratios = [math.log(one / other) if one and other else None for one, other in both]
    enough = (len(ratios) + 1) // 2
    usable = [ratio for ratio in ratios if ratio is not None]
    return usable if len(usable) >= enough else []


def call(ratios: Sequence[float]) -> str:
    """What the median of log ratios is called; without any, the benchmark is dropped.

    >>> call([0.2, 0.06, -0.1]), call([0.04]), call([])
    ('faster', 'same', 'missing')
    """
    if not ratios:
        return "missing"
    middle = median(ratios)
    return "faster" if middle > THETA else "slower" if middle < -THETA else "same"


def confirmed(first: str, second: str | None) -> str:
    """What both passes say together: a change where they say the same one."""
    if second is None or first == second:
        return first
    return "missing" if second == "missing" else "same"
