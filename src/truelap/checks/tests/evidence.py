"""What the tests station measured, and what it means. Pure."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

from truelap.checks.tests.attest_judge import NO_VALUE
from truelap.checks.tests.base_notes import base_notes, newly_uncollected
from truelap.checks.tests.integrity import IntegrityEvidence
from truelap.checks.tests.lies import lies
from truelap.checks.tests.results import last_line
from truelap.checks.tests.selection import Selection
from truelap.checks.tests.sides import Side
from truelap.checks.tests.steadiness import Habits, function_of
from truelap.checks.tests.tampering import tampering
from truelap.checks.tests.telling import details, summary
from truelap.checks.tests.value_evidence import CanaryEvidence, MutantEvidence, SecretEvidence, ValueEvidence
from truelap.model import Evidence, Finding
from truelap.wording import counted

if TYPE_CHECKING:
    from collections.abc import Iterable

    from truelap.checks.tests.messages import Plugin
    from truelap.policy import Policy

_NAMED = 5
"""How many node ids a finding spells out; tests.json holds all."""

_VALUED = ("failed", "other values")
"""Outcomes of which a value tells more; of a test that never ran there is none."""

_DATA = "is data that base's test code reads; the tests had base's version"


class TestsEvidence(Evidence):
    """Both sides' sessions of the same tests under the same configuration."""

    __test__ = False
    section: ClassVar[str] = "tests"

    base: Side
    candidate: Side | None
    """None when base alone already made the answer inconclusive."""
    selection: Selection
    config_file: str | None
    """Base's own file, None when base configures nothing."""
    min_base_pass: int
    pytest: str
    """Version of the project's pytest."""
    values: ValueEvidence | None = None
    """None when no values were compared."""
    secret: SecretEvidence | None = None
    """Of tests with changed literals; None when there was no such pass."""
    canaries: CanaryEvidence | None = None
    """Of tests that must fail; None when none ran."""
    data: tuple[str, ...] = ()
    """Changed files that base's test code reads: the candidate's tests had base's version."""
    mutants: MutantEvidence | None = None
    """Of a package that the judge has changed; None when there was no such pass."""
    integrity: IntegrityEvidence | None = None
    """What only the candidate changes in that which judges it; None when nobody looked."""
    habits: Habits = Habits()
    """What base's other runs left and loaded: they differ, and the candidate may differ likewise."""

    @property
    def blocked(self) -> bool:
        """Whether base itself cannot be judged by these tests."""
        return bool(_base_findings(self))

    @cached_property
    def regressed(self) -> tuple[str, ...]:
        """Ids that passed at base and did anything else in the candidate, and what else counts as one of them."""
        if self.candidate is None:
            return ()
        if self.candidate.config_error is not None:
            return ("config:unavailable",)
        ids = [name for name in self.base.passed if self.fate(name) != "passed"]
        plugins = dict.fromkeys(f"plugin:{plugin.name}" for plugin in self.new_plugins)
        faults = dict.fromkeys(f"session:{fault.code}" for fault in self.candidate.faults)
        changed = [*(f"perturb:{name}" for name in self.perturbed), *(f"late:{name}" for name in self.late)]
        sung = [f"canary:{n}" for n, _ in enumerate(self.canaries.passed, 1)] if self.canaries else []
        return (*ids, *changed, *sung, *plugins, *faults)

    @property
    def perturbed(self) -> tuple[str, ...]:
        """Ids that compute other values with other literals, and are not found out already."""
        return self._unknown(self.secret.differing if self.secret else ())

    @property
    def late(self) -> tuple[str, ...]:
        """Ids that do not end in time with other literals, likewise."""
        return self._unknown(self.secret.late if self.secret else ())

    def _unknown(self, names: Iterable[str]) -> tuple[str, ...]:
        return tuple(name for name in names if self._may_differ(name))

    def _may_differ(self, name: str) -> bool:
        """Whether a test runs as it is, so that what it does with other literals says more. Those may be in its id."""
        if name in self.base.nodes:
            return self.fate(name) == "passed"
        own = [one for one in self.base.passed if function_of(one) == function_of(name)]
        return not own or any(self.fate(one) == "passed" for one in own)

    @property
    def new_plugins(self) -> tuple[Plugin, ...]:
        """Plugins that only the candidate brought; the same name from another place is another plugin."""
        if self.candidate is None:
            return ()
        fresh = [plugin for plugin in self.candidate.plugins if plugin not in self.base.plugins]
        return self.habits.strange_plugins(fresh)

    def fate(self, name: str) -> str:
        """What became of a test in the candidate: its outcome, or "other values"."""
        nodes = self.candidate.nodes if self.candidate else {}
        outcome: str = nodes[name].outcome if name in nodes else "missing"
        differs = outcome == "passed" and self.values is not None and name in self.values.differing
        return "other values" if differs else outcome

    def summary(self) -> dict[str, Any]:
        """`tests` of verdict.json."""
        return summary(self, self.candidate or Side())

    def artifacts(self) -> dict[str, Any]:
        """tests.json."""
        return {"tests.json": details(self, self.candidate or Side())}


def judge(evidence: TestsEvidence, policy: Policy) -> tuple[Finding, ...]:
    """What the sessions mean. A fault of base is ours or the machine's, a fault of the candidate is its own."""
    blocked = _base_findings(evidence)
    chosen = (*_choice_findings(evidence.selection), *base_notes(evidence.base))
    if evidence.candidate is None:
        return (*blocked, *chosen)
    plugins = _plugin_findings(evidence) if policy.keeps("plugins") else ()
    did = tampering(evidence.base, evidence.candidate, evidence.habits, regressed=bool(evidence.regressed))
    found = (*did, *lies(evidence), *plugins)
    regressed = () if blocked else _regressions(evidence, evidence.candidate, policy)
    return (*blocked, *_put_back(evidence), *found, *regressed, *chosen, *_unsteady(evidence))


def _unsteady(evidence: TestsEvidence) -> Iterable[Finding]:
    if ids := evidence.base.unsteady:
        more = f" and {len(ids) - _NAMED} more" if len(ids) > _NAMED else ""
        verb = (
            "passes at base only sometimes, and is"
            if len(ids) == 1
            else "pass at base only sometimes, and are"
        )
        text = f"{counted(len(ids), 'test')} {verb} not judged: {', '.join(ids[:_NAMED])}{more}"
        yield Finding(code="tests:unsteady", level="info", message=text)


def _choice_findings(selection: Selection) -> Iterable[Finding]:
    """What a reader must know of tests that the submission's own paths chose."""
    if selection.by_submission:
        text = f"the paths that the submission changes chose the tests ({selection.strategy}), not all of base's ran"
        yield Finding(code="tests:chosen_by_paths", level="info", message=text)
    if selection.dropped:
        some = ", ".join(selection.dropped[:_NAMED])
        text = f"the tests that the submission's paths chose say nothing at base, so all ran: {some}"
        yield Finding(code="tests:choice_widened", level="info", message=text)


def _base_findings(evidence: TestsEvidence) -> tuple[Finding, ...]:
    base = evidence.base
    if base.config_error is not None:
        text = f"base's pytest configuration cannot be set up: {base.config_error}"
        return (Finding(code="tests:base_fault", level="inconclusive", message=text),)
    if base.faults:
        text = f"base's own test session failed: {base.faults[0].text}"
        return (Finding(code="tests:base_fault", level="inconclusive", message=text),)
    passed = len(base.passed)
    if passed >= evidence.min_base_pass:
        return ()
    reason = last_line(next(iter(base.uncollected.values()), ""))
    text = (
        f"{counted(passed, 'test')} {'passes' if passed == 1 else 'pass'} at base, at least"
        f" {evidence.min_base_pass} are needed to say anything ({len(base.nodes)} collected,"
        f" {counted(base.n_uncollected, 'file')} not collectable{': ' + reason if reason else ''})"
    )
    return (Finding(code="tests:too_few_base_passes", level="inconclusive", message=text),)


def _regressions(evidence: TestsEvidence, candidate: Side, policy: Policy) -> Iterable[Finding]:
    if candidate.config_error is not None:
        text = f"pytest cannot be given base's configuration: {candidate.config_error}"
        yield Finding(code="tests:config_unavailable", level="fail", message=text)
    for fault in candidate.faults if policy.keeps("session_end") else ():
        yield Finding(code="tests:session", level="fail", message=f"a test session failed: {fault.text}")
    spared = _spared(policy)
    known = (name for name in evidence.regressed if name in evidence.base.nodes)
    if ids := [name for name in known if evidence.fate(name) not in spared]:
        shown = ", ".join(f"{name} ({_became(evidence, name)})" for name in ids[:_NAMED])
        more = f" and {len(ids) - _NAMED} more" if len(ids) > _NAMED else ""
        text = f"{len(ids)} of {len(evidence.base.passed)} tests that pass at base do not: {shown}{more}"
        text += newly_uncollected(evidence.base, candidate)
        yield Finding(code="tests:regressed", level="fail", message=text)
    yield from _perturbed(evidence)


def _became(evidence: TestsEvidence, name: str) -> str:
    """What became of a test, and where its values leave base's."""
    ruled = evidence.values.tests.get(name) if evidence.values else None
    why = ruled.why if ruled and ruled.status == "differs" and evidence.fate(name) in _VALUED else ""
    if why.endswith(NO_VALUE) and (raised := _raised(evidence, name)):
        why = f"{why.removesuffix(NO_VALUE)}no value: {raised}"
    return f"{evidence.fate(name)}; {why}" if why else evidence.fate(name)


def _raised(evidence: TestsEvidence, name: str) -> str:
    """What the candidate raised there, as pytest shows it; "" where nothing is told."""
    node = evidence.candidate.nodes.get(name) if evidence.candidate else None
    said = last_line(node.message) if node else ""
    return said.removeprefix("E ").strip() if said.startswith("E ") else ""


def _perturbed(evidence: TestsEvidence) -> Iterable[Finding]:
    found = evidence.secret
    if found and (ids := evidence.perturbed):
        shown = "; ".join(f"{name} ({found.tests[name].why})" for name in ids[:_NAMED])
        more = f" and {len(ids) - _NAMED} more" if len(ids) > _NAMED else ""
        text = (
            f"{len(ids)} of {len(found.tests)} tests compute other values than base"
            f" once the judge has changed their literals (so ids and values are not the repository's): {shown}{more}"
        )
        yield Finding(code="tests:perturbed", level="fail", message=text)
    if found and (ids := evidence.late):
        more = f" and {len(ids) - _NAMED} more" if len(ids) > _NAMED else ""
        text = (
            f"{len(ids)} of {len(found.tests)} tests do not end in time, as they do at base,"
            f" once the judge has changed their literals: {', '.join(ids[:_NAMED])}{more}"
        )
        yield Finding(code="tests:late", level="fail", message=text)


def _put_back(evidence: TestsEvidence) -> Iterable[Finding]:
    return (Finding(code="discarded:test_data", level="info", message=_DATA, path=p) for p in evidence.data)


def _spared(policy: Policy) -> tuple[str, ...]:
    """Outcomes that are no regression, because a defence is off."""
    missing = () if policy.keeps("complete_ids") else ("missing",)
    return missing if policy.keeps("skips") else (*missing, "skipped", "xfailed", "xpassed")


def _plugin_findings(evidence: TestsEvidence) -> Iterable[Finding]:
    for plugin in evidence.new_plugins:
        origin = f" of {plugin.dist}" if plugin.dist else ""
        text = f"pytest loads plugin {plugin.name}{origin} with the candidate, and does not at base"
        yield Finding(code="tests:plugin", level="fail", message=text)
