"""What the candidate's sessions did to their trees and base's did not. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from truelap.model import Finding

if TYPE_CHECKING:
    from collections.abc import Iterator

    from truelap.checks.tests.evidence import Side

_TOUCHED = "a test run of the candidate wrote here, which base's runs did not, whatever stands there now"


def tampering(base: Side, candidate: Side, *, regressed: bool) -> Iterator[Finding]:
    """One finding a path.

    Args:
        base: all that base's runs did is the suite's habit.
        candidate: what its runs did.
        regressed: whether its tests fail; a test that fails may leave beside itself what it got, so that a folder that was
            written to is not held against it then.
    """
    for did, ours, theirs in (
        ("changed a file of its tree", base.changed, candidate.changed),
        ("added a file where tests or modules are read from", base.planted, candidate.planted),
        ("left something that cannot be read", base.unreadable, candidate.unreadable),
    ):
        for path in sorted({*theirs} - {*ours}):
            text = f"a test run of the candidate {did}, which base's run did not"
            yield Finding(code="tamper:tree_changed", level="fail", message=text, path=path)
    for path in sorted({*candidate.touched} - {*base.touched} - {*candidate.changed}):
        if not (regressed and path.endswith("/")):
            yield Finding(code="tamper:tree_touched", level="fail", message=_TOUCHED, path=path)
