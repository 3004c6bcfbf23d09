"""Station collect: turns what was submitted into one `Patch` against base, whatever form it came in.

A patch is applied to an index of ours, a revision is compared as a tree, a working tree is read from disk. No git of the
submission is asked, and nothing of it runs.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

from truelap.errors import UsageError
from truelap.model import GITLINK, Base, Evidence, Finding, Patch, shown
from truelap.prepare.base import asv_configs, suite_findings
from truelap.world.disk import UnreadableError
from truelap.world.worktree import Seen, TooMuchError, compare

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from truelap.model import Case
    from truelap.policy import Policy
    from truelap.settings import Settings
    from truelap.task import Task
    from truelap.world.git import Store


class HasStore(Protocol):
    """The part of the world that these stations touch."""

    @property
    def store(self) -> Store:
        """The private store."""


@dataclass(frozen=True)
class PatchFile:
    """A diff as somebody sent it."""

    content: bytes


@dataclass(frozen=True)
class Head:
    """A commit in a repository; what counts is its tree."""

    repo: Path
    revision: str


@dataclass(frozen=True)
class Worktree:
    """A folder: all edits count, whether committed, staged, unstaged, untracked or nested."""

    folder: Path


_SOME = 5

Submission = PatchFile | Head | Worktree


class Collected(Evidence):
    """The submission's whole difference from base, edits that are discarded later included."""

    section: ClassVar[str] = ""
    diff: bytes
    """For people: every line is shown, of binary files too."""
    applied: bool
    files: int
    added_lines: int
    removed_lines: int

    def artifacts(self) -> dict[str, Any]:
        """The diff and its size."""
        counts = self.model_dump(include={"applied", "files", "added_lines", "removed_lines"})
        return {"patch.diff": self.diff, "patch_info.json": counts}


def read_patch(path: Path, policy: Policy) -> PatchFile:
    """Read a diff; of one over the policy's limit just enough to know that it is over.

    Raises:
        UsageError: the file cannot be read.
    """
    try:
        with path.open("rb") as stream:
            return PatchFile(stream.read(policy.refuse.max_diff_bytes + 1))
    except OSError as error:
        raise UsageError(f"patch {path}: {error.strerror}; name a readable file with --patch") from error


def collect(  # noqa: PLR0917 - the stations' shape
    submission: Submission,
    case: Case,
    world: HasStore,
    policy: Policy,
    task: Task,  # noqa: ARG001
    settings: Settings,  # noqa: ARG001
) -> Case:
    """The case with its `Patch`, the evidence of it, and a note on everything that was passed over or cannot be used.

    Raises:
        UsageError: the submission is not there: no such folder or revision.
    """
    patch, findings = collect_patch(world.store, case.base, submission, policy)
    if patch.tree:
        diff = world.store.diff(case.base.tree, patch.tree, text=policy.keeps("text_diff"))
    else:
        diff = submission.content if isinstance(submission, PatchFile) else b""
    counts = {"files": patch.files, "added_lines": patch.added_lines, "removed_lines": patch.removed_lines}
    evidence = Collected(diff=diff, applied=patch.applied, **counts)
    findings += suite_findings(asv_configs(world.store, case.base))
    return case.plus(patch=patch, findings=findings, evidence=(("collect", evidence),))


def collect_patch(
    store: Store, base: Base, submission: Submission, policy: Policy
) -> tuple[Patch, tuple[Finding, ...]]:
    """See `collect`."""
    limit = policy.refuse.max_diff_bytes
    match submission:
        case PatchFile(content):
            return _from_diff(store, base, content, limit), ()
        case Head(repo, revision):
            return _from_tree(store, base, _head_tree(store, base, repo, revision)), _of_base_alone(base)
        case Worktree(folder):
            return _from_folder(store, base, folder, limit)


def _from_diff(store: Store, base: Base, diff: bytes, limit: int) -> Patch:
    if len(diff) > limit:
        return _failed(f"the diff has more than {limit} bytes", diff, size=len(diff))
    applied = store.apply(base.tree, diff)
    if applied.tree is not None:
        return _patch(store, base, applied.tree, diff, applied.claimed_paths)
    error = applied.error and f"the diff does not apply to base: {applied.error}"
    return _failed(error, diff, size=len(diff), claimed=applied.claimed_paths)


def _head_tree(store: Store, base: Base, repo: Path, revision: str) -> str:
    found = store.import_revision(repo, revision)
    # A submodule that is as at base is no edit; any other one is, and a rule judges it.
    edited = set(found.gitlinks) - set(base.gitlinks)
    carried = frozenset(base.carried)
    kept = [file for file in store.list_tree(base.tree) if file.path in carried]
    return store.replace(
        found.tree,
        [*((path, GITLINK, commit) for path, commit in edited), *((f.path, f.mode, f.blob) for f in kept)],
    )


def _from_folder(store: Store, base: Base, folder: Path, limit: int) -> tuple[Patch, tuple[Finding, ...]]:
    if not folder.is_dir():
        raise UsageError(f"{folder}: no folder; name the working tree with --worktree")
    passed_over = frozenset((*(path for path, _ in base.gitlinks), *base.carried))
    try:
        seen = compare(store, base.tree, folder, passed_over, limit)
    except UnreadableError as error:
        # The submission's doing, so it is judged as a diff that cannot be had.
        size = error.size if isinstance(error, TooMuchError) else 0
        return _failed(str(error), b"", size=size), ()
    patch = _from_tree(store, base, store.replace(base.tree, seen.changes), tuple(seen.unholdable))
    return patch, (*_of_base_alone(base), *_passed_over(seen))


def _from_tree(store: Store, base: Base, tree: str, claimed: tuple[bytes, ...] = ()) -> Patch:
    return _patch(store, base, tree, store.diff(base.tree, tree, text=False), claimed)


def _patch(store: Store, base: Base, tree: str, diff: bytes, claimed: tuple[bytes, ...]) -> Patch:
    entries = store.entries(base.tree, tree)
    counts = store.numstat(base.tree, tree)
    return Patch(
        sha256=hashlib.sha256(diff).hexdigest(),
        applied=bool(entries),
        claimed_paths=claimed,
        entries=entries,
        tree=tree,
        files=len(entries),
        added_lines=counts.added_lines,
        removed_lines=counts.removed_lines,
        size_bytes=len(diff),
    )


def _failed(error: str | None, diff: bytes, *, size: int, claimed: tuple[bytes, ...] = ()) -> Patch:
    digest = hashlib.sha256(diff).hexdigest()
    return Patch(sha256=digest, applied=False, error=error, claimed_paths=claimed, size_bytes=size)


def _of_base_alone(base: Base) -> tuple[Finding, ...]:
    submodules = (path for path, _ in base.gitlinks)
    return (
        *_notes("submodule", "its content is not part of base, and edits in it do not count", submodules),
        *_note("build_output", "build outputs are base's own; only a rebuild changes them", base.carried),
    )


def _passed_over(seen: Seen) -> tuple[Finding, ...]:
    why = "new files are no part of the submission: base's .gitignore names them, or they are Python's caches"
    return (
        *_notes("special_file", "a socket, pipe or device: counts as absent", seen.special),
        *_note("ignored", why, seen.left_out),
    )


def _note(reason: str, message: str, paths: Sequence[bytes]) -> tuple[Finding, ...]:
    some = ", ".join(shown(path) for path in paths[:_SOME])
    text = f"{len(paths)} {message} ({some})"
    return (Finding(code=f"discarded:{reason}", level="info", message=text),) if paths else ()


def _notes(reason: str, message: str, paths: Iterable[bytes]) -> tuple[Finding, ...]:
    return tuple(
        Finding(code=f"discarded:{reason}", level="info", message=message, path=shown(path)) for path in paths
    )
