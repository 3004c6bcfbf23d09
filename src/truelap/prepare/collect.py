"""Station collect: turns what was submitted into one `Patch` against base, whatever form it came in.

A patch is applied to an index of ours, a revision is compared as a tree, a working tree is read from disk. No git of the
submission is asked, and nothing of it runs.
"""

from __future__ import annotations

import hashlib
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from truelap.errors import UsageError
from truelap.model import EXECUTABLE, GITLINK, REGULAR, SYMLINK, Base, Finding, Patch
from truelap.prepare.base import asv_configs, suite_findings
from truelap.prepare.collected import Collected
from truelap.prepare.diff_text import hint, readings, unpacked_bytes
from truelap.prepare.notes import of_base_alone, of_results, passed_over, set_aside
from truelap.prepare.own_folders import own_folders
from truelap.world.disk import UnreadableError
from truelap.world.git_import import DamagedError, Submitted
from truelap.world.git_listing import Bounds, TooMuchError
from truelap.world.git_process import GitLimitError
from truelap.world.worktree import compare

if TYPE_CHECKING:
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
    apart: tuple[Path, ...] = ()
    """Folders of the judge's own that may lie in it, for results: where base has no file, nothing in them counts."""


# What git takes for itself and for the index of a large base.
_GIT_ITSELF = 256 << 20
_STDIN = Path("-")
_UNCOUNTED = 1 << 40
_HOLD_CONTENT = {REGULAR, EXECUTABLE, SYMLINK}

Submission = PatchFile | Head | Worktree


def read_patch(path: Path, policy: Policy) -> PatchFile:
    """Read a diff, "-" from stdin; of one over the policy's limit just enough to know that it is over.

    Raises:
        UsageError: the file cannot be read.
    """
    try:
        with sys.stdin.buffer if path == _STDIN else path.open("rb") as stream:
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
    sent = submission.content if isinstance(submission, PatchFile) else b""
    patch, findings = collect_patch(world.store, case.base, submission, policy)
    try:
        text = policy.keeps("text_diff")
        diff = world.store.diff(case.base.tree, patch.tree, text=text) if patch.tree else sent
    except GitLimitError as error:
        patch, diff = _failed(str(error), sent, size=len(sent)), sent
    counts = {"files": patch.files, "added_lines": patch.added_lines, "removed_lines": patch.removed_lines}
    evidence = Collected(diff=diff, applied=patch.applied, set_aside=patch.set_aside, **counts)
    findings += suite_findings(asv_configs(world.store, case.base))
    return case.plus(patch=patch, findings=findings, evidence=(("collect", evidence),))


def collect_patch(
    store: Store, base: Base, submission: Submission, policy: Policy
) -> tuple[Patch, tuple[Finding, ...]]:
    """See `collect`."""
    try:
        match submission:
            case PatchFile(content):
                return _from_diff(store, base, content, policy), ()
            case Head(repo, revision):
                tree = _head_tree(store, base, repo, revision, policy)
                patch = _patch(store, base, tree, None, (), policy)
                return patch.model_copy(update={"set_aside": set_aside(base)}), of_base_alone(base)
            case Worktree():
                return _from_folder(store, base, submission, policy)
    except TooMuchError as error:
        return _failed(str(error), files=error.files, unpacked=error.unpacked_bytes), ()
    except (DamagedError, UnreadableError, GitLimitError) as error:
        # The submission's doing, so it is judged as a diff that cannot be had.
        return _failed(str(error)), ()


def _bounds(policy: Policy) -> Bounds:
    files = policy.refuse.max_files if policy.keeps("counted") else _UNCOUNTED
    return Bounds(files, policy.refuse.max_unpacked_bytes)


def _from_diff(store: Store, base: Base, diff: bytes, policy: Policy) -> Patch:
    limit, bounds = policy.refuse.max_diff_bytes, _bounds(policy)
    if len(diff) > limit:
        return _failed(f"the diff has more than {limit} bytes", diff, size=len(diff))
    if not diff.strip():
        return _failed(None, diff, size=len(diff))
    # Before git is asked: it would unpack everything merely to name the files.
    unpacked = unpacked_bytes(diff)
    if unpacked > bounds.unpacked_bytes:
        message = f"the diff unpacks to more than {bounds.unpacked_bytes} bytes"
        return _failed(message, diff, size=len(diff), unpacked=unpacked)
    return _applied(store, base, diff, policy)


def _applied(store: Store, base: Base, diff: bytes, policy: Policy) -> Patch:
    """The first reading of the diff that applies, or what is wrong with the first one."""
    bounds, failed = _bounds(policy), None
    for reading in readings(diff):
        claimed = store.claimed(reading.text, *reading.options)
        if len(claimed) > bounds.files:
            message = f"the diff names more than {bounds.files} files"
            return _failed(message, diff, size=len(diff), files=len(claimed))
        memory = _GIT_ITSELF + 4 * bounds.unpacked_bytes + 8 * len(diff)
        applied = store.apply(base.tree, reading.text, *reading.options, memory=memory)
        if applied.tree is not None:
            return _patch(store, base, applied.tree, diff, claimed, policy)
        unpacked = bounds.unpacked_bytes + 1 if applied.too_large else 0
        error = f"the diff does not apply to base: {applied.error}{hint(diff)}"
        failed = failed or _failed(error, diff, size=len(diff), claimed=claimed, unpacked=unpacked)
    return failed or _failed(None, diff, size=len(diff))


def _head_tree(store: Store, base: Base, repo: Path, revision: str, policy: Policy) -> str:
    files = {file.path: file for file in store.list_tree(base.tree)}
    blobs = {path: file.blob for path, file in files.items()}
    found = store.import_revision(repo, revision, Submitted(blobs, _bounds(policy)))
    # A submodule that is as at base is no edit; any other one is, and a rule judges it.
    edited = set(found.gitlinks) - set(base.gitlinks)
    kept = [files[path] for path in base.carried if path in files]
    return store.replace(
        found.tree,
        [*((path, GITLINK, commit) for path, commit in edited), *((f.path, f.mode, f.blob) for f in kept)],
    )


def _from_folder(
    store: Store, base: Base, given: Worktree, policy: Policy
) -> tuple[Patch, tuple[Finding, ...]]:
    folder = given.folder
    if not folder.is_dir():
        raise UsageError(f"{folder}: no folder; name the working tree with --worktree")
    apart = own_folders(given.apart, folder, (file.path for file in store.list_tree(base.tree)))
    absent = frozenset((*(path for path, _ in base.gitlinks), *base.carried, *apart))
    seen = compare(store, base.tree, folder, absent, _bounds(policy))
    tree = store.replace(base.tree, seen.changes)
    patch = _patch(store, base, tree, None, tuple(seen.unholdable), policy)
    patch = patch.model_copy(update={"set_aside": set_aside(base, seen)})
    return patch, (*of_base_alone(base), *passed_over(seen), *of_results(apart))


def _patch(  # noqa: PLR0917 - all of it
    store: Store, base: Base, tree: str, diff: bytes | None, claimed: tuple[bytes, ...], policy: Policy
) -> Patch:
    entries, bounds = store.entries(base.tree, tree), _bounds(policy)
    unpacked = sum(store.sizes(entry.new_blob for entry in entries if entry.new_mode in _HOLD_CONTENT))
    if len(entries) > bounds.files or unpacked > bounds.unpacked_bytes:
        message = f"{len(entries)} files of {unpacked} bytes are changed or new"
        sent = diff or b""
        return _failed(message, sent, size=len(sent), files=len(entries), unpacked=unpacked)
    if diff is None:
        diff = store.diff(base.tree, tree, text=False)
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
        unpacked_bytes=unpacked,
    )


def _failed(
    error: str | None,
    diff: bytes = b"",
    *,
    size: int = 0,
    claimed: tuple[bytes, ...] = (),
    files: int = 0,
    unpacked: int = 0,
) -> Patch:
    return Patch(
        sha256=hashlib.sha256(diff).hexdigest(),
        applied=False,
        error=error,
        claimed_paths=claimed,
        size_bytes=size,
        files=files,
        unpacked_bytes=unpacked,
    )
