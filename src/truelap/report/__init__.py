"""From a verdict and its case to the bytes of every file of the contract, and to a text for the terminal. Pure.

Numbers that are not finite become null, and nothing that a submission can choose reaches a terminal unescaped.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from truelap.errors import WorldError
from truelap.report.ctrf import ctrf_data
from truelap.report.encode import finite, json_bytes, visible
from truelap.report.rewards import reward_details, reward_numbers
from truelap.report.text import render_text

if TYPE_CHECKING:
    from truelap.model import Case, Verdict

__all__ = [
    "artifact",
    "files",
    "finite",
    "json_bytes",
    "render_text",
    "reward_numbers",
    "verdict_bytes",
    "visible",
]

_OWN_FILES = ("verdict.json", "reward.json", "reward.txt", "reward-details.json", "ctrf.json", "report.txt")


def files(verdict: Verdict, case: Case, check: str | None = None) -> tuple[tuple[str, bytes], ...]:
    """Every file that verify writes, name and bytes, in the order of writing: verdict.json last.

    Args:
        verdict: of the case.
        case: at the end of its line.
        check: the one check that was made; report.txt then claims no outcome.

    Raises:
        WorldError: evidence claims a name that is not its own.
    """
    found = _defaults(verdict, case)
    for _, evidence in case.evidence:
        found |= {name: _as_bytes(content) for name, content in evidence.artifacts().items()}
    if stray := [name for name in found if name in _OWN_FILES or "/" in name or name.startswith(".")]:
        raise WorldError(f"report: evidence may not write {stray[0]}")
    if tests := artifact(case, "tests.json"):
        found["ctrf.json"] = json_bytes(ctrf_data(tests, verdict.tool))
    found |= _reward_files(verdict)
    found["report.txt"] = render_text(verdict, check, None).encode()
    return (*found.items(), ("verdict.json", verdict_bytes(verdict)))


def verdict_bytes(verdict: Verdict) -> bytes:
    """verdict.json."""
    return json_bytes(verdict.model_dump(mode="json"))


def artifact(case: Case, name: str) -> Any:
    """The newest artifact of that name among the evidence, or None."""
    return next((a[name] for _, e in reversed(case.evidence) if name in (a := e.artifacts())), None)


def _as_bytes(content: Any) -> bytes:
    if isinstance(content, bytes):
        return content
    return content.encode("utf-8", "backslashreplace") if isinstance(content, str) else json_bytes(content)


def _defaults(verdict: Verdict, case: Case) -> dict[str, bytes]:
    rejected, patch = verdict.patch.get("submission_rejected"), case.patch
    submission = verdict.submission
    info = {
        "applied": patch is not None and patch.applied,
        "files": submission.files,
        "added_lines": submission.added_lines,
        "removed_lines": submission.removed_lines,
    }
    found = {"patch_info.json": json_bytes(info)}
    if rejected:
        refused = [f for f in verdict.findings if f.level == "fail"]
        lines = (f"{visible(f.path or '-')}\t{f.code}\t{visible(f.message)}\n" for f in refused)
        found |= {
            "agent_tree.txt": f"{rejected}\n".encode(),
            "tree_diff_refused.txt": "".join(lines).encode(),
        }
    return found


def _reward_files(verdict: Verdict) -> dict[str, bytes]:
    if verdict.reward.value is None or verdict.outcome == "inconclusive":
        return {}
    return {
        "reward.json": json_bytes(reward_numbers(verdict)),
        "reward.txt": f"{verdict.reward.value!r}\n".encode(),
        "reward-details.json": json_bytes(reward_details(verdict)),
    }
