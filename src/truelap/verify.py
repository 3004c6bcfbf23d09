"""The line, and the main job: from what the user named to a verdict. Read this file first.

A frozen `Case` rides a line of stations: preparing may change the tree, checking may only measure, judging is pure.
"""

from __future__ import annotations

import shutil
import sys
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

from truelap.checks import outputs, tests, timing
from truelap.errors import WorldError
from truelap.model import Case
from truelap.policy import load_policy
from truelap.prepare.admit import admit
from truelap.prepare.base import asv_configs
from truelap.prepare.build_command import from_the_root
from truelap.prepare.collect import collect
from truelap.prepare.rebuild import rebuild
from truelap.prepare.request import Request
from truelap.prepare.restore import restore
from truelap.report import files
from truelap.reward import with_reward
from truelap.runner import Station, check, conclude, of_cache, walk
from truelap.settings import Settings
from truelap.suite import choose_config
from truelap.task import Task
from truelap.workers.selecting import look_ahead
from truelap.world.draws import with_seed
from truelap.world.opening import diary, open_ground, world_on
from truelap.world.output import RESULTS, Output
from truelap.world.slots import check_slots

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Unpack

    from truelap.model import Verdict
    from truelap.policy import Policy
    from truelap.prepare.collect import Submission
    from truelap.prepare.request import Named

    Layout = Callable[[Verdict, Case], Iterable[tuple[str, bytes]]]


class UnwrittenError(WorldError):
    """There is a verdict, and it could not be written.

    Attributes:
        verdict: what was found.
    """

    def __init__(self, message: str, verdict: Verdict) -> None:
        super().__init__(message)
        self.verdict = verdict


def line(submission: Submission, *, look: bool = True) -> tuple[Station, ...]:
    """The whole line for one submission.

    Args:
        submission: what is judged.
        look: before the tests, which may take long, see whether any benchmark is chosen at all.
    """
    return (
        Station("collect", partial(collect, submission), prepares=True),
        Station("admit", admit, prepares=True),
        Station("restore", restore, prepares=True),
        Station("rebuild", rebuild, prepares=True, optional=True),
        check("tests", tests, look_ahead if look else None),
        check("outputs", outputs),
        check("time", timing),
    )


def verify(
    repo: Path,
    *,
    task: Task | None = None,
    policy: Policy | None = None,
    settings: Settings | None = None,
    only: str | None = None,
    progress: Callable[[str], None] | None = None,
    layout: Layout | None = None,
    **named: Unpack[Named],
) -> Verdict:
    """Judge one submission; where `settings.out` names a folder, write the result files there.

    Args:
        repo: the repository.
        task: how the project runs; every default when None.
        policy: what counts; the shipped one when None.
        settings: where and how to run; this interpreter and a random seed when None.
        only: the one check to run. Then there is no result: no reward, no verdict.json.
        progress: called with a word on what is being done.
        layout: gives further files, for another grader.
        **named: one base (`base`: a revision, `base_file`, `base_dir`), one submission (`patch`, `head`, `worktree`).

    Raises:
        UsageError: something that was named cannot be used.
        WorldError: no base could be opened, or (`UnwrittenError`, with the verdict) the results cannot be written.
    """
    request, task, policy = Request(repo=repo, **named), task or Task(), policy or load_policy()
    settings = settings or Settings(python=Path(sys.executable), seed=0, seed_drawn=True)
    request.check(task)
    check_slots(settings)
    task = _with_build(task, repo, settings.python)
    if progress:
        progress("reading base and submission")
    with Output(settings.out, frozenset(policy.ablate.off)) if settings.out else nullcontext() as out:
        with open_ground(settings.work) as ground:
            base = request.open_base(ground.store, task)
            submission = request.open_submission(policy, (settings.out, settings.keep, settings.work))
            stations = [
                s for s in line(submission, look=only is None) if s.prepares or only in {None, s.name}
            ]
            if only in {None, "outputs", "time"} and task.benchmarks.files[1] == "asv":
                choose_config(asv_configs(ground.store, base), task.benchmarks.config)
            with world_on(ground, settings, repo, request.folders(), progress) as world:
                if out:
                    out.clear()
                case = Case(name=task.task.name or repo.resolve().name, base=base)
                settings = with_seed(settings, world.keep, base.tree)
                if world.keep:
                    world.keep.task = case.name
                case = walk(stations, case, world, policy, task=task, settings=settings)
                case = case.plus(findings=of_cache(world))
                verdict = conclude(stations, case, world, policy, settings.seed)
                verdict = verdict if only else with_reward(verdict, case, policy)
                results = {
                    **dict(files(verdict, case, only)),
                    **dict(layout(verdict, case) if layout else ()),
                }
                results["events.jsonl"] = diary(world)
        if out:
            try:
                out.write({n: content for n, content in results.items() if not only or n not in RESULTS})
            except WorldError as error:
                raise UnwrittenError(str(error), verdict) from error
    return verdict


def _with_build(task: Task, repo: Path, python: Path) -> Task:
    build = from_the_root(task.environment.build, repo, Path(shutil.which(python) or python))
    return task.model_copy(update={"environment": task.environment.model_copy(update={"build": build})})


class _Callable(ModuleType):
    """This module carries the name of its function, so `truelap.verify` works as either, whichever was imported first."""

    __call__ = staticmethod(verify)


sys.modules[__name__].__class__ = _Callable
