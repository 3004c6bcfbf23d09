"""A whole tests station on small projects: real store, real sandbox, real pytest."""

from __future__ import annotations

import sys
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import pytest

from truelap.checks.tests import gather, judge
from truelap.model import Base, Case
from truelap.policy import load_policy
from truelap.settings import Settings
from truelap.task import Task
from truelap.world.keep import Keep
from truelap.world.opening import open_world

CORE = "def double(x):\n    return 2 * x\n"
TESTS = "from pkg.core import double\n\n\n" + "".join(
    f"def test_{name}():\n    assert double({value}) == {2 * value}\n\n\n"
    for name, value in (("one", 1), ("two", 2), ("three", 3))
)
# Most tests here are about outcomes: without these they need two sessions instead of seven.
ATTESTATION = ("values", "perturb", "canaries", "mutants")
PROJECT = {"pkg/__init__.py": "", "pkg/core.py": CORE, "tests/test_core.py": TESTS}


class Lap:
    """What the station found."""

    def __init__(self, evidence, policy) -> None:
        self.evidence = evidence
        self.findings = judge(evidence, policy)
        self.codes = [finding.code for finding in self.findings]
        self.levels = {finding.level for finding in self.findings}
        self.base = {name: node.outcome for name, node in evidence.base.nodes.items()}
        candidate = evidence.candidate
        self.candidate = {name: node.outcome for name, node in candidate.nodes.items()} if candidate else None
        self.regressed = list(evidence.regressed)

    def text(self, code):
        return next(finding.message for finding in self.findings if finding.code == code)


def tree_of(store, folder: Path, files) -> str:
    """The tree of some files; a `Path` is a link's target."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, Path):
            path.symlink_to(content)
        else:
            path.write_bytes(content.encode() if isinstance(content, str) else content)
    return store.import_directory(folder, ())


@pytest.fixture(scope="session")
def open_for(tmp_path_factory):
    """One world per interpreter and backend: opening one takes longer than most tests."""
    with ExitStack() as stack:
        opened = {}

        def world(python, sandbox):
            if (python, sandbox) not in opened:
                work = tmp_path_factory.mktemp("work")
                unsafe = sandbox == "none"
                settings = Settings(python=Path(python), seed=7, work=work, sandbox=sandbox, unsafe=unsafe)
                opened[python, sandbox] = stack.enter_context(open_world(settings, work / "repo", ()))
            return opened[python, sandbox]

        yield world


@pytest.fixture
def lap(open_for):
    """Runs the station: `lap(changes, base=files)`; None as content takes a file away."""

    def run(
        changes,
        *,
        base=PROJECT,
        task=None,
        policy=None,
        jobs=None,
        python=sys.executable,
        sandbox="bubblewrap",
        keep=None,
    ):
        world = replace(open_for(str(python), sandbox), keep=Keep(keep) if keep else None)
        rules = policy or load_policy().without(ATTESTATION)
        kept = {name: content for name, content in {**base, **changes}.items() if content is not None}
        trees = [tree_of(world.store, world.workspace.folder("side"), files) for files in (base, kept)]
        case = Case(name="x", base=Base(given="x", commit=None, tree=trees[0]), candidate_tree=trees[1])
        settings = Settings(python=Path(python), seed=7, jobs=jobs)
        return Lap(gather(case, world, rules, Task(**(task or {})), settings), rules)

    return run


@pytest.fixture
def hasty():
    """The shipped policy with short deadlines."""

    def make(**changed):
        policy = load_policy().without(ATTESTATION)
        return policy.model_copy(update={"tests": policy.tests.model_copy(update=changed)})

    return make


@pytest.fixture
def project():
    """The files that `lap` takes for base by itself."""
    return dict(PROJECT)


@pytest.fixture
def shipped():
    """The policy as it ships."""
    return load_policy()


@pytest.fixture
def plain():
    """The policy that `lap` takes by itself."""
    return load_policy().without(ATTESTATION)
