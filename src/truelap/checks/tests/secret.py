"""Passes with the judge's secret: literals that only the judge knows. Never cached."""

from __future__ import annotations

import hashlib
import secrets
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from truelap.checks.tests.attest_plan import file_of, rewrite
from truelap.checks.tests.secret_again import differing, settled
from truelap.checks.tests.steadiness import function_of
from truelap.checks.tests.value_evidence import (
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
    from truelap.checks.tests.sessions import Plan, Recording, Run
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
        self,
        bench: Bench,
        side: str,
        test_s: float,
        skip: Sequence[str] = (),
        *,
        plan: Plan | None = None,
        again: int = 0,
    ) -> Run:
        """Another run of them; `again` is how many times base ran them before, each time with another hash seed."""
        # Its second hash seed is that of base's second run of the tests as they are.
        made = bench.run(side, self.changed, again=again + 1 if again else 0, plan=plan)
        idle_s = self.idle_s if side == "base" else 0.0
        return _soft(made, bench.recording(side, soft=True, test_s=test_s, idle_s=idle_s), skip)

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
    run = _soft(bench.run("base", changed), bench.recording("base", soft=True, test_s=test_s, idle_s=idle_s))
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
    weighed = partial(_weighed, sources=sources, changed=changed, known=known)
    tests = weighed([base], names, candidate)
    if odd := differing(tests):
        # As for plain values: what differs may do so by chance, because of what runs beside it, or for want of time.
        longest_s = max(secret.test_s, min(bench.setup.policy.tests.test_timeout_s, _TIMES * _slowest(plain)))
        plan = _plan(odd)
        again = bench.made(secret.run(bench, "base", secret.test_s, skip, plan=plan, again=1), apart=True)
        candidate = bench.made(secret.run(bench, "candidate", longest_s, skip, plan=plan), apart=True)
        runs = [base, again]
        tests |= weighed(runs, odd, candidate)
        looked = partial(_look, bench, secret, skip)
        tests |= settled(runs, differing(tests), partial(weighed, candidate=candidate), looked)
    late = tuple(name for name in differing(tests) if _ended_late(candidate, name))
    same = _unchanged(known, base)
    return SecretEvidence(tests=tests, late=late, left_out=tuple(skip), n_asked=len(known), unchanged=same)


def _weighed(
    runs: Sequence[Side],
    names: Sequence[str],
    candidate: Side,
    *,
    sources: Sources,
    changed: Sources,
    known: Mapping[str, Truth],
) -> dict[str, Ruled]:
    truth = perturbed_truths(runs, names, sources, changed, known)
    return weigh(truth, candidate, changed, (), perturbed=True).tests


def _look(bench: Bench, secret: Secret, skip: Sequence[str], names: Sequence[str], again: int) -> Side:
    """Another run of base, of these tests alone where they can be asked for."""
    counted = any(function_of(name) in bench.wandering for name in names)
    made = secret.run(bench, "base", secret.test_s, skip, plan=_plan(names), again=again)
    return bench.made(replace(made, only=() if counted else tuple(names)), apart=True)


def _plan(names: Sequence[str]) -> Plan:
    return (tuple(dict.fromkeys(map(file_of, names))),)


def _slowest(side: Side) -> float:
    return max((node.seconds for node in side.nodes.values()), default=0.0)


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


def _unchanged(known: Mapping[str, Truth], base: Side) -> tuple[str, ...]:
    """Tests that send just what they send with base's own literals; parametrized ones that have another id do not."""
    sent = values_of(base)
    functions = {function_of(name) for name in sent}

    def same(name: str, truth: Truth) -> bool:
        if name not in sent:
            return "[" not in name or function_of(name) not in functions
        # What is sent with other literals alone, whether an assertion holds, is no other value.
        return all(sent[name].get(place) == list(value.values) for place, value in truth.items())

    return tuple(name for name, truth in known.items() if same(name, truth))
