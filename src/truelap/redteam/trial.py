"""One attack, three ways: as it is, its honest twin, and without the defence that must catch it; and what each must come to."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

    from truelap.redteam.attack import Attack, Gain
    from truelap.redteam.bench import Bench, Came

Variant = Literal["attack", "twin", "ablated"]


class Trial(NamedTuple):
    """What came of one variant, and whether it is what the entry says; `wrong` says what is not."""

    attack: Attack
    variant: Variant
    came: Came
    wrong: str | None
    seconds: float

    @property
    def accused(self) -> bool:
        """Whether an honest submission was called a bad one. One that was never judged was not."""
        judged = self.came.outcome in {"rejected", "refused"}
        return self.variant == "twin" and self.wrong is not None and judged

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
        return _not_accepted(came)
    if variant == "ablated" or attack.waiting:
        return _not_gained(attack.gain, came)
    return _not_caught(attack, came)


def _not_caught(attack: Attack, came: Came) -> str | None:
    expect = attack.expect
    if came.marked:
        return "the submission left its mark outside of every sandbox"
    if left := came.kept.intersection(attack.gain.keeps):
        return f"{', '.join(sorted(left))} was left in the result folder"
    reason = came.verdict.failure_reason if came.verdict else None
    if came.outcome != expect.outcome or expect.failure_reason not in {None, reason}:
        return f"came out {came.outcome} ({reason}), not {expect.outcome} ({expect.failure_reason})"
    if expect.finding is not None and expect.finding not in codes(came):
        return f"no finding {expect.finding}, but {', '.join(sorted(codes(came))) or 'none'}"
    if expect.faster is not None and (came.speed == "faster") != expect.faster:
        return f"it was called {came.speed}"
    return None


def _not_accepted(came: Came) -> str | None:
    if came.marked:
        return "the submission left its mark outside of every sandbox"
    if came.outcome == "usage":
        return f"was not judged: {came.message}"
    if came.outcome != "accepted":
        return f"an honest submission came out {came.outcome}: {came.message}"
    return None


def _not_gained(gain: Gain, came: Came) -> str | None:
    return next(_lacking(gain, came), None)


def _lacking(gain: Gain, came: Came) -> Iterator[str]:
    if came.outcome != gain.outcome:
        yield f"came out {came.outcome} all the same: {came.message}"
    if gain.speed not in {None, came.speed}:
        yield f"its speed is {came.speed} all the same"
    if missing := set(gain.holds) - came.changed:
        yield f"the candidate does not hold {', '.join(sorted(missing))}"
    if seen := set(gain.unseen) & came.told:
        yield f"the record names {', '.join(sorted(seen))} all the same"
    if shown := [text for text in gain.hides if text.encode() in came.diff]:
        yield f"the diff shows {shown[0]!r}"
    if gone := set(gain.keeps) - came.kept:
        yield f"{', '.join(sorted(gone))} is not in the result folder"
    if gain.ran and not came.marked:
        yield "it left no mark"
