"""The gates of an older trial that read what happened to the patch and the trees, each a station of the usual line.

A file that is there and cannot be believed raises `BrokenError`; the caller makes that inconclusive, never a pass.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

from truelap.model import Finding, Patch, StationRecord, shown
from truelap.peers.formulacode.artifacts import NestedReward, PatchInfo, ProtectedRestore
from truelap.peers.formulacode.diff import DiffError, edited_files
from truelap.peers.formulacode.folder import BrokenError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from truelap.model import Case, Level
    from truelap.peers.formulacode.folder import Folder
    from truelap.policy import Policy

_LISTED = 50
_INTEGRITY: dict[str, tuple[str, Level, str]] = {
    "base_changed": (
        "tamper:base_changed",
        "fail",
        "the unpatched copy was changed while the patch was judged",
    ),
    "tree_not_restored": (
        "station:tests",
        "inconclusive",
        "the patched tree did not come back after the base's tests",
    ),
}


def collect(case: Case, folder: Folder, _policy: Policy) -> Case:
    """The submission, as the trial recorded it; a refused or broken diff ends here."""
    word, diff = folder.text("agent_tree.txt"), folder.read("patch.diff")
    info = folder.json("patch_info.json", PatchInfo)
    empty = not (diff or b"").strip()
    if word not in {"tree_diff_refused", "tree_diff_failed"}:
        if diff is None and (info is None or info.applied):
            raise BrokenError("patch.diff is missing: the trial ended before it recorded the patch")
        if not empty and info is not None and not info.applied:
            raise BrokenError("patch_info.json says that no patch was applied, patch.diff holds one")
    patch = Patch(
        sha256=hashlib.sha256(diff or b"").hexdigest(),
        applied=not empty,
        error="agent_tree.txt says so" if word == "tree_diff_failed" else None,
        files=info.files if info else 0,
        added_lines=info.added_lines if info else 0,
        removed_lines=info.removed_lines if info else 0,
        size_bytes=len(diff or b""),
    )
    if word == "tree_diff_failed":
        patch = patch.model_copy(update={"applied": False})
    refused = _refused(folder) if word == "tree_diff_refused" else ()
    return done(case, "collect", patch=patch, findings=refused, refused=bool(refused))


def restore(case: Case, folder: Folder, policy: Policy) -> Case:
    """Edits to the measurement setup: discarded and on record, or judged by the older rule."""
    record = folder.json("protected_restore.json", ProtectedRestore)
    if record is None or not record.ran:
        error = record.error if record else None
        skipped = (
            (_info("discarded:not_run", f"protected paths were not restored: {error}"),) if error else ()
        )
        return done(case, "restore", findings=(*skipped, *_edited(folder, policy)))
    if record.remaining is None or record.discarded is None:
        raise BrokenError("protected_restore.json: ran is true, but discarded or remaining is missing")
    left = tuple(
        Finding(code="tamper:protected", level="fail", message="a protected path was not put back", path=path)
        for path in record.remaining[:_LISTED]
    )
    base = case.base.model_copy(update={"commit": record.base or case.base.commit})
    return done(case, "restore", findings=left, discarded=tuple(record.discarded), base=base)


def rebuild(case: Case, folder: Folder, _policy: Policy) -> Case:
    """A trial whose last word is the build log gave no reward; whose fault that was is not on record."""
    later = ("test_results.json", "lsv/lsv_results.json", "test_timings.json")
    if folder.read("rebuild.log") is not None and all(folder.read(name) is None for name in later):
        raise BrokenError("the trial ended in the rebuild, and nothing says whether base builds")
    return case


def integrity(case: Case, folder: Folder, _policy: Policy) -> Case:
    """What the trial's own parser noticed about its trees, its baseline and its timing."""
    told = folder.json("reward.json", NestedReward)
    if told is None:
        return case
    found = [_INTEGRITY[word] for word in (told.timing_skipped, told.lsv_error) if word in _INTEGRITY]
    if told.lsv_error and not found:
        found = [("station:time", "inconclusive", f"lsv: {told.lsv_error}")]
    record = folder.json("protected_restore.json", ProtectedRestore)
    if told.timing_skipped == "tamper" and not (record and record.ran):
        found.append(("tamper:precheck", "fail", "the trial's own check found edits to protected files"))
    if told.invariants is not None and told.invariants.fatal:
        found.append(("station:time", "inconclusive", f"fatal invariant: {told.invariants.fatal}"))
    if told.snapshots_passed is False:
        found.append(("outputs:differ", "fail", "reward.json says that the snapshots did not pass"))
    unique = dict.fromkeys(found)
    return case.plus(findings=tuple(Finding(code=c, level=level, message=m) for c, level, m in unique))


def done(case: Case, station: str, **changed: Any) -> Case:
    """The case with what a gate found, and the gate on record (how long it took is not)."""
    return case.plus(stations=(StationRecord(name=station, status="done", seconds=0.0),), **changed)


def _info(code: str, message: str) -> Finding:
    return Finding(code=code, level="info", message=message)


def _refused(folder: Folder) -> tuple[Finding, ...]:
    entries = (folder.text("tree_diff_refused.txt") or "").splitlines()[:_LISTED]
    reasons = entries or ["agent_tree.txt says so"]
    return tuple(Finding(code="refused:tree_diff", level="fail", message=reason) for reason in reasons)


def _edited(folder: Folder, policy: Policy) -> Iterable[Finding]:
    try:
        paths = edited_files(folder.read("patch.diff") or b"", policy.protected.patterns)
    except DiffError as error:
        raise BrokenError(f"patch.diff: {error}") from error
    for path in paths[:_LISTED]:
        message = "a protected file has an added or removed line that is neither blank nor a comment"
        yield Finding(code="tamper:protected", level="fail", message=message, path=shown(path))
