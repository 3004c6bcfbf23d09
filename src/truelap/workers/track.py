"""Where both workers live: fresh sandboxes on fresh copies of the trees, started when needed and again when one is lost."""

from __future__ import annotations

import time
from contextlib import ExitStack, suppress
from typing import TYPE_CHECKING

from truelap.errors import WorldError
from truelap.model import shown
from truelap.task import moved_roots
from truelap.workers.venue import ASV, SIDES, Name, Venue, program
from truelap.workers.venue import shown as shown_to_workers
from truelap.workers.worker import Undelivered, Worker
from truelap.world.disk import UnreadableError
from truelap.world.files import deviations
from truelap.world.sandbox import Step
from truelap.world.seal import Seal, telling
from truelap.world.trees import overlaid

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping
    from typing import Self

    from truelap.world.files import TreeOnDisk

MAX_LOSSES: Mapping[Name, int] = {"base": 20, "candidate": 5}
"""So often a side's worker may be lost before nothing more is asked of it: what hangs in everything must not hold the judge
for hours. A submission that lost one benchmark has failed already; base has to be borne with for longer."""


class Track:
    """Both workers of one generation: same core, same hash seed, own sandbox, own fresh tree.

    Args:
        venue: what they share with other generations.
        trees: the trees to copy; base's may stand for both.
        cores: where both run.
        seed: of the interpreters' hashes and of the suite's random numbers.
        modules: of the suite, imported in every worker before the first case.
        losses: how often each side's worker was lost so far, in this generation or an earlier one.
        spent: seconds that each side took so far, likewise.
        hash_seed: of the interpreters' hashes; `seed` where None.
    """

    def __init__(
        self,
        venue: Venue,
        trees: Mapping[Name, TreeOnDisk],
        *,
        cores: frozenset[int],
        seed: int,
        modules: Iterable[str],
        losses: dict[Name, int],
        spent: dict[Name, float],
        hash_seed: int | None = None,
    ) -> None:
        self._venue = venue
        self._trees = trees
        self._cores = cores
        self._seed = seed
        self._hash_seed = seed if hash_seed is None else hash_seed
        self._modules = tuple(modules)
        self._losses = losses
        self._spent = spent
        self._open: dict[Name, ExitStack] = {}
        self._workers: dict[Name, Worker] = {}
        self._unloadable: dict[tuple[Name, str], str] = {}
        self.changed: dict[Name, set[str]] = {name: set() for name in SIDES}
        self.touched: dict[Name, set[str]] = {name: set() for name in SIDES}
        self.loaded: dict[Name, dict[str, str]] = {name: {} for name in SIDES}
        self.load_ns: dict[Name, int] = dict.fromkeys(SIDES, 0)
        """CPU that the imports of a side's latest worker took."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for name in SIDES:
            self._leave(name)

    def ready(self, name: Name, module: str | None = None) -> str | None:
        """Have a live worker for a side; the reason when there is none, or none that has this module."""
        while name not in self._workers:
            if self._losses[name] >= MAX_LOSSES[name]:
                return f"not run: its worker was lost {MAX_LOSSES[name]} times"
            self._enter(name)
        return self._unloadable.get((name, module)) if module is not None else None

    @property
    def workers(self) -> Mapping[Name, Worker]:
        """The live workers."""
        return self._workers

    def spent(self, name: Name) -> float:
        """Seconds that a side took so far: its starts, its imports, its turns."""
        worker = self._workers.get(name)
        return self._spent[name] + (worker.awake_s if worker else 0.0)

    def tidy(self, blamed: Collection[Name] = SIDES) -> None:
        """Let go of workers that were lost.

        Args:
            blamed: whose loss counts. A candidate that is lost together with base is not to blame for it.
        """
        for name in SIDES:
            worker = self._workers.get(name)
            if worker is not None and not worker.usable:
                self._losses[name] += name in blamed
                self._leave(name)

    def _enter(self, name: Name) -> None:
        began = time.monotonic()
        try:
            worker = self._start(name)
        except Undelivered as failure:
            self._without_start(name, failure)
        else:
            self._load(name, worker)
        finally:
            self._spent[name] += time.monotonic() - began

    def _without_start(self, name: Name, failure: Undelivered) -> None:
        """A worker ended before it could be asked for anything: the candidate's loss, where base's comes further.

        The environment may lead to the tree from the first import on: by PYTHONPATH, or a package installed from the tree.
        """
        try:
            if self._trees[name] is self._trees["base"]:
                raise failure
            if "base" not in self._workers:
                self._start("base")
                self._leave("base")
        except Undelivered as again:
            raise WorldError(f"the benchmark probe did not start: {again}") from again
        self._losses[name] += 1

    def _start(self, name: Name) -> Worker:
        with ExitStack() as stack:
            shared = "fresh_tree" in self._venue.without
            step, original = f"{self._venue.station}-{name}", self._trees[name]
            copy = stack.enter_context(self._venue.world.trees.fresh(original, step, shared=shared))
            tree = stack.enter_context(overlaid(copy, original, self._venue.sources, restore=shared))
            seal = Seal()
            stack.callback(self._audit, name, tree, seal)
            session = stack.enter_context(self._venue.world.sandbox.start(self._step(name, tree, seal)))
            worker = Worker(session, self._venue.without)
            worker.start(self._start_order(name))
            self._workers[name] = worker
            self._open[name] = stack.pop_all()
        return worker

    def _load(self, name: Name, worker: Worker) -> None:
        before = worker.cpu_ns()
        for module in self._modules:
            if (name, module) in self._unloadable:
                continue
            try:
                reason = worker.load(module, self._venue.load_s)
            except Undelivered as failure:
                self._unloadable[name, module] = f"importing {module}: {failure}"
                self.tidy()
                return
            if reason is not None:
                self._unloadable[name, module] = f"importing {module}: {reason}"
            elif name == "base" and worker.elsewhere:
                raise WorldError(
                    f"base is not what would be timed: {worker.elsewhere} comes from the environment, not from the tree; "
                    "name the tree's folders in the task file: environment.python_path"
                )
            elif worker.elsewhere and "installed_copy" not in self._venue.without:
                told = f"{worker.elsewhere} comes from the environment, not from the tree"
                self._unloadable[name, module] = f"importing {module}: {told}"
        self.loaded[name] |= worker.loaded
        self.load_ns[name] = worker.cpu_ns() - before
        with suppress(Undelivered):
            worker.rest()
        self.tidy()

    def _leave(self, name: Name) -> None:
        worker = self._workers.pop(name, None)
        self._spent[name] += worker.awake_s if worker else 0.0
        if name in self._open:
            self._open.pop(name).close()

    def _audit(self, name: Name, tree: TreeOnDisk, seal: Seal) -> None:
        venue = self._venue
        if "touches" not in venue.without:
            touched = telling(seal.touched(tree.root), self._trees[name], venue.guarded, self._roots(name))
            self.touched[name].update(map(shown, touched))
        if "manifest" in venue.without:
            return
        try:
            found = deviations(tree.root, tree.manifest)
        except UnreadableError as error:
            self.changed[name].add(str(error))
        else:
            self.changed[name] |= {shown(path) for path in (*found.changed, *found.missing)}

    def _step(self, name: Name, tree: TreeOnDisk, seal: Seal) -> Step:
        venue = self._venue
        return Step(
            name=f"{venue.station}-{name}",
            argv=program(venue.world),
            tree=tree.root,
            limits=venue.limits,
            mount=venue.mount,
            binds=shown_to_workers(),
            env={**venue.environment.env, "PYTHONHASHSEED": str(self._hash_seed % 2**32)},
            cores=self._cores,
            access="owned" if "sealed_tree" in venue.without else "sealed",
            seal=seal,
            without=venue.without,
        )

    def _roots(self, name: Name) -> tuple[str, ...]:
        base, tree = self._trees["base"].manifest, self._trees[name].manifest
        return moved_roots(self._venue.paths, base, tree, self._venue.places)

    def _start_order(self, name: Name) -> dict[str, object]:
        venue = self._venue
        return {
            "mode": "benchmarks",
            "asv": str(ASV),
            "numpy": venue.numpy,
            "roots": [str(venue.mount / path) for path in self._roots(name)],
            "apart": "mode_blind" in venue.without,
            "suite": str(venue.suite),
            "style": venue.style,
            "mount": f"{venue.mount}/",
            "seed": self._seed,
            "name": venue.name,
            "chart": venue.chart,
        }
