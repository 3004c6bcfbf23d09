"""Runs a few tests on a package that the judge has changed: they must fail as they do at base."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING, Any

from truelap.checks.tests.attest_perturb import Lot
from truelap.checks.tests.attest_plan import file_of, shown_path
from truelap.checks.tests.mutants import asserted_calls, contradicts, definitions, mutable
from truelap.checks.tests.results import unpacked
from truelap.checks.tests.secret import fresh_secret
from truelap.checks.tests.value_evidence import MutantEvidence
from truelap.model import SYMLINK
from truelap.policy import matches

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from truelap.checks.tests.attest_known import Truth
    from truelap.checks.tests.attest_plan import Sources
    from truelap.checks.tests.bench import Bench
    from truelap.checks.tests.sides import Side
    from truelap.world.files import TreeOnDisk

_MUTANTS = 2
_ROUNDS = 2
"""How often others are tried when none of them tells anything."""
_TEST_FILES = 12
_TESTS = 6
"""How many test files are read, and how many tests are run for one mutant."""
_TEST_S = 5.0
"""CPU seconds for one test: a changed function may keep its callers busy for ever."""
_MOST_BYTES = 1 << 26
_MOST_PARSED = 1 << 21
"""Bytes of the package that are searched for definitions, and that are parsed: the candidate may have written the latter."""


@dataclass(frozen=True)
class _Mutant:
    """One function, and the tests that compare what it gives."""

    name: str
    path: bytes
    ids: tuple[str, ...]


def by_mutants(
    bench: Bench, sources: Sources, known: Mapping[str, Truth], passed: Sequence[str]
) -> MutantEvidence:
    """Change functions of the package, and see whether the candidate's worker tells.

    Args:
        bench: of this verification.
        sources: the test files that can be rewritten.
        known: base's values of the tests as they are.
        passed: ids that the candidate passes by their values.

    Raises:
        WorldError: the machine or the sandbox failed.
    """
    lot = Lot(fresh_secret(bench.setup.seed), "")
    left = list(islice(_mutants(bench, sources, passed, lot), _MUTANTS * _ROUNDS))
    ran, killed = 0, 0
    survived: list[str] = []
    for _ in range(_ROUNDS):
        chosen, left = left[:_MUTANTS], left[_MUTANTS:]
        if not chosen:
            break
        ran += len(chosen)
        quiet = _quiet(bench, sources, chosen)
        killed += len(chosen) - len(quiet)
        # Only now it matters what they do at base.
        survived += _surviving(bench, sources, quiet, known) if quiet else []
        if killed or survived:
            break
    return MutantEvidence(ran=ran, killed=killed, survived=tuple(survived))


def _mutants(bench: Bench, sources: Sources, passed: Sequence[str], lot: Lot) -> Iterator[_Mutant]:
    """Functions that can be changed on both sides, in an order that nobody can foresee."""
    by_scope: dict[tuple[str, str], list[str]] = {}
    for name in passed:
        scope = name.partition("::")[2].partition("[")[0]
        by_scope.setdefault((file_of(name), scope), []).append(name)
    files = {file for file, _ in by_scope}
    ids: dict[str, list[str]] = {}
    for path in sorted((path for path in sources.files if shown_path(path) in files), key=lot.draw)[
        :_TEST_FILES
    ]:
        shown = shown_path(path)
        for name, scopes in asserted_calls(bench.read(path), shown).items():
            ids.setdefault(name, []).extend(
                test for scope in scopes for test in by_scope.get((shown, scope.replace(".", "::")), ())
            )
    defined = _defined(bench, {name for name, tests in ids.items() if tests})
    parsed = Parsed()
    for name in sorted(ids, key=lot.draw):
        path, *others = defined.get(name, [b""])
        if path in bench.candidate.manifest and not others and parsed.fits(bench, path, name):
            yield _Mutant(name, path, tuple(ids[name][:_TESTS]))


def _defined(bench: Bench, names: set[str]) -> dict[str, list[bytes]]:
    """The files of the package that define a function, by its name."""
    found: dict[str, list[bytes]] = {}
    left = _MOST_BYTES
    for path, (mode, *_) in bench.base.manifest.items():
        if mode == SYMLINK or not path.endswith(b".py") or matches(bench.setup.guarded, path) or left < 0:
            continue
        source = bench.read(path)
        left -= len(source)
        for name in definitions(source):
            if name in names:
                found.setdefault(name, []).append(path)
    return found


class Parsed:
    """Which functions of a file can be changed; each source is parsed once, and not endlessly many of them."""

    def __init__(self) -> None:
        self._names: dict[bytes, Collection[str]] = {}
        self._left = _MOST_PARSED

    def fits(self, bench: Bench, path: bytes, name: str) -> bool:
        """Whether a function can be changed on both sides."""
        sides = (bench.base, bench.candidate)
        # A build can leave a source of any length: it is not read to find that out.
        small = all(tree.manifest[path].size <= _MOST_PARSED for tree in sides)
        return small and all(name in self._of(_read(tree, path)) for tree in sides)

    def _of(self, source: bytes) -> Collection[str]:
        if source not in self._names:
            self._left -= len(source)
            self._names[source] = frozenset(mutable(source).wraps) if self._left >= 0 else ()
        return self._names[source]


def _read(tree: TreeOnDisk, path: bytes) -> bytes:
    return (tree.root / path.decode("utf-8", "surrogateescape")).read_bytes()


def _run(bench: Bench, side: str, sources: Sources, mutants: Sequence[_Mutant]) -> Side:
    tree = bench.base if side == "base" else bench.candidate
    names: dict[bytes, list[str]] = {}
    for mutant in mutants:
        names.setdefault(mutant.path, []).append(mutant.name)
    changed = {path: _changed(_read(tree, path), chosen) for path, chosen in names.items()}
    ids = tuple(dict.fromkeys(name for mutant in mutants for name in mutant.ids))
    made = bench.run(side, sources, plan=(tuple(dict.fromkeys(map(file_of, ids))),))
    run = replace(
        made,
        name=f"{made.name}-mutant",
        sources={**made.sources, **changed},
        recording=bench.recording(side, test_s=_TEST_S),
        only=ids,
        keep=False,
        on_record=False,
    )
    return bench.ran(run)


def _changed(source: bytes, names: Sequence[str]) -> bytes:
    return mutable(source).mutated(names) or source


def _quiet(bench: Bench, sources: Sources, mutants: Sequence[_Mutant]) -> list[_Mutant]:
    """Mutants that the candidate's worker does not tell of: all of their tests are said to pass."""
    side = _run(bench, "candidate", sources, mutants)
    passed = set(side.passed)
    return [mutant for mutant in mutants if passed.issuperset(mutant.ids)]


def _surviving(
    bench: Bench, sources: Sources, mutants: Sequence[_Mutant], known: Mapping[str, Truth]
) -> Iterator[str]:
    """Of these the ones that fail at base with the very values that pass at the candidate."""
    base, candidate = (_run(bench, side, sources, mutants) for side in ("base", "candidate"))
    passed = set(candidate.passed)
    ours, theirs = _events(base), _events(candidate)
    for mutant in mutants:
        failed = [name for name in mutant.ids if name in base.nodes and base.nodes[name].outcome == "failed"]
        told = [
            name
            for name in failed
            if contradicts(known.get(name, {}), ours.get(name, ()), theirs.get(name, ()))
        ]
        if told and passed.issuperset(failed):
            yield f"{mutant.name}: {told[0]}"


def _events(side: Side) -> dict[str, list[Any]]:
    return {
        name: list(unpacked(parts)) for session in side.sessions for name, parts in session.values.items()
    }
