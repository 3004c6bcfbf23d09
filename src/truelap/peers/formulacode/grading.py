"""`grade`: a folder of artifacts in, a verdict out. Ours is read back strictly; an older trial's goes through its gates."""

from __future__ import annotations

from typing import TYPE_CHECKING

from truelap.errors import UsageError
from truelap.model import Base, Case, Finding, Machine
from truelap.peers.formulacode import gates, measured
from truelap.peers.formulacode.artifacts import SetupStatus
from truelap.peers.formulacode.folder import INNER, TOP, BrokenError, Folder
from truelap.peers.formulacode.ours import reread
from truelap.reward import with_reward
from truelap.verdict import decide

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from truelap.model import Verdict
    from truelap.policy import Policy

_GATES: tuple[tuple[str, Callable[[Case, Folder, Policy], Case]], ...] = (
    ("collect", gates.collect),
    ("restore", gates.restore),
    ("rebuild", gates.rebuild),
    ("tests", measured.tests),
    ("integrity", gates.integrity),
    ("time", measured.timing),
    ("outputs", measured.outputs),
)
_REQUIRED = ("collect", "restore", "tests", "time")
_OURS = "verdict.json"
_DIARY = "events.jsonl"
"""Only truelap's own runs leave it."""
_TRIALS_ALONE = ("setup_status.json", "test_results.json", "lsv/lsv_results.json")
"""Only older trials leave these."""
_TRIALS = (
    *("patch.diff", "patch_info.json", "agent_tree.txt", "protected_restore.json", "rebuild.log"),
    *_TRIALS_ALONE,
)
_REWARD = "reward.json"
"""An older trial's parser writes it beside the `artifacts` folder."""
_ELSEWHERE = Machine(system="unknown", cpu="unknown", cores=0, python="unknown", sandbox="unknown")


def grade(folder: Path, policy: Policy, *, tool: str) -> Verdict:
    """The verdict on a folder of artifacts. Nothing is run; what cannot be believed is inconclusive, never accepted.

    Args:
        folder: a result folder of ours (it holds verdict.json), or the artifacts of an older FormulaCode trial; or the
            folder above it, where that holds no result itself.
        policy: protected patterns, margin, minimum of base passes and reward scheme for an older trial.
        tool: name and version of truelap.

    Raises:
        UsageError: not a folder, one without any file of a trial, or one of a run of ours that came to no verdict.
    """
    with Folder(folder) as opened:
        # A result lies in one place: files of another one, below it, neither beat nor complete it.
        place = TOP if any(opened.holds(name, TOP) for name in (_OURS, _DIARY, *_TRIALS)) else INNER
        if opened.holds(_OURS, place):
            opened.keep_to(place)
            try:
                return reread(opened)
            except BrokenError as error:
                return _decided(_blank(opened, str(error)), policy, tool)
        of_a_trial = any(opened.holds(name, place) for name in _TRIALS_ALONE)
        if opened.holds(_DIARY, place) and not of_a_trial:
            raise UsageError(
                f"{folder}: holds no verdict, but the files of one check alone (truelap test, outputs or time) "
                "or of a run that did not end; truelap verify gives a verdict"
            )
        if not any(opened.holds(name, TOP, place) for name in (*_TRIALS, _REWARD)):
            raise UsageError(
                f"{folder}: holds neither verdict.json nor artifacts of a trial; name a result folder"
            )
        opened.keep_to(*dict.fromkeys((TOP, place)))
        return _decided(_through_gates(opened, policy), policy, tool)


def _blank(folder: Folder, fault: str | None = None) -> Case:
    found = (Finding(code="station:grade", level="inconclusive", message=fault),) if fault else ()
    base = Base(given="as recorded in the folder", commit=None, tree="")
    return Case(name=folder.name, base=base, findings=found)


def _through_gates(folder: Folder, policy: Policy) -> Case:
    try:
        setup = folder.json("setup_status.json", SetupStatus)
    except BrokenError as error:
        return _blank(folder, str(error))
    if setup is not None and (setup.succeeded is False or setup.exit_code):
        return _blank(folder, f"the trial's setup failed in phase {setup.failed_phase}")
    case = _blank(folder)
    for name, gate in _GATES:
        try:
            case = gate(case, folder, policy)
        except BrokenError as error:
            fault = Finding(code=f"station:{name}", level="inconclusive", message=str(error))
            case = case.plus(findings=(fault,))
        if case.refused or (case.patch is not None and not case.patch.applied):
            break
    return case


def _decided(case: Case, policy: Policy, tool: str) -> Verdict:
    verdict = decide(case, policy, seed=0, tool=tool, machine=_ELSEWHERE, required=_REQUIRED)
    return with_reward(verdict, case, policy)
