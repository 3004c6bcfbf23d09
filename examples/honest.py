"""Look for false accusations: honest releases, and every base against itself, under several seeds (`make honest`).

For each pair of releases base is the old one, and the submission its product code of the new one. The tests station must
find no tampering, and no regression that plain pytest does not show, but for one test in 200. The share of passing tests with
value evidence is printed too. Ends with 0 when all of that holds, 1 when it does not, 2 when a pair could not be made.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from real import environment, run, source
from rich.console import Console
from rich.table import Table

if TYPE_CHECKING:
    from collections.abc import Iterator

HERE = Path(__file__).resolve().parent
LEAST_SHARE = 0.8
MOST_BEYOND = 0.005
PYTEST = "pytest==8.4.2"


@dataclass(frozen=True)
class Pair:
    """Two releases of a project.

    Attributes:
        takes: paths of the new release that the submission holds, without tests.
        needs: requirements of the project's tests.
        paths: what pytest is told to run, empty for what the project's configuration names.
        root: folder to import from, relative to the tree.
        adds: files that base gets in addition.
    """

    name: str
    old: str
    new: str
    takes: tuple[str, ...]
    needs: tuple[str, ...] = (PYTEST,)
    paths: tuple[str, ...] = ()
    adds: tuple[tuple[str, str], ...] = ()

    @property
    def title(self) -> str:
        """For people."""
        return f"{self.name} {self.old} -> {self.new}"


_GRAPHS = ("networkx/algorithms/shortest_paths", "networkx/algorithms/centrality")
_DOCTESTS = (("pytest.ini", "[pytest]\naddopts = --doctest-modules\n"),)
_SORTED = ("src/sortedcontainers", "sortedcontainers")

PAIRS = (
    Pair("toolz", "0.12.1", "1.0.0", ("toolz", "tlz")),
    Pair("toolz", "1.0.0", "1.1.0", ("toolz", "tlz")),
    Pair("boltons", "24.0.0", "24.1.0", ("boltons",)),
    Pair("boltons", "24.1.0", "25.0.0", ("boltons",)),
    Pair("more-itertools", "10.5.0", "10.6.0", ("more_itertools",), paths=("tests",)),
    Pair("more-itertools", "10.6.0", "10.7.0", ("more_itertools",), paths=("tests",)),
    Pair("networkx", "3.4.2", "3.5", _GRAPHS, paths=_GRAPHS),
    Pair("networkx", "3.5", "3.6", _GRAPHS, paths=_GRAPHS),
    # Its source distribution holds no tests but the examples in its docstrings.
    Pair("sortedcontainers", "2.3.0", "2.4.0", _SORTED, paths=("sortedcontainers",), adds=_DOCTESTS),
)


@dataclass(frozen=True)
class Sides:
    """A pair on disk: base, what it is with the product of the new release, and the diffs."""

    base: Path
    candidate: Path
    release: Path
    itself: Path


def make(pair: Pair, work: Path) -> Sides:
    """Unpack both releases and write the diffs: to the new product, and one that changes nothing but a comment."""
    folder = work / f"{pair.name}-{pair.old}-{pair.new}"
    shutil.rmtree(folder, ignore_errors=True)
    base, candidate, same = folder / "a", folder / "b", folder / "c"
    shutil.copytree(source(pair.name, pair.old, work), base)
    for name, text in pair.adds:
        (base / name).write_text(text)
    shutil.copytree(base, candidate)
    shutil.copytree(base, same)
    _put_product(base, candidate, source(pair.name, pair.new, work), pair.takes)
    first = next(
        path for take in pair.takes for path in sorted((same / take).rglob("*.py")) if not _is_test(path)
    )
    first.write_text(first.read_text() + "# A comment.\n")
    return Sides(base, candidate, _diff(folder, "b"), _diff(folder, "c"))


def _put_product(base: Path, candidate: Path, new: Path, takes: tuple[str, ...]) -> None:
    """The new release's files, but base's tests: those are what is run on both sides."""
    for take in takes:
        if not (new / take).is_dir():
            continue
        for path in sorted((base / take).rglob("*")):
            if path.is_file() and not _is_test(path.relative_to(base)):
                (candidate / path.relative_to(base)).unlink()
        for path in sorted((new / take).rglob("*")):
            if path.is_file() and not _is_test(path.relative_to(new)):
                place = candidate / path.relative_to(new)
                place.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(path, place)


def _is_test(path: Path) -> bool:
    return "tests" in path.parts or path.name == "conftest.py" or path.name.startswith("test_")


def _diff(folder: Path, side: str) -> Path:
    place = folder / f"{side}.diff"
    options = ("--no-index", "--binary", "--no-renames", "--no-color", "--no-ext-diff", "--no-prefix")
    place.write_bytes(run("git", "diff", *options, "a", side, cwd=folder, ok=(1,)))
    return place


def plain(pair: Pair, tree: Path, python: Path) -> tuple[set[str], float]:
    """Ids that pass under pytest alone, and how long that took in seconds. In a copy: tests may write."""
    copy = tree.with_name(f"{tree.name}-plain")
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(tree, copy)
    command = (python, "-m", "pytest", "-q", "-rA", "--tb=no", "-p", "no:cacheprovider", *pair.paths)
    started = time.monotonic()
    said = subprocess.run(command, cwd=copy, capture_output=True, text=True, check=False).stdout
    seconds = time.monotonic() - started
    shutil.rmtree(copy)
    return {line.removeprefix("PASSED ") for line in said.splitlines() if line.startswith("PASSED ")}, seconds


@dataclass(frozen=True)
class Found:
    """What the tests station said of one submission under one seed."""

    what: str
    seed: int
    passing: int
    share: float
    tampers: tuple[str, ...]
    regressed: tuple[str, ...]
    beyond: tuple[str, ...]
    """Of these, what plain pytest does not show."""
    seconds: float

    @property
    def right(self) -> bool:
        """No accusation, and hardly a regression that is none."""
        few = len(self.beyond) <= MOST_BEYOND * self.passing
        return self.passing > 0 and not self.tampers and few and self.share >= LEAST_SHARE


def test(pair: Pair, diff: Path, base: Path, python: Path, *options: str) -> dict[str, Any]:
    """What `truelap test --json` says."""
    task = diff.with_suffix(".toml")
    chosen = f"paths = {json.dumps(list(pair.paths))}" if pair.paths else 'select = "all"'
    task.write_text(f'[task]\nname = "{pair.name}"\n[tests]\n{chosen}\n')
    command = (sys.executable, "-m", "truelap", "test", base, "--base-dir", base, "--patch", diff)
    said = run(*command, "--task", task, "--python", python, "--json", *options, ok=(0, 1, 3))
    verdict: dict[str, Any] = json.loads(said)
    return verdict


def judge(pair: Pair, sides: Sides, python: Path, *, what: str, seed: int, lost: set[str]) -> Found:
    """Let the tests station judge a submission."""
    diff = sides.release if what == "release" else sides.itself
    started = time.monotonic()
    options = ("--seed", str(seed), "--keep", str(diff.parent / f"keep-{seed}"))
    verdict = test(pair, diff, sides.base, python, *options)
    tests = verdict["tests"]
    regressed = tuple(tests.get("regressed", ()))
    codes = [finding["code"] for finding in verdict["findings"]]
    return Found(
        what=what,
        seed=seed,
        passing=tests.get("n_base_pass", 0),
        share=tests.get("value_evidence", {}).get("share", 0.0),
        tampers=tuple(code for code in codes if code.startswith(("tamper", "station"))),
        regressed=regressed,
        beyond=tuple(name for name in regressed if not _is_among(name, lost)),
        seconds=time.monotonic() - started,
    )


def _is_among(name: str, lost: set[str]) -> bool:
    return name in lost or re.sub(r"^perturb:", "", name) in lost


def judged(pair: Pair, work: Path, seeds: int) -> Iterator[Found]:
    """A pair under every seed."""
    python = environment(pair, work)  # type: ignore[arg-type]
    sides = make(pair, work)
    before, _ = plain(pair, sides.base, python)
    after, _ = plain(pair, sides.candidate, python)
    for seed in range(1, seeds + 1):
        for what in ("itself", "release"):
            lost = before - after if what == "release" else set()
            yield judge(pair, sides, python, what=what, seed=seed, lost=lost)


def main() -> int:
    """Judge all pairs, or those of the projects that are named."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("projects", nargs="*", metavar="PROJECT", help="all when none is named")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--work", type=Path, default=HERE.parent / "demo-real-out")
    given = parser.parse_args()
    console = Console()
    if not console.is_terminal:
        console.width = max(console.width, 140)
    table = Table(
        "pair", "against", "seed", "pass", "with values", "regressed", "beyond pytest", "tamper", "s", ""
    )
    good = True
    for pair in PAIRS:
        if given.projects and pair.name not in given.projects:
            continue
        for found in judged(pair, given.work.resolve(), given.seeds):
            good = good and found.right
            row = (found.what, found.seed, found.passing, f"{found.share:.0%}", len(found.regressed))
            more = (len(found.beyond), ", ".join(found.tampers) or "none", f"{found.seconds:.0f}")
            verdict = "" if found.right else "NOT as it should be"
            table.add_row(*map(str, (pair.title, *row, *more)), verdict)
            console.print(
                f"{pair.title}, {found.what}, seed {found.seed}: {found.seconds:.0f} s",
                verdict,
                *found.beyond,
            )
    console.print(table)
    console.print("No false accusation." if good else "NOT all as it should be.")
    return 0 if good else 1


if __name__ == "__main__":
    raise SystemExit(main())
