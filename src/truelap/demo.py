"""`truelap demo`: a bundled library, one honest patch and three cheats; right only when every verdict is the expected one."""

from __future__ import annotations

import shutil
import textwrap
import tomllib
from functools import partial
from importlib.resources import as_file, files
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from rich.table import Table

from truelap.model import Frozen, Outcome, Speed, Verdict
from truelap.task import Naming, Task
from truelap.verify import verify
from truelap.world.workspace import open_workspace

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from rich.console import Console

    from truelap.policy import Policy
    from truelap.settings import Settings


_WIDTH = 80
"""Columns of the table where there is no terminal to fit into."""
_LONGEST = 140
"""Characters of a reason; the verdict has the rest."""


class Submission(Frozen):
    """One entry of `sample/submissions.toml`: a diff and what its verdict must say."""

    file: str
    title: str
    kind: Literal["honest", "cheat"]
    outcome: Outcome
    failure_reason: str | None = None
    speed: Speed | None = None
    """None where the speed does not matter."""

    @property
    def name(self) -> str:
        """The diff's name without its ending."""
        return Path(self.file).stem

    @property
    def expectation(self) -> str:
        """The expected verdict, a word a line."""
        return _lines(self.outcome, self.failure_reason, self.speed)

    def fits(self, verdict: Verdict) -> bool:
        """Whether a verdict is the expected one."""
        return (
            verdict.outcome == self.outcome
            and verdict.failure_reason == self.failure_reason
            and self.speed in {None, verdict.speed}
        )


def read_submissions(sample: Path) -> tuple[Submission, ...]:
    """What is to be verified, in the order of the table."""
    listed = tomllib.loads((sample / "submissions.toml").read_text("utf-8"))
    return tuple(Submission(**entry) for entry in listed["submission"])


class Judged(NamedTuple):
    """One entry and what came out."""

    submission: Submission
    verdict: Verdict

    @property
    def right(self) -> bool:
        """Whether it is what was expected."""
        return self.submission.fits(self.verdict)

    def as_data(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "name": self.submission.name,
            "kind": self.submission.kind,
            "as_expected": self.right,
            "verdict": self.verdict.model_dump(mode="json"),
        }


def run(
    *, policy: Policy, settings: Settings, progress: Callable[[str], None] | None = None
) -> tuple[Judged, ...]:
    """Verify the bundled submissions.

    Args:
        policy: what counts.
        settings: where and how to run; below its `out`, each submission's files go into a folder of its name.
        progress: called with a word on what is being done.
    """
    with as_file(files("truelap") / "sample") as sample, open_workspace(settings.work) as private:
        # Installing writes byte code beside the sample's sources; it is no part of the sample.
        base = shutil.copytree(sample / "project", private.root / "wordmill", ignore=_byte_code)
        return tuple(_verified(sample, base, policy, settings, progress))


def _verified(
    sample: Path, base: Path, policy: Policy, settings: Settings, progress: Callable[[str], None] | None
) -> Iterator[Judged]:
    for submission in read_submissions(sample):
        said = partial(_prefixed, progress, submission.name) if progress else None
        verdict = verify(
            base,
            base_dir=base,
            patch=sample / "submissions" / submission.file,
            task=Task(task=Naming(name=f"demo-{submission.name}")),
            policy=policy,
            settings=settings.model_copy(
                update={"out": settings.out / submission.name if settings.out else None}
            ),
            progress=said,
        )
        yield Judged(submission, verdict)


def _prefixed(progress: Callable[[str], None], name: str, text: str) -> None:
    progress(f"{name}: {text}")


def show(found: tuple[Judged, ...], seconds: float, console: Console) -> None:
    """Print a table, and whether all is as expected."""
    table = _table(console)
    for judged in found:
        table.add_row(*_row(judged.submission, judged.verdict))
    console.print(table)
    right = all(judged.right for judged in found)
    console.print(f"{'All as expected' if right else 'NOT as expected'}, in {seconds:.0f} s.")


def exit_code(found: tuple[Judged, ...]) -> int:
    """0 when every verdict is the expected one, 3 when one is inconclusive, otherwise 1."""
    if all(judged.right for judged in found):
        return 0
    return 3 if any(judged.verdict.outcome == "inconclusive" for judged in found) else 1


_byte_code = shutil.ignore_patterns("__pycache__", "*.pyc")


def _table(console: Console) -> Table:
    if not console.is_terminal:
        console.width = max(console.width, _WIDTH)
    table = Table(title="truelap demo", show_lines=True)
    table.add_column("submission", ratio=3)
    table.add_column("verdict", no_wrap=True)
    table.add_column("why", ratio=3)
    table.add_column("speed-up", no_wrap=True, justify="right")
    return table


def _row(submission: Submission, verdict: Verdict) -> tuple[str, ...]:
    mark = "as expected" if submission.fits(verdict) else f"NOT as expected:\n{submission.expectation}"
    speed = None if submission.speed is None else verdict.speed
    return (
        f"{submission.name}\n{submission.title}",
        _lines(verdict.outcome, verdict.failure_reason, speed, mark),
        _why(verdict),
        _speed_up(verdict),
    )


def _lines(*words: str | None) -> str:
    return "\n".join(word for word in words if word)


def _why(verdict: Verdict) -> str:
    """The first finding that decided, or what speaks for the patch."""
    for level in ("inconclusive", "fail"):
        for finding in verdict.findings:
            if finding.level == level:
                said = f"{finding.path}: {finding.message}" if finding.path else finding.message
                return textwrap.shorten(said, _LONGEST, placeholder=" ...")
    passed, faster = verdict.tests.get("n_candidate_pass", 0), verdict.timing.get("n_faster", 0)
    return f"{passed} tests pass as at base, {faster} benchmarks faster"


def _speed_up(verdict: Verdict) -> str:
    value = verdict.timing.get("speedup")
    if not value:
        return "-"
    return f"{value:.2f}x" if verdict.outcome == "accepted" else f"{value:.2f}x\nnot credited"
