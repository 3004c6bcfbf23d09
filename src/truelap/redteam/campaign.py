"""Runs the suite: several attacks at a time, but one at a time of those that read a clock, and nothing beside those that change this process."""

from __future__ import annotations

import queue
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, NamedTuple

from truelap.redteam.bench import open_bench
from truelap.redteam.progress import Progress
from truelap.redteam.trial import Trial, Variant, attempt

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from truelap.redteam.attack import Attack
    from truelap.redteam.bench import Bench
    from truelap.settings import Settings

Work = tuple["Attack", Variant]


class Score(NamedTuple):
    """All trials of one attack."""

    attack: Attack
    trials: dict[Variant, Trial]

    @property
    def right(self) -> bool:
        """Whether it is caught and everything else is as its entry says. One that waits for a defence is not caught."""
        return not self.attack.waiting and all(trial.wrong is None for trial in self.trials.values())


def run(
    attacks: Iterable[Attack],
    settings: Settings,
    *,
    ablate: bool,
    jobs: int,
    progress: Callable[[str], None] = lambda _: None,
) -> tuple[Score, ...]:
    """Run attacks with their twins.

    Args:
        attacks: which.
        settings: where and how; `out` is not used.
        ablate: whether each attack also runs without its defence.
        jobs: how many at a time.
        progress: called with a line whenever a trial begins or ends, from any thread.

    Raises:
        UsageError: the interpreter has no pytest.
        WorldError: there is no sandbox, or no room.
    """
    chosen = tuple(attacks)
    work = [(attack, variant) for attack in chosen for variant in _variants(attack, ablate)]
    state = Progress(len(work), progress)
    state.preparing()
    with ExitStack() as stack:
        # All attacks are on one project: what base does is measured once.
        kept = Path(stack.enter_context(TemporaryDirectory(prefix="truelap-kept-", dir=settings.work)))
        settings = settings.model_copy(update={"keep": kept})
        benches = [stack.enter_context(open_bench(settings)) for _ in range(jobs)]
        free: queue.SimpleQueue[Bench] = queue.SimpleQueue()
        for bench in benches:
            free.put(bench)

        def one(item: Work) -> Trial:
            bench = free.get()
            try:
                state.began(*item)
                trial = attempt(bench, *item)
            finally:
                free.put(bench)
            state.ended(trial)
            return trial

        with ThreadPoolExecutor(max_workers=jobs) as pool:
            # One lease of the cores at a time: a second one would only wait for it.
            clocks = pool.submit(lambda: [one(item) for item in work if item[0].timed])
            others = (item for item in work if not (item[0].timed or item[0].alone))
            trials = list(pool.map(one, others))
            trials += clocks.result()
        trials += map(one, (item for item in work if item[0].alone))
    return tuple(Score(attack, _of(attack, trials)) for attack in chosen)


def _variants(attack: Attack, ablate: bool) -> Iterator[Variant]:
    yield "attack"
    yield "twin"
    if ablate and not attack.waiting and attack.unablated is None:
        yield "ablated"


def _of(attack: Attack, trials: Iterable[Trial]) -> dict[Variant, Trial]:
    return {trial.variant: trial for trial in trials if trial.attack.id == attack.id}
