"""What the stations that run nothing stand on, for the commands that ask them one at a time."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from truelap.cli.watch import Watch
from truelap.errors import boundary

if TYPE_CHECKING:
    from collections.abc import Iterator

    from truelap.cli.options import Started
    from truelap.model import Case
    from truelap.policy import Policy
    from truelap.prepare.collect import Submission
    from truelap.settings import Settings
    from truelap.task import Task
    from truelap.world.git import Store
    from truelap.world.interpreter import Interpreter


class Bench(NamedTuple):
    """What these stations need; it stands for a `World` in which nothing can be run."""

    store: Store
    case: Case
    submission: Submission
    policy: Policy
    task: Task
    settings: Settings
    interpreter: Interpreter | None = None

    def collected(self) -> Case:
        """The case after the first station."""
        from truelap.prepare.collect import collect as station

        return station(self.submission, self.case, self, self.policy, self.task, self.settings)

    def admitted(self) -> Case:
        """The case after two stations."""
        from truelap.prepare.admit import admit as station

        return station(self.collected(), self, self.policy, self.task, self.settings)

    def assembled(self) -> Case:
        """The case after two stations, and after the third where nothing is refused: what is left is known then."""
        case = self.admitted()
        return case if case.refused else self._restored(case)

    def restored(self) -> Case:
        """The case after three stations."""
        return self._restored(self.admitted())

    def _restored(self, case: Case) -> Case:
        from truelap.prepare.restore import restore as station

        return station(case, self, self.policy, self.task, self.settings)


@contextmanager
def open_bench(options: Started, submission: dict[str, Any]) -> Iterator[Bench]:
    """Read base and submission; nothing of either has been judged."""
    from truelap.model import Case
    from truelap.policy import load_policy
    from truelap.prepare.request import Request
    from truelap.settings import Settings
    from truelap.task import load_task
    from truelap.world.opening import open_ground

    task, policy = load_task(options.task), load_policy(options.policy)
    request = Request(repo=options.repo, **options.start(), **submission)
    request.check(task)
    with (
        Watch(quiet=False) as watch,
        boundary("preparing"),
        open_ground(options.work) as ground,
    ):
        watch.show("reading base and submission")
        base = request.open_base(ground.store, task)
        case = Case(name=task.task.name or options.repo.resolve().name, base=base)
        settings = Settings(python=Path(sys.executable), seed=0)
        yield Bench(ground.store, case, request.open_submission(policy), policy, task, settings)
