"""The bench of one verification: both trees, what test files are rewritten with, and how a run of them is made."""

from __future__ import annotations

import os
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

from truelap.checks.tests.attest_modules import Modules
from truelap.checks.tests.attest_plan import candidates, file_of, shown_path
from truelap.checks.tests.kept import keep
from truelap.checks.tests.readable import changed_lines
from truelap.checks.tests.runs import run_side
from truelap.checks.tests.sessions import Recording, Run
from truelap.checks.tests.steadiness import renamed, wandering
from truelap.checks.tests.turns import Turns, alone
from truelap.workers.venue import recorder_name
from truelap.world.tree_links import real_files

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from truelap.checks.tests.attest_plan import Sources
    from truelap.checks.tests.doctest_book import Book
    from truelap.checks.tests.sessions import Plan, Setup
    from truelap.checks.tests.sides import Side
    from truelap.checks.tests.traces import Traces
    from truelap.world.files import Held, TreeOnDisk

NEXT_SEED = 0x5EED
"""Base has another hash seed each time it runs, and the candidate always the first."""


class Bench:
    """One verification's rewritten tests.

    Args:
        setup: the same for both sides.
        traces: what all of its runs touched; they are noted there.
        base: its tree.
        candidate: its tree.
        plan: arguments of each session.
        book: base's doctests.
    """

    def __init__(
        self,
        setup: Setup,
        traces: Traces,
        base: TreeOnDisk,
        candidate: TreeOnDisk,
        *,
        plan: Plan,
        book: Book,
    ) -> None:
        self.setup = setup
        self.traces = traces
        self.base = base
        self.candidate = candidate
        self.plan = plan
        self.book = book
        self.name = recorder_name()
        self.wandering: frozenset[str] = frozenset()
        """Functions whose ids are counted, because base itself names their tests otherwise each time."""
        self.shown: Mapping[str, Sequence[str]] = {}
        """Attributes of base's objects, by type: the candidate's may compute them."""
        self.turns = Turns(setup.runs)

    def learn(self, sides: Sequence[Side]) -> list[Side]:
        """The same runs of base, by ids that are the same in all of them."""
        for other in sides[1:]:
            self.wandering |= wandering(sides[0], other)
        return [self.named(side) for side in sides]

    def named(self, side: Side) -> Side:
        """A run by the ids that are the same in all of them, as far as is known."""
        return renamed(side, self.wandering)

    def made(self, run: Run, *, apart: bool = False) -> Side:
        """Make a run when its side has its turn; see `runs.run_side`.

        Args:
            run: the run.
            apart: nothing may run beside it.
        """
        return self.named(self.ran(run, apart=apart))

    def ran(self, run: Run, *, apart: bool = False) -> Side:
        """The same, by the ids that the run itself has."""
        with self.turns.of(alone() if apart else run.tree.root):
            return run_side(self.setup, run, self.traces)

    def calm(self, run: Run, doubtful: Callable[[Side], bool]) -> Side:
        """Make a run; once more, and alone, where the outcome is doubtful: what runs beside it must not have a part in it."""
        side = self.ran(run)
        if not side.kept and self.setup.runs > 1 and doubtful(self.named(side)):
            side = self.ran(replace(run, name=f"{run.name}-apart", keep=False), apart=True)
            keep(self.setup, run, side)
        return self.named(side)

    def read(self, path: bytes) -> bytes:
        """Base's bytes of a file, by any name that it has."""
        return (self.base.root / os.fsdecode(self.real.get(path, path))).read_bytes()

    @cached_property
    def real(self) -> dict[bytes, bytes]:
        """Where each file of base lies, by each of its names: some are seen through links."""
        return real_files(self.base)

    @cached_property
    def modules(self) -> Modules:
        """Where test files may have helpers from."""
        patterns = (*self.setup.guarded, *self.setup.policy.test_code.helper_patterns)
        paths = frozenset(map(os.fsdecode, self.real))
        return Modules(paths, self.setup.roots, patterns, lambda path: self.read(os.fsencode(path)))

    def lines(self, sources: Sources) -> dict[str, str]:
        """Base's line for each rewritten one."""
        found: dict[str, str] = {}
        for path, changed in sources.files.items():
            found |= changed_lines(self.read(path), changed)
        return found

    def paths(self, before: Side) -> list[bytes]:
        """Files that may be rewritten."""
        collected = {file_of(name) for name in before.nodes}
        patterns, usual = self.setup.policy.test_code.patterns, self.setup.config.python_files
        base, other = (self._named(tree) for tree in (self.base, self.candidate))
        return self._by_one_name(candidates(base, other, collected, patterns, usual), collected)

    def _by_one_name(self, paths: list[bytes], collected: set[str]) -> list[bytes]:
        """Of each file the one name that tests are collected by; none where there are two, since its sites have one home."""
        names: dict[bytes, list[bytes]] = {}
        for path in paths:
            names.setdefault(self.real[path], []).append(path)
        known = {
            real: [name for name in some if shown_path(name) in collected] for real, some in names.items()
        }
        chosen = ((known[real] or [name for name in some if name == real]) for real, some in names.items())
        return [some[0] for some in chosen if len(some) == 1]

    def _named(self, tree: TreeOnDisk) -> dict[bytes, Held]:
        return {name: tree.manifest[real] for name, real in self.real.items() if real in tree.manifest}

    def run(self, side: str, sources: Sources, *, again: int = 0, plan: Plan | None = None) -> Run:
        """A run of rewritten tests; `again` is how many times it ran before."""
        return Run(
            name=f"{side}-values{f'-{again}' if again else ''}",
            tree=self.base if side == "base" else self.candidate,
            plan=self.plan if plan is None else plan,
            sources={self.real.get(path, path): changed for path, changed in sources.files.items()},
            book=sources.book,
            recording=self.recording(side) if sources.name else None,
            hash_seed=self.setup.seed ^ again * NEXT_SEED,
            keep=side == "base",
        )

    def recording(
        self, side: str, *, soft: bool = False, test_s: float = 0.0, idle_s: float = 0.0
    ) -> Recording:
        """How rewritten tests of a side are run, see `Recording`."""
        shown = {} if side == "base" else self.shown
        return Recording(self.name, soft=soft, test_s=test_s, idle_s=idle_s, shown=shown)
