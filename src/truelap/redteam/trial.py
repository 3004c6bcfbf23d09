"""One attack, three ways: as it is, its honest twin, and without the defence that must catch it; and what each must come to."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

if TYPE_CHECKING:
    from truelap.redteam.attack import Attack, Expected, Gain
    from truelap.redteam.bench import Bench, Came

Variant = Literal["attack", "twin", "ablated"]


class Trial(NamedTuple):
    """What came of one variant, and whether it is what the entry says; `wrong` says what is not."""

    attack: Attack
    variant: Variant
    came: Came
    wrong: str | None
    seconds: float

    def as_data(self) -> dict[str, Any]:
        """For JSON."""
        verdict = self.came.verdict
        return {
            "outcome": self.came.outcome,
            "failure_reason": verdict.failure_reason if verdict else None,
            "findings": sorted(codes(self.came)),
            "message": self.came.message,
            "as_expected": self.wrong is None,
            "wrong": self.wrong,
            "seconds": round(self.seconds, 2),
        }


def attempt(bench: Bench, attack: Attack, variant: Variant) -> Trial:
    """Run one variant."""
    began = time.monotonic()
    submission = attack.twin if variant == "twin" else attack.submission
    came = bench.judge(attack, submission, attack.ablated if variant == "ablated" else ())
    return Trial(attack, variant, came, _wrong(attack, variant, came), time.monotonic() - began)


def codes(came: Came, *levels: str) -> frozenset[str]:
    """Codes of the findings of some levels, of all where none is named."""
    findings = came.verdict.findings if came.verdict else ()
    return frozenset(finding.code for finding in findings if not levels or finding.level in levels)


def _wrong(attack: Attack, variant: Variant, came: Came) -> str | None:
    if variant == "twin":
        return _accused(came)
    if variant == "ablated" or attack.waiting:
        return _not_gained(attack.gain, came)
    return _not_caught(attack.expect, came)


def _not_caught(expect: Expected, came: Came) -> str | None:
    if came.marked:
        return "a program of the submission ran outside of every sandbox"
    reason = came.verdict.failure_reason if came.verdict else None
    if (came.outcome, reason) != (expect.outcome, expect.failure_reason):
        return f"came out {came.outcome} ({reason}), not {expect.outcome} ({expect.failure_reason})"
    if expect.finding is not None and expect.finding not in codes(came):
        return f"no finding {expect.finding}, but {', '.join(sorted(codes(came))) or 'none'}"
    return None


def _accused(came: Came) -> str | None:
    if came.marked:
        return "a program of the submission ran outside of every sandbox"
    if came.outcome != "accepted":
        return f"an honest submission came out {came.outcome}: {came.message}"
    return None


def _not_gained(gain: Gain, came: Came) -> str | None:
    if came.outcome != gain.outcome:
        return f"came out {came.outcome} all the same: {came.message}"
    if gain.speed is not None and (came.verdict is None or came.verdict.speed != gain.speed):
        return f"speed is {came.verdict.speed if came.verdict else None} all the same"
    if missing := set(gain.holds) - came.changed:
        return f"the candidate does not hold {', '.join(sorted(missing))}"
    if seen := set(gain.unseen) & came.told:
        return f"the record names {', '.join(sorted(seen))} all the same"
    if shown := [text for text in gain.hides if text.encode() in came.diff]:
        return f"the diff shows {shown[0]!r}"
    if gone := set(gain.keeps) - came.kept:
        return f"{', '.join(sorted(gone))} is not in the result folder"
    return "nothing of it has run" if gain.ran and not came.marked else None
