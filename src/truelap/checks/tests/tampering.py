"""What the candidate's sessions did to their trees and base's did not. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from truelap.checks.tests.steadiness import Shapes
from truelap.model import Finding

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from truelap.checks.tests.sides import Side
    from truelap.checks.tests.steadiness import Habits

_TOUCHED = "a test run of the candidate wrote here, which base's runs did not, whatever stands there now"


def tampering(base: Side, candidate: Side, habits: Habits, *, regressed: bool) -> Iterator[Finding]:
    """One finding a path.

    Args:
        base: all that base's runs did is the suite's habit.
        candidate: what its runs did.
        habits: what each of base's runs did, where names differ from one to the next.
        regressed: whether its tests fail; a test that fails may leave beside itself what it got, so that a folder that was
            written to is not held against it then.
    """
    planted, unreadable = (base.planted, *habits.planted), (base.unreadable, *habits.unreadable)
    for did, usual, theirs in (
        ("changed a file of its tree", (base.changed, *habits.changed), candidate.changed),
        ("added a file where tests or modules are read from", planted, candidate.planted),
        ("left something that cannot be read", unreadable, candidate.unreadable),
    ):
        for path in _strange(theirs, usual):
            text = f"a test run of the candidate {did}, which base's run did not"
            yield Finding(code="tamper:tree_changed", level="fail", message=text, path=path)
    for path in _strange({*candidate.touched} - {*base.touched, *candidate.changed}, habits.touched):
        if not (regressed and path.endswith("/")):
            yield Finding(code="tamper:tree_touched", level="fail", message=_TOUCHED, path=path)


def _strange(theirs: Iterable[str], usual: Iterable[Iterable[str]]) -> list[str]:
    shapes = Shapes(usual)
    return sorted(path for path in {*theirs} if not shapes.cover(path))
