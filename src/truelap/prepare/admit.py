"""Station admit: every refusal rule over every entry, and over every path that the diff's text merely claims.

One refusal is enough: the candidate is then base, and nothing of the submission is run.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Protocol

from truelap.errors import WorldError
from truelap.model import EXECUTABLE, REGULAR, Entry, Evidence, Finding, shown
from truelap.prepare.collect import HasStore
from truelap.prepare.scene import scene, with_new_places
from truelap.rules import Change, Examined, examine, load_rules

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from truelap.model import Base, Case, Patch
    from truelap.policy import Policy
    from truelap.rules import Scene
    from truelap.settings import Settings
    from truelap.task import Task
    from truelap.world.git import Store
    from truelap.world.interpreter import Interpreter

_NOTHING = "0" * 40
# Stands for a diff that names no path at all, so that rules on the whole are still asked.
_WHOLE = b"(the whole submission)"


class HasPlaces(HasStore, Protocol):
    """A world, as far as this station needs one."""

    @property
    def interpreter(self) -> Interpreter | None:
        """The project's own; None where its environment is not to be looked at."""


Rejected = Literal["tree_diff_refused", "tree_diff_failed"]


class Admission(Evidence):
    """What the rules said. Paths are the submission's own bytes."""

    section: ClassVar[str] = ""
    rejected: Rejected | None = None
    """Why nothing of the submission is used: refused by a rule, or not to be applied."""
    refused: tuple[tuple[str, bytes, str], ...] = ()
    """Rule, path and reason of each refusal."""
    discarded: tuple[tuple[str, bytes, str], ...] = ()
    """The same for entries that are put back to base."""

    def artifacts(self) -> dict[str, Any]:
        """The files that stand for a rejected diff; none for one that was admitted."""
        if self.rejected is None:
            return {}
        lines = (json.dumps({"path": shown(p), "rule": r, "reason": why}) for r, p, why in self.refused)
        refusals = {"tree_diff_refused.txt": "".join(f"{line}\n" for line in lines)} if self.refused else {}
        return {"agent_tree.txt": self.rejected, **refusals}


def admit(case: Case, world: HasPlaces, policy: Policy, task: Task, settings: Settings) -> Case:  # noqa: ARG001 - a station
    """The case with a finding for each ruling; after a refusal or failure, base is the candidate.

    Raises:
        UsageError: the policy turns off a rule that does not exist.
    """
    patch = case.patch
    if patch is None:
        raise WorldError("admit was asked before collect")
    paths = frozenset(file.path for file in world.store.list_tree(case.base.tree))
    case = case.plus(base=with_new_places(case.base, task, paths, patch.entries))
    with world.store.reader() as read:
        sight = _scene(patch, case.base, world, policy, task=task, read=read)
        examined = tuple(examine(_changes(patch, world.store, policy), sight, load_rules(policy)))
    admission = _admission(patch, examined)
    findings = tuple(_finding(one) for one in examined)
    if admission.rejected == "tree_diff_failed":
        findings += (Finding(code="no_patch", level="fail", message=patch.error or ""),)
    evidence = (("admit", admission),)
    if admission.rejected is None:
        return case.plus(findings=findings, evidence=evidence)
    return case.plus(findings=findings, evidence=evidence, refused=True, candidate_tree=case.base.tree)


def _changes(patch: Patch, store: Store, policy: Policy) -> Iterator[Change]:
    files = [entry for entry in patch.entries if entry.new_mode in {REGULAR, EXECUTABLE}]
    contents = store.blobs_up_to(policy.refuse.max_file_bytes, (entry.new_blob for entry in files))
    for entry in patch.entries:
        content = next(contents)[1] if entry.new_mode in {REGULAR, EXECUTABLE} else None
        yield Change(entry, content)
    held = {entry.path for entry in patch.entries}
    claimed = [path for path in patch.claimed_paths if path not in held]
    for path in claimed or ([] if held else [_WHOLE]):
        claim = Entry(path=path, old_mode=0, new_mode=REGULAR, old_blob=_NOTHING, new_blob=_NOTHING)
        yield Change(claim, None)


def _scene(
    patch: Patch, base_of: Base, world: HasPlaces, policy: Policy, *, task: Task, read: Callable[[str], bytes]
) -> Scene:
    base = {file.path: file for file in world.store.list_tree(base_of.tree)}

    def content(path: bytes) -> bytes | None:
        file = base.get(path)
        return read(file.blob) if file is not None and file.mode in {REGULAR, EXECUTABLE} else None

    return scene(
        base_of,
        {path: file.mode for path, file in base.items()},
        policy,
        task,
        world.interpreter,
        files=max(patch.files, len(patch.claimed_paths)),
        diff_bytes=patch.size_bytes,
        unpacked_bytes=patch.unpacked_bytes,
        base_content=content,
        entries=patch.entries,
    )


def _admission(patch: Patch, examined: tuple[Examined, ...]) -> Admission:
    said: dict[str, list[tuple[str, bytes, str]]] = {"refuse": [], "discard": []}
    for rule, path, ruling in examined:
        said[ruling.action].append((rule, path, ruling.reason))
    failed: Rejected | None = "tree_diff_failed" if patch.error else None
    return Admission(
        rejected="tree_diff_refused" if said["refuse"] else failed,
        refused=tuple(said["refuse"]),
        discarded=tuple(said["discard"]),
    )


def _finding(examined: Examined) -> Finding:
    rule, path, ruling = examined
    refuses = ruling.action == "refuse"
    return Finding(
        code=f"refused:{rule}" if refuses else f"discarded:{rule}",
        level="fail" if refuses else "info",
        message=ruling.reason,
        path=None if ruling.whole else shown(path),
    )
