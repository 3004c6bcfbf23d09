"""Runs rewritten tests on both sides: base twice, under two hash seeds, and the candidate under the first."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from truelap.checks.tests.attest_plan import candidates, file_of, rewrite, shown_path
from truelap.checks.tests.integrity import compare
from truelap.checks.tests.mutated import by_mutants
from truelap.checks.tests.runs import run_side, run_sides
from truelap.checks.tests.secret import by_canaries, by_secret
from truelap.checks.tests.sessions import Recording, Run
from truelap.checks.tests.value_evidence import ValueEvidence, truths, weigh

if TYPE_CHECKING:
    from truelap.checks.tests.attest_plan import Sources
    from truelap.checks.tests.doctest_book import Book
    from truelap.checks.tests.evidence import Side
    from truelap.checks.tests.integrity import IntegrityEvidence
    from truelap.checks.tests.sessions import Plan, Setup
    from truelap.checks.tests.value_evidence import CanaryEvidence, MutantEvidence, SecretEvidence
    from truelap.world.files import TreeOnDisk

_OTHER_SEEDS = (0, 0x5EED, 0xD1CE5)
"""By how many times base ran before: each run has another hash seed, and the candidate the first."""
_ROUNDS = 2
_QUICK_S = 1.0
"""Longest test, by base's own time, that runs on a changed package."""


class Bench:
    """One verification's rewritten tests.

    Args:
        setup: the same for both sides.
        base: its tree.
        candidate: its tree.
        plan: arguments of each session.
        book: base's doctests.
    """

    def __init__(self, setup: Setup, base: TreeOnDisk, candidate: TreeOnDisk, plan: Plan, book: Book) -> None:
        self.setup = setup
        self.base = base
        self.candidate = candidate
        self.plan = plan
        self.book = book
        self.name = f"_{secrets.token_hex(8)}"

    def read(self, path: bytes) -> bytes:
        """Base's bytes of a file."""
        return (self.base.root / path.decode("utf-8", "surrogateescape")).read_bytes()

    def paths(self, before: Side) -> list[bytes]:
        """Files that may be rewritten."""
        collected = {file_of(name) for name in before.nodes}
        patterns, usual = self.setup.policy.test_code.patterns, self.setup.config.python_files
        return candidates(self.base.manifest, self.candidate.manifest, collected, patterns, usual)

    def run(self, side: str, sources: Sources, *, again: int = 0, plan: Plan | None = None) -> Run:
        """A run of rewritten tests; `again` is how many times it ran before."""
        return Run(
            name=f"{side}-values{f'-{again}' if again else ''}",
            tree=self.base if side == "base" else self.candidate,
            plan=self.plan if plan is None else plan,
            sources=sources.files,
            book=sources.book,
            recording=Recording(self.name),
            hash_seed=self.setup.seed ^ _OTHER_SEEDS[again],
            keep=side == "base",
        )


@dataclass(frozen=True)
class Judged:
    """Both sides, and what was found beyond the outcomes that they claim.

    Attributes:
        base: without the tests that base itself passes only sometimes.
        candidate: its run.
        values: None when the defence is off; likewise the others.
        secret: with changed literals.
        canaries: with assertions that must fail.
        mutants: with a changed package.
        integrity: what only the candidate changes in that which judges it.
    """

    base: Side
    candidate: Side
    values: ValueEvidence | None = None
    secret: SecretEvidence | None = None
    canaries: CanaryEvidence | None = None
    integrity: IntegrityEvidence | None = None
    mutants: MutantEvidence | None = None


def by_outcomes(bench: Bench, before: Side) -> Judged:
    """Judge the candidate by what its worker says of tests as they are. See `by_values`."""
    candidate = run_side(
        bench.setup, Run("candidate", bench.candidate, bench.plan, book=bench.book, watched=True)
    )
    return Judged(before, candidate, integrity=_integrity(bench, [before], before, candidate))


def _integrity(bench: Bench, bases: list[Side], before: Side, candidate: Side) -> IntegrityEvidence | None:
    return compare(bases, before, candidate) if bench.setup.policy.keeps("integrity") else None


def by_values(bench: Bench, before: Side) -> Judged:
    """Judge the candidate by what its tests compare.

    Args:
        bench: of this verification.
        before: base's outcomes with its tests as they are.

    Raises:
        WorldError: the machine or the sandbox failed.
    """
    keeps = bench.setup.policy.keeps
    sources, first = _faithful(bench, before)
    if first is None:
        return replace(by_outcomes(bench, before), values=_nothing(before, sources))
    both = [bench.run("base", sources, again=1), bench.run("candidate", sources)]
    again, candidate = run_sides(bench.setup, [replace(run, watched=True) for run in both])
    steady = before.without(_unlike(before, first))
    names = list(filter(sources.speaks, steady.passed))
    known = truths([first, again], names)
    found = weigh(known, candidate, sources, [name for name in steady.passed if name not in known])
    found = _second_look(bench, [first, again], candidate, sources, found)
    integrity = _integrity(bench, [before, again], steady, candidate)
    judged = Judged(steady, candidate, found if keeps("values") else None, integrity=integrity)
    if candidate.faults or candidate.config_error:
        return judged
    passed = [name for name in candidate.passed if name in known and name not in found.differing]
    quick = [name for name in passed if before.nodes[name].seconds < _QUICK_S]
    return replace(
        judged,
        secret=by_secret(bench, sources, known, before) if keeps("perturb") else None,
        canaries=by_canaries(bench, sources, passed) if keeps("canaries") else None,
        mutants=by_mutants(bench, sources, known, quick) if keeps("mutants") else None,
    )


def _second_look(
    bench: Bench, runs: list[Side], candidate: Side, sources: Sources, found: ValueEvidence
) -> ValueEvidence:
    """Values that part may do so by chance: both sides once more, for the files concerned alone."""
    passed = set(candidate.passed)
    odd = [name for name in found.differing if name in passed]
    if not odd:
        return found
    plan: Plan = (tuple(dict.fromkeys(map(file_of, odd))),)
    base, other = run_sides(
        bench.setup,
        [bench.run("base", sources, again=2, plan=plan), bench.run("candidate", sources, plan=plan)],
    )
    second = weigh(truths([*runs, base], odd), other, sources, ())
    return found.model_copy(update={"tests": found.tests | second.tests})


def _faithful(bench: Bench, before: Side) -> tuple[Sources, Side | None]:
    """The sources whose tests come out at base as they do when they are plain, and base's run of them."""
    paths = bench.paths(before)
    unfit: dict[str, str] = {}
    for _ in range(_ROUNDS):
        sources = rewrite(paths, bench.read, bench.name).also_plain(unfit).with_book(bench.book)
        if not sources.files and not sources.book.tests:
            return sources, None
        first = run_side(bench.setup, bench.run("base", sources))
        if first.faults or first.config_error:
            return sources.also_plain(
                dict.fromkeys(sources.shown, "base's session of rewritten tests failed")
            ), None
        wrong = {file_of(name) for name in _unlike(before, first)} & sources.shown
        if not wrong:
            return sources, first
        unfit |= dict.fromkeys(wrong, "its tests come out otherwise at base when they are rewritten")
        paths = [path for path in paths if shown_path(path) not in unfit]
    return sources.also_plain(dict.fromkeys(sources.shown, "no steady outcome at base")), None


def _unlike(before: Side, first: Side) -> list[str]:
    """Ids that pass at base, and do not in the other run."""
    passed = set(first.passed)
    return [name for name in before.passed if name not in passed]


def _nothing(before: Side, sources: Sources) -> ValueEvidence:
    return ValueEvidence.none(before.passed, dict(sources.plain))
