"""A bench on which one submission after another is judged by the real line, with base, sandbox and interpreter set up once."""

from __future__ import annotations

import os
import shutil
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import dataclass, replace
from importlib.resources import as_file, files
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, NamedTuple

from truelap.errors import UsageError, WorldError, boundary
from truelap.model import Base, Case, Verdict, shown
from truelap.policy import Policy, load_policy
from truelap.prepare.base import base_of_directory, base_of_revision
from truelap.prepare.collect import PatchFile, Worktree
from truelap.prepare.collected import Collected
from truelap.redteam.naive import REPLACED, own_apply, own_checkout, own_diff
from truelap.redteam.oracle import serving
from truelap.redteam.plant import filled, plant, working_tree
from truelap.report import files as result_files
from truelap.runner import conclude, walk
from truelap.task import Task
from truelap.verify import line
from truelap.world.opening import open_ground, world_on
from truelap.world.output import Output
from truelap.world.trees import Trees

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from truelap.prepare.collect import Submission as Submitted
    from truelap.redteam.attack import Attack, Ended, Submission
    from truelap.settings import Settings
    from truelap.world import World

_QUICK = {"tests": {"test_timeout_s": 10.0, "timeout_s": 60.0}, "time": {"benchmark_timeout_s": 5.0}}
"""Bounds that keep an attack that hangs from holding up the others."""

_NOTHING_PUT_BACK = ("protected", "suite", "test_code", "helpers")


class Came(NamedTuple):
    """What came of a submission.

    Attributes:
        outcome: of the verdict; "usage" where the line could not be started.
        message: of the finding that decided, or of the usage error.
        verdict: None where there is none.
        changed: paths at which the candidate differs from base.
        told: paths that the record names.
        diff: what people get to read.
        marked: whether a program of the submission has left its mark outside every sandbox.
        kept: planted files of the result folder that are still there, as they were.
    """

    outcome: Ended
    message: str
    verdict: Verdict | None = None
    changed: frozenset[str] = frozenset()
    told: frozenset[str] = frozenset()
    diff: bytes = b""
    marked: bool = False
    kept: frozenset[str] = frozenset()

    @property
    def speed(self) -> str | None:
        """What the verdict calls it."""
        return self.verdict.speed if self.verdict else None


@dataclass(frozen=True)
class Bench:
    """Everything that submissions share. Not for two threads at a time."""

    world: World
    project: Path
    base: Base
    settings: Settings

    def judge(self, attack: Attack, submission: Submission, off: Collection[str] = ()) -> Came:
        """Judge a submission by the stations that its attack names.

        Args:
            attack: says how it is to be run.
            submission: the attack's, or its twin.
            off: defences that are switched off.
        """
        with ExitStack() as stack:
            place = Path(stack.enter_context(TemporaryDirectory(dir=self.project.parent)))
            port = stack.enter_context(serving()) if attack.serves else 0
            words = {"HERE": str(place), "MARK": str(place / "mark"), "PORT": str(port)}
            stack.enter_context(_environment({k: filled(v, words) for k, v in attack.environ.items()}))
            try:
                with boundary(f"attack {attack.id}"):
                    came = self._judge(attack, submission, frozenset(off), place, words)
            except UsageError as error:
                came = Came("usage", str(error))
            except WorldError as error:
                came = Came("inconclusive", str(error))
            return came._replace(marked=(place / "mark").exists())

    def _judge(
        self,
        attack: Attack,
        submission: Submission,
        off: frozenset[str],
        place: Path,
        words: Mapping[str, str],
    ) -> Came:
        policy = policy_for(attack, off)
        with _result_folder(submission, place / "out", words, off) as out:
            task = Task.model_validate({"task": {"name": attack.id}, **attack.task})
            submitted, base = self._submitted(submission, off, policy, task, words)
            case, verdict = self._walk(attack, submitted, base, policy, task)
            kept: frozenset[str] = frozenset()
            if out is not None:
                out.clear()
                out.write(dict(result_files(verdict, case)))
                kept = frozenset(_kept(submission, place / "out", words))
        entries = self.world.store.entries(base.tree, case.candidate_tree or base.tree)
        patch = case.patch.entries if case.patch else ()
        told = {shown(entry.path) for entry in patch} | {finding.path or "" for finding in verdict.findings}
        collected = case.get("collect")
        return Came(
            outcome=verdict.outcome,
            message=_message(verdict),
            verdict=verdict,
            changed=frozenset(shown(entry.path) for entry in entries),
            told=frozenset(told),
            diff=collected.diff if isinstance(collected, Collected) else b"",
            kept=kept,
        )

    def _submitted(
        self,
        submission: Submission,
        off: frozenset[str],
        policy: Policy,
        task: Task,
        words: Mapping[str, str],
    ) -> tuple[Submitted, Base]:
        folder = Path(words["HERE"]) / "repo"
        if submission.diff is not None and "whole_diff" not in off:
            return PatchFile(filled(submission.diff, words).encode()), self.base
        commit = working_tree(self.project, folder, submission, words)
        base = self.base
        if submission.base == "own":
            base = base_of_revision(self.world.store, folder, commit, task.benchmarks.files)
        if submission.diff is not None:
            own_apply(folder, filled(submission.diff, words).encode())
        if "walked" in off:
            return own_diff(folder), base
        if "assembled" in off:
            own_checkout(folder, commit, policy)
        return Worktree(folder), base

    def _walk(
        self, attack: Attack, submitted: Submitted, base: Base, policy: Policy, task: Task
    ) -> tuple[Case, Verdict]:
        stations = [s for s in line(submitted) if s.prepares or s.name in attack.checks]
        world = self.world
        if task.environment.build or not policy.keeps("fresh_tree"):
            # A built base would be there before the next one's build, and what a step wrote before the next step.
            world = replace(world, trees=Trees(world.store, world.workspace))
        case = walk(
            stations, Case(name=attack.id, base=base), world, policy, task=task, settings=self.settings
        )
        return case, conclude(stations, case, world, policy, self.settings.seed)


@contextmanager
def open_bench(settings: Settings) -> Iterator[Bench]:
    """Set a bench up: a world of its own, and the sample as base.

    Raises:
        UsageError: the interpreter has no pytest: that would accuse every honest twin.
        WorldError: there is no sandbox, or no room.
    """
    with open_ground(settings.work) as ground, as_file(files("truelap") / "redteam" / "project") as sample:
        project = ground.workspace.folder("sample") / "tallybook"
        # Installing writes byte code beside the sample's sources; it is no part of the sample.
        shutil.copytree(sample, project, ignore=shutil.ignore_patterns("__pycache__", "*.pyc"))
        base = base_of_directory(ground.store, project)
        with world_on(ground, settings, project, ()) as world:
            if "pytest" not in {name.lower() for name in world.interpreter.packages}:
                raise UsageError(
                    f"{settings.python} has no pytest, by which the attacks are judged: name one that has with --python"
                )
            yield Bench(world, project, base, settings)


def policy_for(attack: Attack, off: Collection[str] = ()) -> Policy:
    """The shipped policy with the attack's bounds, without some defences."""
    policy = load_policy()
    for limits in (_QUICK, attack.limits):
        changed = {name: getattr(policy, name).model_copy(update=values) for name, values in limits.items()}
        policy = policy.model_copy(update=changed)
    switches = {name for name in off if name not in REPLACED}
    return policy.without(switches.union(_NOTHING_PUT_BACK) if "assembled" in off else switches)


@contextmanager
def _environment(variables: Mapping[str, str]) -> Iterator[None]:
    before = {name: os.environ.get(name) for name in variables}
    os.environ.update(variables)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


@contextmanager
def _result_folder(
    submission: Submission, folder: Path, words: Mapping[str, str], off: frozenset[str]
) -> Iterator[Output | None]:
    if submission.out:
        folder.mkdir()
        plant(folder, submission.out, words)
    with Output(folder, off) if submission.out else nullcontext() as out:
        yield out


def _kept(submission: Submission, folder: Path, words: Mapping[str, str]) -> Iterator[str]:
    for step in submission.out:
        file = folder / filled(step.path, words)
        if (
            step.do == "write"
            and file.is_file()
            and file.read_text("utf-8", "replace") == filled(step.text, words)
        ):
            yield step.path


def _message(verdict: Verdict) -> str:
    for level in ("inconclusive", "fail"):
        for finding in verdict.findings:
            if finding.level == level:
                return f"{finding.path}: {finding.message}" if finding.path else finding.message
    return ""
