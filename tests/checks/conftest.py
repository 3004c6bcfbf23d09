"""Checks that measure the benchmarks of small projects for real: real trees, the real sandbox, the real asv_runner."""

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from truelap.model import Base, Case
from truelap.policy import load_policy
from truelap.settings import Settings
from truelap.task import Task
from truelap.world.opening import open_world


@dataclass
class Found:
    """What a check found. `found["b.time_a"]` is the evidence's case of that id."""

    evidence: Any
    findings: tuple

    def __getitem__(self, name):
        (found,) = [case for case in self.evidence.cases if case.id == name]
        return found

    def codes(self):
        return [finding.code for finding in self.findings]


def write(folder: Path, files: dict[str, str]) -> Path:
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
    return folder


@pytest.fixture(scope="session")
def on_projects():
    """Writes two projects to a folder and runs a check on them: `on_projects(folder, check, base, candidate)`."""

    def run(folder, check, base, candidate, *, task=None, policy=None, **settings) -> Found:
        rules = policy or load_policy()
        told = Settings(
            python=Path(sys.executable), seed=7, work=write(folder / "work", {"x": ""}), **settings
        )
        with open_world(told, folder / "base", ()) as world:
            trees = [
                world.store.import_directory(write(folder / name, files), ())
                for name, files in (("base", base), ("candidate", candidate))
            ]
            case = Case(
                name="t", base=Base(given="base", commit=None, tree=trees[0]), candidate_tree=trees[1]
            )
            evidence = check.gather(case, world, rules, task or Task(), told)
        return Found(evidence, check.judge(evidence, rules))

    return run
