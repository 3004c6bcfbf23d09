"""`asv continuous`, the real one, in an environment of its own, to be timed beside ours (`make bench-peers`)."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "examples")]

import experiment  # noqa: E402
import real  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

ASV = "asv==0.6.6"

INSTALL = "in-dir={build_dir} python -c \"import shutil, sysconfig; shutil.copy('lib.py', sysconfig.get_path('purelib'))\""
"""The made-up library is one file: to copy it is the cheapest way to install it."""

CONFIG = {
    "version": 1,
    "project": "lib",
    "repo": ".",
    "branches": ["main"],
    "env_dir": ".asv/env",
    "results_dir": ".asv/results",
    "environment_type": "virtualenv",
    "build_command": [],
    "install_command": [INSTALL],
    "uninstall_command": [],
}

MARKS = {"-": "faster", "+": "slower"}


class Continuous:
    """A repository that takes trees as commits, and the environment that asv makes for it. To make both is no part of a trial.

    Args:
        folder: an empty one.
    """

    def __init__(self, folder: Path) -> None:
        self._project = folder / "project"
        self._home = folder / "home"
        for made in (self._project, self._home):
            made.mkdir()
        python = real.interpreter("asv", (ASV,), HERE.parent / "demo-real-out")
        self._asv = python.parent / "asv"
        real.run("git", "init", "--quiet", "--initial-branch=main", cwd=self._project)
        self._commit(experiment.written(folder / "empty", {"lib.py": ""}))
        self._run("machine", "--yes")
        self._run("setup", ok=(0, 1))
        if not any(self._project.glob(".asv/env/*/bin/python")):
            raise SystemExit("asv made no environment; `asv setup` needs virtualenv and the registry")

    def trial(self, project: experiment.Project, names: Collection[str]) -> dict[str, experiment.Trial]:
        """One `asv continuous` of base and candidate, as it comes.

        Args:
            project: of the made-up library.
            names: of the benchmarks, as asv spells them.
        """
        commits = [self._commit(folder) for folder in (project.base, project.candidate)]
        began = monotonic()
        said = self._run("continuous", *commits, ok=(0, 1))
        seconds = monotonic() - began
        if "SIGNIFICANTLY" not in said:
            raise SystemExit(f"asv continuous came to no end:\n{said[-2000:]}")
        told = set.intersection(*(self._measured(commit) for commit in commits))
        changed = changes(said)
        return {
            "asv continuous": experiment.Trial(
                seconds, {name: changed.get(name, "same") if name in told else "missing" for name in names}
            )
        }

    def _commit(self, folder: Path) -> str:
        """The hash of a commit that holds this tree."""
        files = {
            path.relative_to(folder).as_posix(): path.read_text()
            for path in folder.rglob("*.*")
            if keeps(path)
        }
        experiment.written(
            self._project, files | {"asv.conf.json": json.dumps(CONFIG), ".gitignore": "/.asv/\n"}
        )
        git = ("git", "-c", "user.name=bench", "-c", "user.email=bench@localhost")
        real.run("git", "add", "--all", cwd=self._project)
        real.run(*git, "commit", "--quiet", "--allow-empty", "--message", "a tree", cwd=self._project)
        return real.run("git", "rev-parse", "HEAD", cwd=self._project).decode().strip()

    def _run(self, *words: str, ok: tuple[int, ...] = (0,)) -> str:
        """What asv prints; `continuous` ends with 1 where something became slower, `setup` always."""
        home = f"HOME={self._home}"
        return real.run("env", home, self._asv, *words, cwd=self._project, ok=ok).decode(errors="replace")

    def _measured(self, commit: str) -> set[str]:
        """Benchmarks for which a result is kept."""
        kept = [
            json.loads(path.read_text()) for path in self._project.glob(f".asv/results/*/{commit[:8]}-*.json")
        ]
        return {
            name
            for one in kept
            for name, found in one["results"].items()
            if found and found[0] and None not in found[0]
        }


def keeps(path: Path) -> bool:
    """Whether this is a file of the project."""
    return path.is_file() and "__pycache__" not in path.parts


def changes(said: str) -> Mapping[str, str]:
    """What the table of `asv continuous` calls changed.

    >>> changes("| -        | 1.00±0ms | 500±0μs | 0.50 | b.time_x |")
    {'b.time_x': 'faster'}
    """
    rows = [
        [cell.strip() for cell in line.strip().strip("|").split("|")]
        for line in said.splitlines()
        if line.startswith("|")
    ]
    return {row[-1]: MARKS[row[0]] for row in rows if row[0] in MARKS}
