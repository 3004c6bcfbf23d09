"""The files behind a verdict of ours: what it says it was made from must lie beside it, and hold the numbers that it has."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from truelap.peers.formulacode.folder import BrokenError, check_json

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from truelap.model import Verdict
    from truelap.peers.formulacode.folder import Folder

_TESTS = ("n_base_pass", "regressed")
_TIMING = ("faster", "slower", "same", "missing", "invalid")
_OUTPUTS = ("equal", "differs", "missing", "not_comparable")
_PATCH = ("files", "added_lines", "removed_lines")


def unproved(verdict: Verdict, folder: Folder) -> Iterator[str]:
    """What is missing of the evidence, and what says something else than the verdict.

    Args:
        verdict: as read.
        folder: where it lies.
    """
    for name, said in _expected(verdict).items():
        try:
            content = folder.read(name)
            if content is None:
                yield f"{name} is missing: the verdict was made from it"
            elif said is not None and any(_told(name, check_json(content), said)):
                yield f"{name} and verdict.json disagree"
        except (BrokenError, ValueError, RecursionError) as error:
            yield f"{name}: {error}"


def _expected(verdict: Verdict) -> dict[str, Mapping[str, Any] | None]:
    """Names of the files, with what verdict.json says of their content; None where it says nothing."""
    found: dict[str, Mapping[str, Any] | None] = {"patch_info.json": verdict.submission.model_dump()}
    if _ended(verdict, "collect"):
        found["patch.diff"] = None
    if verdict.patch.get("submission_rejected"):
        found |= {"agent_tree.txt": None, "tree_diff_refused.txt": None}
    if _ended(verdict, "restore"):
        found |= {"protected_restore.json": None, "test_edits.json": None}
    sections = {"tests.json": verdict.tests, "outputs.json": verdict.outputs, "timing.json": verdict.timing}
    found |= {name: section for name, section in sections.items() if section}
    if verdict.reward.value is not None:
        found["reward-details.json"] = None
    return found


def _ended(verdict: Verdict, station: str) -> bool:
    """Whether a station left what it is for: it was made, and not by a fault of ours in vain."""
    made = any(record.name == station and record.status in {"done", "failed"} for record in verdict.stations)
    return made and not any(finding.code == f"station:{station}" for finding in verdict.findings)


def _told(name: str, content: Any, said: Mapping[str, Any]) -> Iterator[bool]:
    """For each number that both have: whether it differs."""
    if not isinstance(content, dict):
        yield True
        return
    if name in {"tests.json", "patch_info.json"}:
        keys = _TESTS if name == "tests.json" else _PATCH
        yield from (key in said and content.get(key) != said[key] for key in keys)
        return
    key, names = ("decision", _TIMING) if name == "timing.json" else ("status", _OUTPUTS)
    rows = content.get("benchmarks")
    listed = rows.values() if isinstance(rows, dict) else ()
    counts = Counter(str(row.get(key)) for row in listed if isinstance(row, dict))
    yield from (f"n_{one}" in said and counts[one] != said[f"n_{one}"] for one in names)
