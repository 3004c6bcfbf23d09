"""Compares the outputs of small projects for real: real trees, the real sandbox, the real asv_runner."""

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from truelap.checks.outputs import gather, judge
from truelap.model import Base, Case
from truelap.policy import load_policy
from truelap.settings import Settings
from truelap.task import Task
from truelap.world.opening import open_world

POLICY = load_policy()
CONFIG = '{"benchmark_dir": "benches"}'


@dataclass
class Outputs:
    evidence: Any
    findings: tuple

    def __getitem__(self, name):
        (found,) = [case for case in self.evidence.cases if case.id == name]
        return found.ruling

    def codes(self):
        return [finding.code for finding in self.findings]

    def statuses(self):
        return {case.id.partition(".")[2]: case.ruling.status for case in self.evidence.cases}


def write(folder: Path, files) -> Path:
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
    return folder


def compare_projects(root: Path, base, candidate, *, task=None, policy=POLICY, **settings) -> Outputs:
    """Write both projects and compare. `base` holds `lib.py` and the suite's one module; `candidate` is another `lib.py`."""
    fixed = {"asv.conf.json": CONFIG, "benches/__init__.py": "", "benches/b.py": base[1]}
    told = Settings(python=Path(sys.executable), seed=7, work=write(root / "work", {"x": ""}), **settings)
    with open_world(told, root / "base", ()) as world:
        trees = [
            world.store.import_directory(write(root / name, {**fixed, "lib.py": content}), ())
            for name, content in (("base", base[0]), ("candidate", candidate))
        ]
        case = Case(name="t", base=Base(given="base", commit=None, tree=trees[0]), candidate_tree=trees[1])
        evidence = gather(case, world, policy, task or Task(), told)
    return Outputs(evidence, judge(evidence, policy))


@pytest.fixture
def compared(tmp_path):
    return lambda base, candidate, **more: compare_projects(tmp_path, base, candidate, **more)
