"""tests: base's tests on base, then on the candidate; what passes at base must pass again.

`selection` chooses, `config` finds what base's pytest reads, `plan` and `sessions` run, `messages`, `outcome` and `results`
make sense of the channel, `evidence` judges.
"""

from __future__ import annotations

import os
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from truelap.checks.tests.attested import Bench, Judged, by_values
from truelap.checks.tests.evidence import Side, TestsEvidence, judge
from truelap.checks.tests.plan import by_file
from truelap.checks.tests.runs import run_side
from truelap.checks.tests.selection import ALL, Selection, choice_for, select
from truelap.checks.tests.sessions import Plan, Run, Setup
from truelap.errors import UsageError
from truelap.policy import matches
from truelap.pytest_config import pick
from truelap.task import import_roots

if TYPE_CHECKING:
    from truelap.model import Case
    from truelap.policy import Policy
    from truelap.pytest_config import PytestConfig
    from truelap.settings import Settings
    from truelap.task import Task
    from truelap.world import World
    from truelap.world.files import TreeOnDisk

__all__ = ["NEEDS", "TestsEvidence", "gather", "judge"]

NEEDS: tuple[str, ...] = ()


def gather(case: Case, world: World, policy: Policy, task: Task, settings: Settings) -> TestsEvidence:
    """Run base's tests on base and then, unless base itself cannot be judged, on the candidate.

    Raises:
        UsageError: the interpreter has no pytest, or the task file names tests that base lacks.
        WorldError: the machine or the sandbox failed.
    """
    version = _pytest_version(world, settings)
    base = world.trees.base(case)
    top = _config(base, ("",), version)
    selection = _selection(case, world, policy, task, top)
    # As pytest itself looks for it: the nearest to what runs.
    config = _config(base, _folders(base, selection.paths), version)
    setup = Setup(
        world=world,
        policy=policy,
        config=config,
        mount=PurePosixPath(task.environment.mount),
        roots=import_roots(task.environment, base.manifest),
        env=task.environment.env,
        guarded=(*policy.protected.patterns, *policy.test_code.patterns, *case.base.protected_paths),
        timeout_s=task.tests.timeout_s or policy.tests.timeout_s,
        jobs=settings.jobs,
        # What is kept holds for one seed.
        seed=settings.seed if world.keep is None else world.keep.seed,
        numpy=_has_numpy(world, policy, base),
    )
    before, plan = _base_side(setup, base, selection)
    spoilt = before.config_error is not None or bool(before.faults) or not before.passed
    found = None if spoilt else _judged(setup, before, base, world.trees.candidate(case), plan)
    return TestsEvidence(
        base=found.base if found else before,
        candidate=found.candidate if found else None,
        selection=selection,
        config_file=config.origin,
        min_base_pass=task.tests.min_base_pass or policy.tests.min_base_pass,
        pytest=version,
        values=found.values if found else None,
        secret=found.secret if found else None,
        canaries=found.canaries if found else None,
    )


def _judged(setup: Setup, before: Side, base: TreeOnDisk, candidate: TreeOnDisk, plan: Plan) -> Judged:
    """Both sides, and what the candidate's values say."""
    if not any(map(setup.policy.keeps, ("values", "perturb", "canaries"))):
        return Judged(before, run_side(setup, Run("candidate", candidate, plan)))
    return by_values(Bench(setup, base, candidate, plan), before)


def _has_numpy(world: World, policy: Policy, base: TreeOnDisk) -> bool:
    """Whether test code speaks of an installed numpy that is not the tree's own."""
    if "numpy" not in {name.lower() for name in world.interpreter.packages}:
        return False
    if any(path.endswith(b"numpy/__init__.py") for path in base.manifest):
        return False
    sources = [
        path for path in base.manifest if path.endswith(b".py") and matches(policy.test_code.patterns, path)
    ]
    return any(b"numpy" in (base.root / os.fsdecode(path)).read_bytes() for path in sources)


def _pytest_version(world: World, settings: Settings) -> str:
    found = {name.lower(): version for name, version in world.interpreter.packages.items()}.get("pytest")
    if found is None:
        raise UsageError(f"{settings.python} has no pytest; name the project's own interpreter with --python")
    return found


def _selection(case: Case, world: World, policy: Policy, task: Task, config: PytestConfig) -> Selection:
    base = world.trees.base(case)
    if task.tests.paths:
        return _named(task.tests.paths, base)
    if task.tests.select == "all":
        return ALL
    assert case.candidate_tree is not None  # noqa: S101
    changed = [entry.path for entry in world.store.entries(case.base.tree, case.candidate_tree)]
    choice = choice_for(
        config,
        test_code=policy.test_code.patterns,
        compiled=policy.rebuild.compiled,
        build_files=policy.rebuild.build_files,
        fallback_folders=policy.tests.fallback_folders,
    )
    return select(base.manifest, changed, choice)


def _named(paths: tuple[str, ...], base: TreeOnDisk) -> Selection:
    clean = tuple(path.strip("/") for path in paths)
    for path in clean:
        if not (base.root / path).exists() or ".." in path.split("/"):
            raise UsageError(f"task file: tests.paths names {path}, which base does not hold")
    return Selection(strategy="paths", paths=clean)


def _base_side(setup: Setup, base: TreeOnDisk, selection: Selection) -> tuple[Side, Plan]:
    """Base's outcomes, and the plan that the candidate has to follow."""
    plan: Plan = (selection.paths,)
    if setup.jobs > 1:
        listed = run_side(setup, Run("list", base, plan, collect_only=True, keep=True))
        if listed.config_error is not None or listed.faults:
            return listed, plan
        spread = by_file(listed.nodes, setup.jobs)
        # An id whose file has a name that is not text cannot be named on a command line: all of it in one session.
        if spread and all(file.encode() in base.manifest for files in spread for file in files):
            plan = spread
    return run_side(setup, Run("base", base, plan, keep=True)), plan


def _config(base: TreeOnDisk, folders: tuple[str, ...], version: str) -> PytestConfig:
    def read(path: str) -> bytes | None:
        file = (base.root / path).resolve()
        inside = file.is_relative_to(base.root.resolve())
        return file.read_bytes() if inside and file.is_file() else None

    numbers = tuple(int(part) for part in version.split(".")[:2] if part.isdigit())
    return pick(read, folders, numbers)


def _folders(base: TreeOnDisk, paths: tuple[str, ...]) -> tuple[str, ...]:
    """The folder that all paths share and its parents, nearest first, down to the root ("")."""
    homes = [path if (base.root / path).is_dir() else path.rpartition("/")[0] for path in paths]
    parts = [home.split("/") if home else [] for home in homes]
    common: list[str] = []
    for level in zip(*parts, strict=False):
        if len(set(level)) != 1:
            break
        common.append(level[0])
    return tuple("/".join(common[:depth]) for depth in range(len(common), -1, -1))
