"""What the user named: one base and one submission. Says in one line what is missing or given twice."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict

from truelap.errors import UsageError
from truelap.prepare.base import base_of_directory, base_of_revision, read_base_file
from truelap.prepare.collect import Head, Worktree, read_patch

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from truelap.model import Base
    from truelap.policy import Policy
    from truelap.prepare.collect import Submission
    from truelap.task import Task
    from truelap.world.git import Store


class Named(TypedDict, total=False):
    """What a `Request` holds besides the repository."""

    base: str | None
    base_file: Path | None
    base_dir: Path | None
    patch: Path | None
    head: str | None
    worktree: Path | None


@dataclass(frozen=True, kw_only=True)
class Request:
    """Names as the user gave them; nothing of them has been read."""

    repo: Path
    base: str | None = None
    base_file: Path | None = None
    base_dir: Path | None = None
    patch: Path | None = None
    head: str | None = None
    worktree: Path | None = None

    def check(self, task: Task) -> None:
        """See that there is exactly one base, here or in the task file, and exactly one submission.

        Raises:
            UsageError: there is none, or more than one; or truelap itself imports from the submission.
        """
        named = task.task.base is not None or task.task.base_file is not None
        bases = {"--base": self.base, "--base-file": self.base_file, "--base-dir": self.base_dir}
        _one("base", bases, or_none=named)
        _one("submission", {"--patch": self.patch, "--head": self.head, "--worktree": self.worktree})
        if self.worktree is not None:
            _stand_apart(self.worktree)

    def folders(self) -> tuple[Path, ...]:
        """Folders beside the repository that no sandbox may show."""
        return tuple(folder for folder in (self.base_dir, self.worktree) if folder is not None)

    def open_base(self, store: Store, task: Task) -> Base:
        """Bring the base into the store. What the command line names comes before what the task file names.

        Raises:
            UsageError: it cannot be used.
        """
        if self.base_dir is not None:
            return base_of_directory(store, self.base_dir, task.environment.carry, task.benchmarks.files)
        if task.environment.carry:
            raise UsageError(
                f"{task.origin}: environment.carry takes files from a base that is a folder, and this base is a commit;"
                " give --base-dir in place of it, or leave carry out"
            )
        revision = self.base if self.base is not None else self._base_in_file(task)
        if revision is None:
            raise UsageError(f"base file {self.base_file or task.task.base_file}: there is no such file")
        return base_of_revision(store, self.repo, revision, task.benchmarks.files)

    def open_submission(self, policy: Policy, own: Iterable[Path | None] = ()) -> Submission:
        """The submission; of a diff, its bytes.

        Args:
            policy: for the size of a diff.
            own: folders that this run writes to, which are no part of a working tree.

        Raises:
            UsageError: the diff cannot be read.
        """
        if self.patch is not None:
            return read_patch(self.patch, policy)
        if self.head is not None:
            return Head(self.repo, self.head)
        apart = tuple(folder for folder in own if folder is not None)
        return Worktree(self.repo if self.worktree is None else self.worktree, apart)

    def _base_in_file(self, task: Task) -> str | None:
        if self.base_file is not None:
            return read_base_file(self.base_file)
        if task.task.base is not None:
            return task.task.base
        return None if task.task.base_file is None else read_base_file(Path(task.task.base_file))


def _stand_apart(worktree: Path) -> None:
    """An editable install of the project, or `python -m` in its folder, puts the submission's files where the judge imports from."""
    shared = [
        entry for entry in sys.path if entry and Path(entry).resolve().is_relative_to(worktree.resolve())
    ]
    environments = {Path(sys.prefix).resolve(), Path(sys.base_prefix).resolve()}
    for entry in shared:
        if not any(Path(entry).resolve().is_relative_to(environment) for environment in environments):
            raise UsageError(
                f"truelap itself would import from {entry}, which belongs to the submission; run the `truelap` command of an"
                " environment of its own, and name the project's interpreter with --python"
            )


def _one(what: str, options: Mapping[str, Any], *, or_none: bool = False) -> None:
    given = [name for name, value in options.items() if value is not None]
    if len(given) > 1:
        raise UsageError(f"{' and '.join(given)} each name a {what}; give one of them")
    if not given and not or_none:
        raise UsageError(f"no {what} is named; give one of {', '.join(options)}")
