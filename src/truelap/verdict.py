"""From findings and evidence to one verdict. Pure: the same case gives the same verdict.

The worst finding wins. A refusal stands above all, since nothing was run. A failure stands on its own evidence, so it
rejects even where another station was inconclusive. Then anything inconclusive, a required station that did not run, or an
empty evidence set makes the whole inconclusive: what is not proved is not accepted.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from truelap.model import Finding, Reward, Submission, Verdict
from truelap.reasons import REASONS, reason_of
from truelap.wording import counted

if TYPE_CHECKING:
    from collections.abc import Iterable

    from truelap.model import Case, Machine, Outcome, Speed
    from truelap.policy import Policy

_MEASURING = ("tests", "outputs", "time", "confirm")
_DECIDED = ("n_faster", "n_slower", "n_same")


def decide(
    case: Case, policy: Policy, *, seed: int, tool: str, machine: Machine, required: tuple[str, ...]
) -> Verdict:
    """Judge a case that has come to the end of its line. The reward is left to `reward.with_reward`.

    Args:
        case: everything that the stations found.
        policy: what counts.
        seed: source of the judge's random choices.
        tool: name and version of truelap.
        machine: where it ran.
        required: stations without which nothing is accepted.
    """
    sections = _sections(case)
    findings = case.findings + _derived(case, policy, sections, machine)
    outcome = _outcome(case, findings)
    if outcome == "accepted" and (unproved := _unproved(case, required)):
        findings, outcome = findings + unproved, "inconclusive"
    return Verdict(
        tool=tool,
        policy={"name": policy.name, "digest": policy.digest},
        seed=seed,
        task={"name": case.name, "base": case.base.commit or case.base.given, "base_tree": case.base.tree},
        submission=_submission(case),
        patch={"submission_rejected": _submission_rejected(case, findings)},
        outcome=outcome,
        failure_reason=failure_reason(outcome, findings),
        speed=speed_of(sections["timing"]),
        findings=findings,
        stations=case.stations,
        discarded=case.discarded,
        tests=sections["tests"],
        outputs=sections["outputs"],
        timing=sections["timing"],
        reward=Reward(value=None, scheme=policy.reward.scheme),
        machine=machine,
    )


def exit_code(verdict: Verdict, require: Literal["faster"] | None = None) -> int:
    """0 accepted, 1 rejected or refused, 3 inconclusive.

    With `require` "faster", an accepted patch that is not a confirmed speed-up is 1 as well.
    """
    if verdict.outcome == "inconclusive":
        return 3
    if verdict.outcome != "accepted" or (require == "faster" and verdict.speed != "faster"):
        return 1
    return 0


def failure_reason(outcome: Outcome, findings: tuple[Finding, ...]) -> str | None:
    """The first reason of the contract that holds; None for an accepted case alone."""
    if outcome == "accepted":
        return None
    holding = {reason_of(f.code) for f in findings if f.level == "fail"}
    return next((reason for reason in REASONS if reason in holding), "not_measured")


def speed_of(timing: dict[str, Any]) -> Speed:
    """What the counts of `timing` say together."""
    faster, slower, same = (_count(timing, key) > 0 for key in _DECIDED)
    if faster and slower:
        return "mixed"
    if faster or slower:
        return "faster" if faster else "slower"
    return "same" if same else "not_measured"


def _sections(case: Case) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {"tests": {}, "outputs": {}, "timing": {}}
    for _, evidence in case.evidence:
        if evidence.section:
            found.setdefault(evidence.section, {}).update(evidence.summary())
    return found


def _derived(
    case: Case, policy: Policy, sections: dict[str, dict[str, Any]], machine: Machine
) -> tuple[Finding, ...]:
    return (
        *_unconfined(machine),
        *_without_patch(case),
        *_rejected_regressions(case, policy, sections),
        *_unknown(case.findings),
        *_ablated(policy),
    )


def _unconfined(machine: Machine) -> Iterable[Finding]:
    if not machine.confined:
        message = "judged without a sandbox: code of the submission could reach all that truelap's user can, this verdict too"
        yield Finding(code="sandbox:none", level="info", message=message)


def _ablated(policy: Policy) -> Iterable[Finding]:
    if off := (*policy.ablate.off, *(f"rule {name}" for name in policy.refuse.off)):
        message = f"made without defences that the policy switched off: {', '.join(off)}"
        yield Finding(code="ablated", level="info", message=message)


def _without_patch(case: Case) -> Iterable[Finding]:
    if any(f.level == "fail" and reason_of(f.code) == "no_patch" for f in case.findings):
        return
    if message := _why_no_patch(case):
        yield Finding(code="no_patch", level="fail", message=message)


def _why_no_patch(case: Case) -> str | None:
    patch = case.patch
    if patch is None:
        collected = any(s.name == "collect" and s.status == "done" for s in case.stations)
        return "there is no submission" if collected else None
    if not patch.applied:
        return f"the diff does not apply to base: {patch.error}" if patch.error else "the submission is empty"
    if case.refused:
        return "the submission was refused"
    return (
        "nothing is left of the submission after discarding"
        if case.candidate_tree == case.base.tree
        else None
    )


def _rejected_regressions(
    case: Case, policy: Policy, sections: dict[str, dict[str, Any]]
) -> Iterable[Finding]:
    slower = _count(sections["timing"], "n_slower")
    told = any(f.code == "benchmarks:regressed" and f.level == "fail" for f in case.findings)
    if policy.verdict.regressions == "reject" and slower and not told:
        message = f"{counted(slower, 'benchmark')} {'is' if slower == 1 else 'are'} slower, and the policy rejects that"
        yield Finding(code="benchmarks:regressed", level="fail", message=message)


def _unknown(findings: Iterable[Finding]) -> Iterable[Finding]:
    for finding in findings:
        if finding.level == "fail" and reason_of(finding.code) is None:
            message = f"a failure of unknown kind was reported: {finding.code}; this is a fault of truelap"
            yield Finding(code="station:verdict", level="inconclusive", message=message)


def _outcome(case: Case, findings: tuple[Finding, ...]) -> Outcome:
    failed = [f for f in findings if f.level == "fail" and reason_of(f.code)]
    if _is_refused(case, findings):
        return "refused"
    if failed:
        return "rejected"
    return "inconclusive" if any(f.level != "info" for f in findings) else "accepted"


def _is_refused(case: Case, findings: tuple[Finding, ...]) -> bool:
    return case.refused or _submission_rejected(case, findings) is not None


def _submission_rejected(case: Case, findings: tuple[Finding, ...]) -> str | None:
    if any(f.code.startswith("refused:") and f.level == "fail" for f in findings):
        return "tree_diff_refused"
    if case.patch is not None and not case.patch.applied and case.patch.error:
        return "tree_diff_failed"
    return "tree_diff_refused" if case.refused else None


def _unproved(case: Case, required: tuple[str, ...]) -> tuple[Finding, ...]:
    missing = [(name, why) for name in required if (why := _why_unproved(case, name))]
    if not case.evidence:
        missing.append(("verdict", "there is no evidence at all"))
    return tuple(Finding(code=f"station:{name}", level="inconclusive", message=why) for name, why in missing)


def _why_unproved(case: Case, name: str) -> str | None:
    if not any(s.name == name and s.status == "done" for s in case.stations):
        return f"the station {name} did not run to its end"
    if name not in _MEASURING:
        return None
    evidence = case.get(name)
    if evidence is None:
        return f"the station {name} left no evidence"
    summary = evidence.summary()
    if name == "tests" and summary.get("ran") is not True:
        return "no test was run"
    if name == "time" and not any(_count(summary, key) for key in _DECIDED):
        return "no benchmark was measured"
    return None


def _count(section: dict[str, Any], key: str) -> int:
    value = section.get(key)
    return value if isinstance(value, int) else 0


def _submission(case: Case) -> Submission:
    patch = case.patch
    return Submission(
        sha256=patch.sha256 if patch else "",
        files=patch.files if patch else 0,
        added_lines=patch.added_lines if patch else 0,
        removed_lines=patch.removed_lines if patch else 0,
        candidate_tree=case.candidate_tree,
    )
