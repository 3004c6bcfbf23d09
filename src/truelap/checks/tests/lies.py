"""Findings that say that the candidate's worker does not tell what happened. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from truelap.model import Finding

if TYPE_CHECKING:
    from collections.abc import Iterable

    from truelap.checks.tests.evidence import TestsEvidence

_NAMED = 5
"""How many changes a finding spells out; the verdict holds more."""


def lies(evidence: TestsEvidence) -> Iterable[Finding]:
    """Canaries that passed, mutants that survived, and what was changed in the worker."""
    yield from _canaries(evidence)
    yield from _mutants(evidence)
    yield from _integrity(evidence)


def _canaries(evidence: TestsEvidence) -> Iterable[Finding]:
    for name in evidence.canaries.passed if evidence.canaries else ():
        text = f"a test that was made to fail, and fails at base, is reported as passed: {name}"
        yield Finding(code="tamper:canary", level="fail", message=text)


def _mutants(evidence: TestsEvidence) -> Iterable[Finding]:
    for name in evidence.mutants.survived if evidence.mutants else ():
        text = f"with a changed function a test meets wrong values, fails at base, and is reported as passed: {name}"
        yield Finding(code="tamper:mutant", level="fail", message=text)


def _integrity(evidence: TestsEvidence) -> Iterable[Finding]:
    found = evidence.integrity
    if found and found.changes:
        shown = "; ".join(change.text for change in found.changes[:_NAMED])
        more = f" and {len(found.changes) - _NAMED} more" if len(found.changes) > _NAMED else ""
        text = f"the candidate changes what judges its tests, and base does not: {shown}{more}"
        yield Finding(code="tamper:integrity", level="fail", message=text)
    if found and found.silent:
        text = f"{found.silent} test sessions of the candidate did not say what they saw changed"
        yield Finding(code="tamper:integrity", level="fail", message=text)
