"""What the outputs mean for the submission. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from truelap.model import Finding
from truelap.wording import counted, grouped

if TYPE_CHECKING:
    from collections.abc import Iterator

    from truelap.checks.outputs.evidence import OutputEvidence
    from truelap.policy import Policy

_TOUCHED = (
    "the candidate wrote here while its outputs were compared, which base did not, whatever stands there now"
)


def judge(evidence: OutputEvidence, policy: Policy) -> tuple[Finding, ...]:
    """The candidate must compute what base computes, wherever that can be seen."""
    return (
        *(_of_cases(evidence) if policy.keeps("outputs") else ()),
        *(_of_siblings(evidence) if policy.keeps("outputs") and policy.keeps("siblings") else ()),
        *(
            Finding(
                code="tamper:tree_changed",
                level="fail",
                message="changed while its outputs were compared",
                path=path,
            )
            for path in evidence.changed_files
        ),
        *(
            Finding(code="tamper:two_products", level="fail", message=text)
            for text in (evidence.two_products if policy.keeps("origins") else ())
        ),
        *(
            Finding(code="tamper:tree_touched", level="fail", message=_TOUCHED, path=path)
            for path in evidence.touched
        ),
    )


def _of_cases(evidence: OutputEvidence) -> Iterator[Finding]:
    for case in evidence.of("differs"):
        yield Finding(code="outputs:differ", level="fail", message=f"{case.id}: {case.ruling.reason}")
    for text in grouped((case.id, str(case.ruling.reason)) for case in evidence.of("missing")):
        yield Finding(code="outputs:missing", level="fail", message=text)
    yield Finding(
        code="outputs:compared",
        level="info",
        message=f"what {evidence.compared} of {counted(len(evidence.cases), 'benchmark')} {'computes' if len(evidence.cases) == 1 else 'compute'} could be compared with base's",
    )


def _of_siblings(evidence: OutputEvidence) -> Iterator[Finding]:
    for case in evidence.beside:
        yield Finding(
            code="outputs:sibling",
            level="fail",
            message=f"{case.id}: beside its own calls: {case.siblings.difference}",
        )
