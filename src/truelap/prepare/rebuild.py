"""Build both sides when the change asks for it: same command, same path, a sandbox each, base first.

A candidate that does not build where base does fails; so does a build that rewrites sources, or one that leaves files which
no submission may bring.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from truelap.errors import ContentFault, after_base
from truelap.model import Finding, shown
from truelap.prepare.build_command import build_plan, not_built
from truelap.prepare.build_outputs import Outputs, doubled, judge_outputs, judging, read_sources
from truelap.prepare.build_run import BuildRun, Rebuilt
from truelap.prepare.guard import Guard
from truelap.prepare.installed import left_to_a_copy
from truelap.prepare.left_out import LeftOut
from truelap.prepare.prebuilt import Prebuilt, told, ways
from truelap.prepare.rivals import Rivals
from truelap.prepare.scene import places, scene
from truelap.prepare.spare import Spare, spare_sources
from truelap.world.harvest import products, with_products, written_since

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from truelap.model import Case, Evidence
    from truelap.policy import Policy
    from truelap.prepare.build_command import BuildPlan
    from truelap.prepare.build_run import Built
    from truelap.rules import Scene
    from truelap.settings import Settings
    from truelap.task import Task
    from truelap.world import World
    from truelap.world.files import Deviations, TreeOnDisk
    from truelap.world.harvest import Product


def rebuild(case: Case, world: World, policy: Policy, task: Task, settings: Settings) -> Case:
    """Build base and candidate; a case that needs no build is given back as it came, unless a copy would stand in for it."""
    plan = _plan(case, world, policy, task)
    if plan.commands:
        case = _Rebuild(case, world, policy, task, plan=plan, python=settings.python).run()
    elif plan.finding:
        case = case.plus(findings=(plan.finding,))
    left = left_to_a_copy(case, world, task) if policy.keeps("installed_copy") else ()
    return case.plus(findings=left) if left else case


def _plan(case: Case, world: World, policy: Policy, task: Task) -> BuildPlan:
    tree = case.candidate_tree or case.base.tree
    blobs = {file.path: file.blob for file in world.store.list_tree(case.base.tree)}
    return build_plan(
        [entry.path for entry in world.store.entries(case.base.tree, tree)],
        blobs.keys(),
        lambda path: world.store.blob(blobs[path]),
        task.environment,
        policy,
    )


class _Base(NamedTuple):
    """Base as built: the tree, what its build made, and every path that it writes (tracked ones are generated files)."""

    tree: TreeOnDisk
    made: tuple[Product, ...]
    writes: frozenset[bytes]
    prebuilt: Prebuilt
    remade: frozenset[bytes]
    """What base had of the outputs before, and its build made all the same."""


class _Done(NamedTuple):
    """The candidate's build: what it printed, whether it ended well, and what is said of what it left."""

    log: str
    ended: bool
    findings: tuple[Finding, ...]


class _Rebuild:
    """One run of the station."""

    def __init__(
        self, case: Case, world: World, policy: Policy, task: Task, *, plan: BuildPlan, python: Path
    ) -> None:
        self._case, self._world, self._policy, self._task, self._plan = case, world, policy, task, plan
        paths = [file.path for file in world.store.list_tree(case.base.tree)]
        self._places = places(case.base, task, paths)
        self._run = BuildRun(world, policy, task.environment, plan.commands, python)

    def run(self) -> Case:
        """Base, then candidate; the built trees take the places of the plain ones."""
        trees = self._world.trees
        plain, candidate = trees.base(self._case), trees.candidate(self._case)
        built, base = self._at_base(plain)
        if base is None:
            return self._not_at_base(built)
        trees.replace(self._case.base.tree, base.tree)
        done = self._at_candidate(candidate, base, Spare())
        if not done.ended:
            done = self._with_test_sources(base) or done
        return self._case.plus(findings=done.findings, evidence=self._evidence(built.log, done.log))

    def _at_candidate(self, tree: TreeOnDisk, base: _Base, spare: Spare) -> _Done:
        log, absent = "", base.prebuilt.absent(tree.manifest)
        try:
            with (
                self._world.trees.fresh(tree, "build-candidate", without=absent) as copy,
                after_base("its build cannot be judged"),
            ):
                base.prebuilt.make_old(copy)
                built = self._run.on(copy, "candidate")
                log = built.log
                return _Done(log, built.found is not None, self._keep_candidate(built, base, spare))
        except ContentFault as fault:
            return _Done(log, True, (_failed("rebuild_failed", f"candidate: {fault}"),))

    def _with_test_sources(self, base: _Base) -> _Done | None:
        """The candidate's build with its new test sources; None where there are none, or it does not end well either."""
        spare = spare_sources(self._case, self._world.store, self._policy, self._guard)
        if spare is None:
            return None
        try:
            with after_base("its test sources cannot be written"):
                tree = self._world.trees.candidate(
                    self._case.model_copy(update={"candidate_tree": spare.tree})
                )
        except ContentFault:
            return None
        done = self._at_candidate(tree, base, spare)
        return done if done.ended else None

    def _at_base(self, plain: TreeOnDisk) -> tuple[Built, _Base | None]:
        """Base's last build, and what it made; None where no way of building succeeds."""
        for prebuilt in ways(self._world.store, self._case.base, plain.manifest, self._policy, self._places):
            built, base = self._base_by(prebuilt, plain)
            if base is not None:
                break
        if base is not None and base.remade and base.prebuilt.stay:
            built_with_less, less = self._base_by(base.prebuilt.needing(base.remade), plain)
            if less is not None and less.remade >= base.remade:
                return built_with_less, less
        return built, base

    def _base_by(self, prebuilt: Prebuilt, plain: TreeOnDisk) -> tuple[Built, _Base | None]:
        absent = prebuilt.absent(plain.manifest)
        with self._world.trees.fresh(plain, "build-base", without=absent) as copy:
            prebuilt.make_old(copy)
            built = self._run.on(copy, "base")
            found = built.found
            return built, None if found is None else self._keep_base(plain, built, found, prebuilt)

    def _keep_base(self, plain: TreeOnDisk, built: Built, found: Deviations, prebuilt: Prebuilt) -> _Base:
        writes = written_since(built.copy.root, plain.manifest, built.began_ns) | {
            *found.changed,
            *found.missing,
        }
        remade = prebuilt.remade(built.copy)
        made = self._made(built, found, remade)
        tree = with_products(plain, made, self._world.workspace.folder("built-base"))
        kept = products(tree.root, (product.path for product in made))
        writes |= remade.union(product.path for product in kept)
        return _Base(tree, kept, writes, prebuilt, remade)

    def _made(
        self, built: Built, found: Deviations, remade: frozenset[bytes] = frozenset()
    ) -> tuple[Product, ...]:
        guard = self._guard(found.changed)
        changed = (path for path in found.changed if not guard.holds(path))
        return products(built.copy.root, {*found.added, *changed, *remade})

    def _keep_candidate(self, built: Built, base: _Base, spare: Spare) -> tuple[Finding, ...]:
        if built.found is None:
            failed = _failed("rebuild_failed", f"candidate: {built.error}")
            return (failed,) if self._policy.keeps("build_ends_well") else ()
        rewritten = sorted({*built.found.changed, *built.found.missing} - base.writes - spare.paths)
        if rewritten and self._policy.keeps("build_sources"):
            return tuple(_failed("tamper:build_changed_sources", _REWRITTEN, path) for path in rewritten)
        made = self._made(built, built.found)
        plain = self._world.trees.candidate(self._case)
        gone = base.prebuilt.not_made(plain.manifest, built.copy, base.remade)
        plain = plain.without(gone)
        by_base = {product.path: product for product in base.made}
        guard = self._guard([*by_base, *(product.path for product in made)])
        made = spare.without_theirs(made, lambda path: guard.holds(path) and path not in by_base)
        rivals = Rivals(guard.names.union(base.tree.manifest), guard.holds, map(str.encode, self._places))
        sight = self._scene(base.tree, len(made))
        twice, standing = self._twice(base.tree, plain, made), plain.manifest
        known = guard.base.difference(self._case.base.carried)
        left_out = LeftOut(known, guard.holds, map(str.encode, self._places), by_base)
        rules = judging(
            self._policy,
            sight,
            guard,
            rivals,
            left_out=left_out,
            twice=twice,
            by_base=by_base,
            standing=standing,
        )
        outputs = judge_outputs(made, rules) if self._policy.keeps("build_outputs") else Outputs(made)
        if not outputs.findings:
            kept = with_products(plain, outputs.kept, self._world.workspace.folder("built-candidate"))
            self._world.trees.replace(str(self._case.candidate_tree), kept)
        return (*outputs.findings, *outputs.notes, *told(gone), *spare.findings())

    def _twice(self, base: TreeOnDisk, plain: TreeOnDisk, made: tuple[Product, ...]) -> frozenset[bytes]:
        sources = partial(read_sources, self._world.store, self._case.candidate_tree or self._case.base.tree)
        found = doubled(base.manifest, plain.manifest, made, places=self._places, sources=sources)
        return found if self._policy.keeps("doubles") else frozenset()

    def _guard(self, asked: Iterable[bytes]) -> Guard:
        return Guard(self._world.store, self._case.base, self._policy, self._places, asked)

    def _scene(self, base: TreeOnDisk, files: int) -> Scene:
        modes = {path: mode for path, (mode, _, _) in base.manifest.items()}
        interpreter = self._world.interpreter
        return scene(self._case.base, modes, self._policy, self._task, interpreter, files=files, diff_bytes=0)

    def _not_at_base(self, built: Built) -> Case:
        evidence = self._evidence(built.log, "")
        message = f"base: {built.error}"
        if self._plan.optional:
            return self._case.plus(findings=(not_built(message),), evidence=evidence)
        finding = Finding(code="rebuild:base_failed", level="inconclusive", message=message)
        return self._case.plus(findings=(finding,), evidence=evidence)

    def _evidence(self, base_log: str, candidate_log: str) -> tuple[tuple[str, Evidence], ...]:
        rebuilt = Rebuilt(
            reason=self._plan.reason,
            commands=self._plan.commands,
            base_log=base_log,
            candidate_log=candidate_log,
        )
        return (("rebuild", rebuilt),)


_REWRITTEN = "the candidate's build changed a tracked file that base's build leaves alone"


def _failed(code: str, message: str, path: bytes | None = None) -> Finding:
    return Finding(code=code, level="fail", message=message, path=None if path is None else shown(path))
