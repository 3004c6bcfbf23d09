"""Passes with the judge's secret: literals that only the judge knows, and assertions that must fail. Never cached."""

from __future__ import annotations

import hashlib
import secrets
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from truelap.checks.tests.attest_canary import canaries
from truelap.checks.tests.attest_perturb import Lot
from truelap.checks.tests.attest_plan import file_of, rewrite, shown_path
from truelap.checks.tests.sessions import Recording
from truelap.checks.tests.steadiness import function_of
from truelap.checks.tests.value_evidence import (
    CanaryEvidence,
    SecretEvidence,
    perturbed_truths,
    values_of,
    weigh,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from truelap.checks.tests.attest_known import Truth
    from truelap.checks.tests.attest_plan import Sources
    from truelap.checks.tests.bench import Bench
    from truelap.checks.tests.results import Node, Session
    from truelap.checks.tests.sessions import Plan, Run
    from truelap.checks.tests.sides import Side
    from truelap.checks.tests.value_evidence import Ruled

_SHORTEST_S, _LONGEST_S = 0.6, 5.0
"""CPU seconds for one test of base with other literals: three times what the slowest takes as it is, within these bounds. The
candidate has no less, and where something differs no less than three times what its own slowest takes."""
_IDLE_S = 0.3
_IDLE_TIMES = 1.25
"""Seconds for which base's test may wait: a little more than the slowest takes as it is, and no less than this. With other literals a
socket waits for bytes that never come. The candidate may wait longer: it must not lose a test to chance."""
_TIMES = 3
_SLOW_SHARE = 0.5
"""A test that takes more of that at base is left out: the candidate must not lose it to chance."""
_TOO_LONG = "TimeLimitError"
"""What the worker raises in a test that is over its limit; a worker that lies about it has failed all the same."""
_CANARY_FILES = 3
_CANARIES = 2
"""How many in one file."""
_PLANTED = 40


def fresh_secret(seed: int) -> bytes:
    """A secret that the seed alone does not give away."""
    return hashlib.sha256(seed.to_bytes(32, "little", signed=True) + secrets.token_bytes(32)).digest()


@dataclass(frozen=True)
class Secret:
    """Tests with other literals, and base's run of them.

    Attributes:
        sources: what was changed.
        changed: what became of it.
        test_s: CPU seconds that base had for one test.
        idle_s: seconds that it might wait in one.
        base: its run, by the ids that it has itself.
    """

    sources: Sources
    changed: Sources
    test_s: float
    idle_s: float
    base: Side

    def run(
        self, bench: Bench, side: str, test_s: float, skip: Sequence[str] = (), *, plan: Plan | None = None
    ) -> Run:
        """Another run of them, for which base takes another hash seed."""
        made = bench.run(side, self.changed, again=2 if side == "base" else 0, plan=plan)
        idle_s = self.idle_s if side == "base" else 0.0
        return _soft(made, Recording(bench.name, soft=True, test_s=test_s, idle_s=idle_s), skip)

    def slow(self, bench: Bench) -> list[str]:
        """Tests that take base too long."""
        nodes = bench.named(self.base).nodes
        return [name for name, node in nodes.items() if _is_slow(node, self.test_s)]


def _soft(run: Run, recording: Recording, skip: Sequence[str] = ()) -> Run:
    return replace(run, name=f"{run.name}-secret", recording=recording, skip=tuple(skip), keep=False)


def with_secret(bench: Bench, sources: Sources, before: Side) -> Secret | None:
    """Change the literals of tests, and see what base makes of them.

    Args:
        bench: of this verification.
        sources: the files that can be rewritten.
        before: base's times with its tests as they are.

    Returns:
        None when nothing can be changed.

    Raises:
        WorldError: the machine or the sandbox failed.
    """
    secret = fresh_secret(bench.setup.seed)
    changed = rewrite(sources.files, bench.read, bench.name, secret, bench.modules)
    changed = changed.with_book(sources.book.perturbed(secret))
    if not changed.files and not changed.book.tests:
        return None
    slowest_s = _slowest(before)
    test_s = min(_LONGEST_S, max(_SHORTEST_S, _TIMES * slowest_s))
    idle_s = max(_IDLE_S, _IDLE_TIMES * slowest_s)
    run = _soft(bench.run("base", changed), Recording(bench.name, soft=True, test_s=test_s, idle_s=idle_s))
    return Secret(sources, changed, test_s, idle_s, bench.ran(run))


def asked(bench: Bench, secret: Secret) -> Side:
    """The candidate's run of the tests whose literals were changed.

    Raises:
        WorldError: the machine or the sandbox failed.
    """
    return bench.made(secret.run(bench, "candidate", secret.test_s, secret.slow(bench)))


def by_secret(
    bench: Bench, secret: Secret, candidate: Side, *, known: Mapping[str, Truth], before: Side, plain: Side
) -> SecretEvidence:
    """Judge the candidate by tests whose literals were changed: it must send what base sends.

    Args:
        bench: of this verification.
        secret: the tests, and base's run of them.
        candidate: its run, see `asked`.
        known: base's values of the tests as they are.
        before: base's outcomes, likewise.
        plain: the candidate's.

    Raises:
        WorldError: the machine or the sandbox failed.
    """
    base, sources, changed = bench.named(secret.base), secret.sources, secret.changed
    skip = secret.slow(bench)
    names = _judged_ids(base, {*skip}, changed, before)
    truth = perturbed_truths([base], names, sources, changed, known)
    tests = weigh(truth, candidate, changed, (), perturbed=True).tests
    if odd := _differing(tests):
        # As for plain values: what differs may do so by chance, because of what runs beside it, or for want of time.
        longest_s = max(secret.test_s, min(bench.setup.policy.tests.test_timeout_s, _TIMES * _slowest(plain)))
        plan: Plan = (tuple(dict.fromkeys(map(file_of, odd))),)
        again = bench.made(secret.run(bench, "base", secret.test_s, skip, plan=plan), apart=True)
        candidate = bench.made(secret.run(bench, "candidate", longest_s, skip, plan=plan), apart=True)
        both = perturbed_truths([base, again], odd, sources, changed, known)
        tests |= weigh(both, candidate, changed, (), perturbed=True).tests
    late = tuple(name for name in _differing(tests) if _ended_late(candidate, name))
    return SecretEvidence(tests=tests, late=late, left_out=tuple(skip), n_changed=_n_changed(known, base))


def _slowest(side: Side) -> float:
    return max((node.seconds for node in side.nodes.values()), default=0.0)


def _differing(tests: Mapping[str, Ruled]) -> list[str]:
    return [name for name, ruled in tests.items() if ruled.status == "differs"]


def _ended_late(side: Side, name: str) -> bool:
    """Whether a test was ended for time: by its own limit, or with its session, before or after it was collected."""
    homes = [session for session in side.sessions if name in session.nodes]
    return any(map(partial(_cut, name), homes or [one for one in side.sessions if not one.nodes]))


def _cut(name: str, session: Session) -> bool:
    node = session.nodes.get(name)
    if node is None or node.outcome == "missing":
        return session.fault is not None and session.fault.code == "late"
    return _is_cut(node)


def _judged_ids(base: Side, skip: set[str], changed: Sources, before: Side) -> list[str]:
    """Rewritten tests that base ends soon, and that it does not pass only sometimes."""
    unsteady = {function_of(name) for name in before.unsteady}
    recorded = [name for name in base.nodes if name not in skip and changed.speaks(name)]
    return [name for name in recorded if function_of(name) not in unsteady]


def _is_slow(node: Node, test_s: float) -> bool:
    return node.outcome == "missing" or _is_cut(node) or node.seconds > test_s * _SLOW_SHARE


def _is_cut(node: Node) -> bool:
    return node.outcome != "passed" and _TOO_LONG in node.message


def _n_changed(known: Mapping[str, Truth], base: Side) -> int:
    """Tests whose values are others than with base's own literals; parametrized ones that have another id count as well."""
    sent = values_of(base)
    functions = {name.partition("[")[0] for name in sent}
    return sum(
        _telling(truth) != sent[name] if name in sent else name.partition("[")[0] in functions
        for name, truth in known.items()
    )


def _telling(truth: Truth) -> dict[tuple[int, int], list[object]]:
    return {place: list(known.values) for place, known in truth.items() if known.values}


def by_canaries(bench: Bench, sources: Sources, passed: Sequence[str]) -> CanaryEvidence:
    """Run a few tests that must fail.

    Args:
        bench: of this verification.
        sources: the files that can be rewritten.
        passed: ids that the candidate passes by their values.

    Raises:
        WorldError: the machine or the sandbox failed.
    """
    planted = _plant(bench, sources, passed, fresh_secret(bench.setup.seed))
    if not planted.ids:
        return CanaryEvidence(ran=0)
    wrong = _passing(bench, planted, "candidate", planted.ids)
    if not wrong:
        return CanaryEvidence(ran=len(planted.ids))
    # Only now it matters whether they do fail at base.
    fine = _passing(bench, planted, "base", wrong)
    return CanaryEvidence(ran=len(planted.ids), passed=tuple(name for name in wrong if name not in fine))


class _Planted:
    def __init__(self, sources: Sources, ids: Sequence[str]) -> None:
        self.sources = sources
        self.ids = tuple(ids)


def _plant(bench: Bench, sources: Sources, passed: Sequence[str], secret: bytes) -> _Planted:
    lot = Lot(secret, "")
    by_file: dict[str, list[str]] = {}
    for name in passed:
        by_file.setdefault(file_of(name), []).append(name)
    changed: dict[bytes, bytes] = {}
    ids: list[str] = []
    for path in sorted(sources.files, key=lot.draw):
        here = by_file.get(shown_path(path), [])
        if not here or len(changed) == _CANARY_FILES:
            continue
        made = canaries(bench.read(path), secret, filename=shown_path(path), count=_PLANTED)
        found = _ids_of([canary.scope for canary in made.planted], here)
        if made.source is not None and found:
            changed[path] = made.source
            ids += found[:_CANARIES]
    asked = sorted(bench.book.ids.intersection(passed), key=lot.draw)[:_CANARIES]
    book = bench.book.spoilt({name: lot.draw("want", name) for name in asked})
    sources = rewrite(changed, changed.__getitem__, bench.name, modules=bench.modules).with_book(book)
    return _Planted(sources, [*ids, *(book.ids - set(ids))])


def _ids_of(scopes: Sequence[str], names: Sequence[str]) -> list[str]:
    wanted = {scope.replace(".", "::") for scope in scopes}
    return [name for name in names if name.partition("::")[2].partition("[")[0] in wanted]


def _passing(bench: Bench, planted: _Planted, side: str, ids: Sequence[str]) -> tuple[str, ...]:
    files: Plan = (tuple(dict.fromkeys(map(file_of, ids))),)
    made = bench.run(side, planted.sources, plan=files)
    quiet = replace(made, name=f"{made.name}-canary", only=tuple(ids), keep=False, on_record=False)
    ran = bench.ran(quiet)
    return tuple(name for name in ids if name in ran.nodes and ran.nodes[name].outcome == "passed")
