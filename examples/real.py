"""Verify two real release pairs, made at run time from their source distributions (`make demo-real`).

Each bed is an old release with a small ASV suite of ours put beside it, and a diff that holds part of the new one.
What is downloaded and made stays in one work folder, so a second run needs no network. It ends with 0 when every verdict
is the expected one, 1 when one is not, 2 when a bed could not be made.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tarfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

HERE = Path(__file__).resolve().parent
MAX_SECONDS = 300


@dataclass(frozen=True)
class Bed:
    """One release pair and what its verdict must say.

    Attributes:
        takes: paths of the new release that the submission holds.
        tests: how many tests must pass at base at least.
        needs: requirements of the project's tests.
        faster: end of a benchmark's id -> the least speed-up that it must show.
        regressed: parts of the ids of all tests that must come out as regressed, and of no others.
    """

    name: str
    old: str
    new: str
    takes: tuple[str, ...]
    tests: int
    needs: tuple[str, ...]
    outcome: str
    failure_reason: str | None
    speed: str
    faster: dict[str, float] = field(default_factory=dict)
    regressed: tuple[str, ...] = ()


BEDS = (
    Bed(
        name="networkx",
        old="3.5",
        new="3.6",
        takes=("networkx/algorithms/shortest_paths/weighted.py",),
        tests=40,
        needs=("pytest==8.4.2",),
        outcome="accepted",
        failure_reason=None,
        speed="faster",
        faster={"LongPath.time_dijkstra_path": 3.0, "LongPath.time_bidirectional_dijkstra": 2.0},
    ),
    Bed(
        name="param",
        old="2.3.3",
        new="2.4.0",
        takes=("param", "numbergen", "tests"),
        tests=1000,
        needs=("pytest==8.4.2", "pytest-asyncio==1.5.0"),
        outcome="rejected",
        failure_reason="tests_regressed",
        speed="mixed",
        faster={"Make.time_parameter": 5.0, "Make.time_selector": 2.0},
        regressed=(
            "test_no_blocklist_imports",
            "test_signature_parameters_constructors_overloaded",
            # Passed by plain pytest, but what they compare is not what it was: HookList has a slot less, objects are a dict
            # and no OrderedDict, two signatures have other kinds of parameters and one more parameter, and the sentinel
            # Undefined, which reactive expressions start with and parameters carry, is of another type.
            "_HookList",
            "test_copy_objects_dict",
            "test_signature_parameters_constructors_updated",
            "test_signature_position_keywords",
            "test_reactive_async_",
            "test_reactive_gen",
            "test_guess_param_types",
            "test_reactive_pipe_async_func",
        ),
    ),
)


def run(*argv: str | Path, cwd: Path | None = None, ok: tuple[int, ...] = (0,)) -> bytes:
    """Run a program and give its stdout; a failure ends everything with its last words."""
    environment = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    done = subprocess.run([str(a) for a in argv], cwd=cwd, env=environment, capture_output=True, check=False)
    if done.returncode not in ok:
        sys.stderr.write(
            f"{' '.join(str(a) for a in argv)}\n{done.stderr.decode(errors='replace')[-2000:]}\n"
        )
        raise SystemExit(2)
    return done.stdout


def source(name: str, version: str, work: Path) -> Path:
    """The unpacked source distribution of a release."""
    folder = work / "sources" / f"{name}-{version}"
    if folder.is_dir():
        return folder
    downloads = work / "downloads" / f"{name}-{version}"
    if not any(downloads.glob("*.tar.gz")):
        pip = (sys.executable, "-m", "pip", "download", "--quiet", "--no-binary", ":all:", "--no-deps")
        run(*pip, "--dest", downloads, f"{name}=={version}")
    fresh = work / "sources" / f".{name}-{version}"
    shutil.rmtree(fresh, ignore_errors=True)
    # Archive and folder spell the name with "-" or "_", as the tool that packed them does (PEP 625).
    with tarfile.open(next(downloads.glob("*.tar.gz"))) as unpacked:
        unpacked.extractall(fresh, filter="data")
    next(fresh.iterdir()).rename(folder)
    fresh.rmdir()
    return folder


def environment(bed: Bed, work: Path) -> Path:
    """The interpreter of a virtual environment with what the project's tests need, and nothing of the project."""
    return interpreter(bed.name, bed.needs, work)


def interpreter(name: str, needs: tuple[str, ...], work: Path) -> Path:
    """The interpreter of a virtual environment that holds these requirements, made when it is first asked for."""
    python = work / f"venv-{name}" / "bin" / "python"
    ready = work / f"venv-{name}" / ".ready"
    wanted = "\n".join(needs)
    if not ready.is_file() or ready.read_text() != wanted:
        run(sys.executable, "-m", "venv", "--clear", python.parent.parent)
        run(python, "-m", "pip", "install", "--quiet", *needs)
        ready.write_text(wanted)
    return python


def make(bed: Bed, work: Path) -> tuple[Path, Path]:
    """The base folder and the submission's diff."""
    folder = work / bed.name
    shutil.rmtree(folder, ignore_errors=True)
    base, changed = folder / "a", folder / "b"
    shutil.copytree(source(bed.name, bed.old, work), base)
    suite = HERE / f"{bed.name}_suite"
    if suite.is_dir():
        shutil.copytree(suite, base, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(base, changed)
    new = source(bed.name, bed.new, work)
    for path in bed.takes:
        if (new / path).is_dir():
            shutil.rmtree(changed / path)
            shutil.copytree(new / path, changed / path)
        else:
            shutil.copyfile(new / path, changed / path)
    diff = folder / "submission.diff"
    options = ("--no-index", "--binary", "--no-renames", "--no-color", "--no-ext-diff", "--no-prefix")
    diff.write_bytes(run("git", "diff", *options, "a", "b", cwd=folder, ok=(1,)))
    shutil.rmtree(changed)
    return base, diff


def verify(bed: Bed, base: Path, diff: Path, python: Path) -> tuple[dict[str, Any], dict[str, Any], float]:
    """The verdict, the timing of each benchmark, and how long the verification took in seconds."""
    out = base.parent / "out"
    started = time.monotonic()
    command = (sys.executable, "-m", "truelap", "verify", base, "--base-dir", base, "--patch", diff)
    run(
        *command,
        "--task",
        HERE / f"{bed.name}.toml",
        "--python",
        python,
        "--out",
        out,
        "--quiet",
        ok=(0, 1, 3),
    )
    seconds = time.monotonic() - started
    verdict = json.loads((out / "verdict.json").read_text())
    timing = out / "timing.json"
    return verdict, json.loads(timing.read_text())["benchmarks"] if timing.is_file() else {}, seconds


@dataclass(frozen=True)
class Line:
    """One thing that a verdict must show."""

    what: str
    expected: str
    found: str
    right: bool


def same(what: str, expected: str, found: str) -> Line:
    """A line that is right when both texts are equal."""
    return Line(what, expected, found, expected == found)


def judged(bed: Bed, verdict: dict[str, Any], timings: dict[str, Any], seconds: float) -> list[Line]:
    """Everything that the bed expects, beside what came out."""
    regressed = tuple(verdict["tests"].get("regressed", ()))
    tampers = [finding["code"] for finding in verdict["findings"] if finding["code"].startswith("tamper")]
    passing = verdict["tests"].get("n_base_pass", 0)
    odd = [name for name in regressed if not any(part in name for part in bed.regressed)]
    absent = [part for part in bed.regressed if not any(part in name for name in regressed)]
    lines = [
        same("outcome", bed.outcome, verdict["outcome"]),
        same("failure reason", str(bed.failure_reason), str(verdict["failure_reason"])),
        same("speed", bed.speed, verdict["speed"]),
        same("called tamper", "none", ", ".join(tampers) or "none"),
        Line("tests passing at base", f">= {bed.tests}", str(passing), passing >= bed.tests),
        Line(
            "regressed",
            "\n".join(bed.regressed) or "none",
            "\n".join(regressed) or "none",
            not odd and not absent,
        ),
        Line("seconds", f"< {MAX_SECONDS}", f"{seconds:.0f}", seconds < MAX_SECONDS),
    ]
    for part, least in bed.faster.items():
        found = min(
            (case["speedup"] or 0.0 for name, case in timings.items() if name.endswith(part)), default=0.0
        )
        lines.append(Line(part, f"> {least:g}x", f"{found:.2f}x", found > least))
    return lines


def show(bed: Bed, lines: list[Line], timings: dict[str, Any], console: Console) -> None:
    """Two tables: expectations, and every benchmark."""
    table = Table(
        "what",
        "expected",
        "came out",
        "",
        title=f"{bed.name} {bed.old}, with {', '.join(bed.takes)} of {bed.new}",
    )
    for line in lines:
        table.add_row(line.what, line.expected, line.found, "" if line.right else "NOT as expected")
    console.print(table)
    speeds = Table("benchmark", "speed-up", "decision", "why not more")
    for name, found in sorted(timings.items(), key=lambda pair: -(pair[1]["speedup"] or 0.0)):
        speeds.add_row(name, f"{found['speedup'] or 0.0:.2f}x", found["decision"], found["reason"] or "")
    console.print(speeds)


def main() -> int:
    """Make and verify the beds that are named, or both."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("beds", nargs="*", metavar="BED", help="networkx, param (both when none is named)")
    parser.add_argument(
        "--work", type=Path, default=HERE.parent / "demo-real-out", help="folder for downloads and results"
    )
    chosen = parser.parse_args()
    console = Console()
    if not console.is_terminal:
        console.width = max(console.width, 140)
    good = True
    for bed in BEDS:
        if chosen.beds and bed.name not in chosen.beds:
            continue
        console.print(f"{bed.name}: fetching and making the base and the diff")
        base, diff = make(bed, chosen.work)
        python = environment(bed, chosen.work)
        console.print(f"{bed.name}: verifying")
        verdict, timings, seconds = verify(bed, base, diff, python)
        lines = judged(bed, verdict, timings, seconds)
        show(bed, lines, timings, console)
        good = good and all(line.right for line in lines)
    console.print("All as expected." if good else "NOT all as expected.")
    return 0 if good else 1


if __name__ == "__main__":
    raise SystemExit(main())
