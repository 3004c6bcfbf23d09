"""Runs rewritten tests on both sides: base twice, under two hash seeds, and the candidate under the first.

Tests that cannot be rewritten run as they are, as often: what base does only sometimes must be known of them too.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING

from truelap.checks.tests.attest_plan import file_of, rewrite, shown_path
from truelap.checks.tests.attest_shown import attributes
from truelap.checks.tests.bench import NEXT_SEED
from truelap.checks.tests.canaries import by_canaries
from truelap.checks.tests.confirm import confirmed
from truelap.checks.tests.integrity import compare
from truelap.checks.tests.mutated import by_mutants
from truelap.checks.tests.readable import written_by_base
from truelap.checks.tests.secret import asked, by_secret, with_secret
from truelap.checks.tests.sessions import Run
from truelap.checks.tests.steadiness import Habits, function_of, habits_of, missed, wandering
from truelap.checks.tests.value_evidence import SecretEvidence, ValueEvidence, truths, values_of, weigh

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from concurrent.futures import Executor, Future

    from truelap.checks.tests.attest_known import Truth
    from truelap.checks.tests.attest_plan import Sources
    from truelap.checks.tests.bench import Bench
    from truelap.checks.tests.integrity import IntegrityEvidence
    from truelap.checks.tests.secret import Secret
    from truelap.checks.tests.sides import Side
    from truelap.checks.tests.value_evidence import CanaryEvidence, MutantEvidence

_ROUNDS = 2
_QUICK_S = 1.0
"""Longest test, by base's own time, that runs on a changed package."""


@dataclass(frozen=True)
class Judged:
    """Both sides, and what was found beyond the outcomes that they claim.

    Attributes:
        base: without the tests that base itself passes only sometimes.
        habits: what base's runs left and loaded.
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
    habits: Habits = field(default_factory=Habits)


def by_outcomes(bench: Bench, before: Side) -> Judged:
    """Judge the candidate by what its worker says of tests as they are. See `by_values`."""
    run = Run("candidate", bench.candidate, bench.plan, book=bench.book, watched=True)
    candidate = bench.ran(run)
    return Judged(before, candidate, integrity=_integrity(bench, [before], before, candidate, run))


def _integrity(
    bench: Bench, bases: list[Side], before: Side, candidate: Side, run: Run
) -> IntegrityEvidence | None:
    if not bench.setup.policy.keeps("integrity"):
        return None
    found = compare(bases, before, candidate)
    # What is seen only after the tests may be there by chance.
    return found.again(compare(bases, before, bench.made(run))) if found.late else found


def by_values(bench: Bench, before: Side) -> Judged:
    """Judge the candidate by what its tests compare.

    Args:
        bench: of this verification.
        before: base's outcomes with its tests as they are.

    Raises:
        WorldError: the machine or the sandbox failed.
    """
    # What needs no answer of the candidate, or none of another run, goes on beside the rest.
    with bench.turns.aside() as threads:
        return _by_values(bench, before, threads)


def _by_values(bench: Bench, before: Side, threads: Executor) -> Judged:
    before, sources, first = _faithful(bench, before)
    secret = (
        threads.submit(with_secret, bench, sources, before) if bench.setup.policy.keeps("perturb") else None
    )
    second = replace(bench.run("base", sources, again=1), watched=True)
    again = bench.calm(second, partial(_is_doubtful, before))
    if not sound(again) and first is not None:
        sources, first = sources.bare("base's session of rewritten tests failed"), None
    before, *runs = bench.learn([before, *(run for run in (first, again) if run is not None and sound(run))])
    # From here on the candidate runs, and base must not run beside it.
    made = secret.result() if secret else None
    bench.shown = attributes(values for run in runs[:1] for values in values_of(run).values())
    run = replace(bench.run("candidate", sources), watched=True)
    told = threads.submit(asked, bench, made) if made and sources.name else None
    candidate = written_by_base(bench.made(run), sources.name, bench.lines(sources))
    steady = before.without({name for run in runs for name in missed(before, run)})
    names = list(filter(sources.speaks, steady.passed))
    known = truths(runs, names)
    found = weigh(known, candidate, sources, [name for name in steady.passed if name not in known])
    integrity = _integrity(bench, [before, again], steady, candidate, run)
    judged = Judged(steady, candidate, found, integrity=integrity, habits=habits_of([before, *runs]))
    if sound(candidate):
        judged = _settled(bench, sources, [before, *runs], judged)
        weighed = partial(_by_secret, bench, made, told, known, judged)
        judged = _with_secrets(bench, sources, known, judged, threads=threads, by_secret=weighed)
    return judged if bench.setup.policy.keeps("values") else replace(judged, values=None)


def _is_doubtful(before: Side, again: Side) -> bool:
    """Whether base's second run came out otherwise than the first, and not by names that it makes up anew each time."""
    made_up = wandering(before, again)
    return not sound(again) or any(function_of(name) not in made_up for name in missed(before, again))


def _settled(bench: Bench, sources: Sources, runs: Sequence[Side], judged: Judged) -> Judged:
    """What regressed is looked at again: it counts unless base itself turns out to be unsteady there."""
    passed, found = frozenset(judged.candidate.passed), judged.values
    assert found is not None  # noqa: S101
    odd = frozenset(found.differing) if bench.setup.policy.keeps("values") else frozenset()
    suspects = [name for name in judged.base.passed if name not in passed or name in odd]
    chance, rulings = confirmed(bench, sources, runs, judged.candidate, suspects)
    tests = {name: ruled for name, ruled in (found.tests | rulings).items() if name not in chance}
    return replace(judged, base=judged.base.without(chance), values=found.model_copy(update={"tests": tests}))


def _with_secrets(
    bench: Bench,
    sources: Sources,
    known: Mapping[str, Truth],
    judged: Judged,
    *,
    threads: Executor,
    by_secret: Callable[[], SecretEvidence],
) -> Judged:
    keeps, found = bench.setup.policy.keeps, judged.values
    wrong = frozenset(found.differing) if found else frozenset()
    passed = [name for name in judged.candidate.passed if name in known and name not in wrong]
    # An id that base has only once cannot be asked for.
    named = [name for name in passed if function_of(name) not in bench.wandering]
    quick = [name for name in named if judged.base.nodes[name].seconds < _QUICK_S]
    secret = threads.submit(by_secret) if keeps("perturb") else None
    canaries = threads.submit(by_canaries, bench, sources, named) if keeps("canaries") else None
    mutants = by_mutants(bench, sources, known, quick) if keeps("mutants") else None
    return replace(
        judged,
        secret=secret.result() if secret else None,
        canaries=canaries.result() if canaries else None,
        mutants=mutants,
    )


def _by_secret(
    bench: Bench,
    secret: Secret | None,
    told: Future[Side] | None,
    known: Mapping[str, Truth],
    judged: Judged,
) -> SecretEvidence:
    if secret is None or told is None:
        return SecretEvidence()
    return by_secret(bench, secret, told.result(), known=known, before=judged.base, plain=judged.candidate)


def _faithful(bench: Bench, before: Side) -> tuple[Side, Sources, Side | None]:
    """The sources whose tests come out at base as they do when they are plain, and base's run of them."""
    paths = bench.paths(before)
    unfit: dict[str, str] = {}
    checked: set[str] = set()
    for _ in range(_ROUNDS):
        sources = rewrite(paths, bench.read, bench.name, modules=bench.modules)
        sources = sources.also_plain(unfit).with_book(bench.book)
        if not sources.files and not sources.book.tests:
            return before, sources.bare(""), None
        first = bench.made(bench.run("base", sources))
        if not sound(first):
            return before, sources.bare("base's session of rewritten tests failed"), None
        before, first = bench.learn([before, first])
        if odd := {file_of(name) for name in missed(before, first)} & sources.shown - checked:
            checked |= odd
            before = _checked(bench, before, tuple(sorted(odd)))
        wrong = {file_of(name) for name in missed(before, first)} & sources.shown
        if not wrong:
            return before, sources, first
        unfit |= dict.fromkeys(wrong, "its tests come out otherwise at base when they are rewritten")
        paths = [path for path in paths if shown_path(path) not in unfit]
    return before, sources.bare("no steady outcome at base"), None


def _checked(bench: Bench, before: Side, files: tuple[str, ...]) -> Side:
    """Base's run without what another plain run of the same files does not bear out: rewriting is not to blame for that."""
    seed = bench.setup.seed ^ NEXT_SEED
    plain = Run("base-plain", bench.base, (files,), hash_seed=seed, book=bench.book, keep=True)
    other = bench.made(plain)
    if not sound(other):
        return before
    return before.without([name for name in missed(before, other) if file_of(name) in files])


def sound(side: Side) -> bool:
    """Whether every session of a run came to its end."""
    return not side.faults and side.config_error is None
