"""Reading back a result of ours: nothing is computed anew, but its parts must agree with each other."""

from __future__ import annotations

from typing import TYPE_CHECKING

from truelap.model import Finding, Verdict
from truelap.peers.formulacode.evidence import unproved
from truelap.peers.formulacode.folder import BrokenError, check_json
from truelap.report import reward_numbers
from truelap.verdict import failure_reason, speed_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from truelap.peers.formulacode.folder import Folder

_NO_REWARD = ("reward.json", "reward.txt")


def reread(folder: Folder) -> Verdict:
    """The verdict of the folder; inconclusive, with every contradiction named, where its parts disagree.

    Raises:
        BrokenError: verdict.json is not a verdict of this format.
    """
    verdict = folder.json("verdict.json", Verdict)
    if verdict is None:
        raise BrokenError("verdict.json is missing")
    wrong = [*_within(verdict), *_beside(verdict, folder), *unproved(verdict, folder)]
    if not wrong:
        return verdict
    found = tuple(Finding(code="station:grade", level="inconclusive", message=text) for text in wrong)
    return verdict.model_copy(
        update={
            "outcome": "inconclusive",
            "failure_reason": failure_reason("inconclusive", verdict.findings),
            "findings": verdict.findings + found,
            "reward": verdict.reward.model_copy(
                update={"value": None, "reasons": ("the result contradicts itself",)}
            ),
        }
    )


def _within(verdict: Verdict) -> Iterator[str]:
    outcome, levels = verdict.outcome, {finding.level for finding in verdict.findings}
    if (outcome in {"rejected", "refused"}) != ("fail" in levels) and outcome != "inconclusive":
        yield f"verdict.json: outcome {outcome} does not follow from its findings"
    if outcome == "accepted" and (
        "inconclusive" in levels or not any(s.status == "done" for s in verdict.stations)
    ):
        yield "verdict.json: accepted although not everything was measured"
    if verdict.failure_reason != failure_reason(outcome, verdict.findings):
        yield f"verdict.json: failure_reason {verdict.failure_reason} does not follow from its findings"
    if (outcome == "refused") != (verdict.patch.get("submission_rejected") is not None):
        yield "verdict.json: outcome and patch.submission_rejected disagree"
    if verdict.speed != speed_of(verdict.timing):
        yield f"verdict.json: speed {verdict.speed} does not follow from timing"
    if outcome == "inconclusive" and verdict.reward.value is not None:
        yield "verdict.json: a reward without an outcome"


def _beside(verdict: Verdict, folder: Folder) -> Iterator[str]:
    if verdict.reward.value is None or verdict.outcome == "inconclusive":
        yield from (
            f"{name} is there without a reward" for name in _NO_REWARD if folder.read(name) is not None
        )
        return
    try:
        if check_json(folder.read("reward.json") or b"null") != reward_numbers(verdict):
            yield "reward.json and verdict.json disagree"
        if float(folder.text("reward.txt") or "nan") != verdict.reward.value:
            yield "reward.txt and verdict.json disagree"
    except (BrokenError, ValueError) as error:
        yield str(error)
