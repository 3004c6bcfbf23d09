"""tests: base's tests on base, then on the candidate; what passes at base must pass again.

`choosing` and `selection` choose, `plan` and `sessions` run, `messages`, `outcome` and `results` make sense of the channel,
`evidence` judges.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import PurePosixPath
from random import Random
from typing import TYPE_CHECKING

from truelap.checks.tests.attest_plan import file_of
from truelap.checks.tests.attested import Judged, by_outcomes, by_values
from truelap.checks.tests.bench import Bench
from truelap.checks.tests.choosing import choose, config_of, folders_of
from truelap.checks.tests.data_files import read_by_tests, with_base_data
from truelap.checks.tests.doctest_book import Book, learnt
from truelap.checks.tests.evidence import TestsEvidence, judge
from truelap.checks.tests.plan import by_file, in_small_groups
from truelap.checks.tests.runs import run_side
from truelap.checks.tests.sessions import Plan, Run, Setup
from truelap.checks.tests.steadiness import Habits
from truelap.checks.tests.traces import Traces
from truelap.errors import UsageError
from truelap.model import shown
from truelap.policy import measuring
from truelap.task import import_roots
from truelap.workers.arrays import has_numpy
from truelap.world.tree_links import real_files

if TYPE_CHECKING:
    from truelap.checks.tests.selection import Selection
    from truelap.checks.tests.sides import Side
    from truelap.model import Case
    from truelap.policy import Policy
    from truelap.settings import Settings
    from truelap.task import Task
    from truelap.world import World
    from truelap.world.files import TreeOnDisk

__all__ = ["NEEDS", "TestsEvidence", "gather", "judge"]

NEEDS: tuple[str, ...] = ()


def gather(case: Case, world: World, policy: Policy, task: Task, settings: Settings) -> TestsEvidence:
    """Run base's tests on base and then, unless base itself cannot be judged, on the candidate.

    Tests that the submission's own paths chose, and of which base says nothing, give way to all: a choice must not buy an
    end without an answer.

    Raises:
        UsageError: the interpreter has no pytest, or the task file names tests that base lacks.
        WorldError: the machine or the sandbox failed.
    """
    version = _pytest_version(world, settings)
    station = _Station(case, world, policy, task, settings, version)
    selection = choose(case, world, policy, task, version)
    found = station.gather(selection)
    if selection.by_submission and found.blocked and policy.keeps("widen"):
        return station.gather(selection.widened())
    return found


@dataclass(frozen=True)
class _Station:
    """What one gathering needs, whatever tests are chosen."""

    case: Case
    world: World
    policy: Policy
    task: Task
    settings: Settings
    pytest: str

    def gather(self, selection: Selection) -> TestsEvidence:
        base = self.world.trees.base(self.case)
        setup, traces = self._setup(base, selection), Traces()
        before, plan = _base_side(setup, traces, base, selection)
        spoilt = before.config_error is not None or bool(before.faults) or not before.passed
        data = () if spoilt or not self.policy.keeps("test_data") else read_by_tests(before, base, setup)
        candidate, other = with_base_data(setup, base, self.world.trees.candidate(self.case), data)
        judged = None if spoilt else _judged(setup, traces, before, base, candidate, plan=plan)
        return TestsEvidence(
            base=(judged.base if judged else before).with_touched(traces.of(base.root)),
            candidate=judged.candidate.with_touched(traces.of(candidate.root)) if judged else None,
            selection=selection,
            config_file=setup.config.origin,
            min_base_pass=self.task.tests.min_base_pass or self.policy.tests.min_base_pass,
            pytest=self.pytest,
            values=judged.values if judged else None,
            secret=judged.secret if judged else None,
            canaries=judged.canaries if judged else None,
            data=tuple(map(shown, other)),
            mutants=judged.mutants if judged else None,
            integrity=judged.integrity if judged else None,
            habits=judged.habits if judged else Habits(),
        )

    def _runs(self) -> int:
        # Who says how many files may run at a time has that kept; and runs in the same copy of a tree cannot go at once.
        if self.settings.jobs is not None or not self.policy.keeps("fresh_tree"):
            return 1
        return len(os.sched_getaffinity(0))

    def _setup(self, base: TreeOnDisk, selection: Selection) -> Setup:
        world, policy, task = self.world, self.policy, self.task
        return Setup(
            world=world,
            policy=policy,
            # As pytest itself looks for it: the nearest to what runs.
            config=config_of(base, folders_of(base, selection.paths), self.pytest),
            mount=PurePosixPath(task.environment.mount),
            roots=import_roots(task.environment, base.manifest),
            env=task.environment.env,
            guarded=measuring(self.case.base, policy),
            timeout_s=task.tests.timeout_s or policy.tests.timeout_s,
            jobs=self.settings.jobs or 1,
            runs=self._runs(),
            # What is kept holds for one seed.
            seed=self.settings.base_seed,
            numpy=has_numpy(world, base),
            base=base.manifest.keys(),
            places=self.case.base.import_folders,
        )


def _judged(
    setup: Setup, traces: Traces, before: Side, base: TreeOnDisk, candidate: TreeOnDisk, *, plan: Plan
) -> Judged:
    """Both sides, and what the candidate's values say."""
    keeps = setup.policy.keeps
    book = learnt(session.doctests for session in before.sessions) if keeps("doctests") else Book()
    valued = any(map(keeps, ("values", "perturb", "canaries", "mutants")))
    # Base runs again under the new plan, so that tests which need the old one are known.
    apart = _apart(setup, base, before) if valued and keeps("fresh_process") else ()
    bench = Bench(setup, traces, base, candidate, plan=apart or plan, book=book)
    return by_values(bench, before) if valued else by_outcomes(bench, before)


def _apart(setup: Setup, base: TreeOnDisk, before: Side) -> Plan:
    """Base's test files, apart from each other; nothing where one of them cannot be named on a command line."""
    spent: dict[str, float] = {}
    for name, node in before.nodes.items():
        file = file_of(name)
        spent[file] = spent.get(file, 0.0) + node.seconds
    known = real_files(base)
    if not all(
        file.encode("utf-8", "replace") in known and not file.endswith("__init__.py") for file in spent
    ):
        return ()
    # The order must be repeatable; no secret hangs on it.
    draw = Random(setup.seed)  # noqa: S311
    return in_small_groups(spent, setup.policy.tests.group_s, draw)


def _pytest_version(world: World, settings: Settings) -> str:
    found = {name.lower(): version for name, version in world.interpreter.packages.items()}.get("pytest")
    if found is None:
        raise UsageError(f"{settings.python} has no pytest; name the project's own interpreter with --python")
    return found


def _base_side(setup: Setup, traces: Traces, base: TreeOnDisk, selection: Selection) -> tuple[Side, Plan]:
    """Base's outcomes, and the plan that the candidate has to follow."""
    plan: Plan = (selection.paths,)
    if setup.jobs > 1:
        listed = run_side(setup, Run("list", base, plan, collect_only=True, keep=True), traces)
        if listed.config_error is not None or listed.faults:
            return listed, plan
        spread = by_file(listed.nodes, setup.jobs)
        # An id whose file has a name that is not text cannot be named on a command line: all of it in one session.
        known = real_files(base)
        if spread and all(file.encode() in known for files in spread for file in files):
            plan = spread
    return run_side(setup, Run("base", base, plan, learn=True, keep=True, watched=True), traces), plan
