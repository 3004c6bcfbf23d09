"""Times small projects for real: real trees, the real sandbox, the real asv_runner."""

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from truelap.checks.timing import gather, judge
from truelap.model import Base, Case
from truelap.policy import load_policy
from truelap.settings import Settings
from truelap.task import Task
from truelap.world.opening import open_world

POLICY = load_policy()


@dataclass
class Timing:
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


def time_projects(root: Path, base, candidate, *, task=None, policy=POLICY, **settings) -> Timing:
    """Write both projects and time them. `candidate` holds what differs; None removes a file."""
    files = {name: text for name, text in {**base, **candidate}.items() if text is not None}
    told = Settings(
        python=Path(sys.executable),
        seed=7,
        work=write(root / "work", {"x": ""}),
        **{"effort": "quick"} | settings,
    )
    with open_world(told, root / "base", ()) as world:
        trees = [
            world.store.import_directory(write(root / name, content), ())
            for name, content in (("base", base), ("candidate", files))
        ]
        case = Case(name="t", base=Base(given="base", commit=None, tree=trees[0]), candidate_tree=trees[1])
        evidence = gather(case, world, policy, task or Task(), told)
    return Timing(evidence, judge(evidence, policy))


@pytest.fixture
def timed(tmp_path):
    return lambda base, candidate, **more: time_projects(tmp_path, base, candidate, **more)
