"""`truelap demo`: a bundled library, one honest patch and three cheats; right only when every verdict is the expected one."""

from __future__ import annotations

import shutil
import tempfile
import textwrap
import time
import tomllib
from importlib.resources import as_file, files
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from rich.table import Table

from truelap.model import Frozen, Outcome, Speed, Verdict
from truelap.task import Naming, Task
from truelap.verify import verify

if TYPE_CHECKING:
    from rich.console import Console

    from truelap.policy import Policy
    from truelap.settings import Settings


_WIDTH = 110
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


def run(out: Path | None, *, policy: Policy, settings: Settings, console: Console) -> int:
    """Verify the bundled submissions and print a table.

    Args:
        out: where each submission's files go, in a folder of its name; None for nowhere.
        policy: what counts.
        settings: where and how to run; its `out` is not used.
        console: where the table goes.

    Returns:
        0 when every verdict is the expected one, 3 when one is inconclusive, otherwise 1.
    """
    table = _table(console)
    started = time.monotonic()
    right, outcomes = True, set[str]()
    with (
        as_file(files("truelap") / "sample") as sample,
        tempfile.TemporaryDirectory(prefix="truelap-demo-") as private,
    ):
        # Installing writes byte code beside the sample's sources; it is no part of the sample.
        base = shutil.copytree(sample / "project", Path(private) / "wordmill", ignore=_byte_code)
        for submission in read_submissions(sample):
            with console.status(f"verifying {submission.name}"):
                verdict = verify(
                    base,
                    base_dir=base,
                    patch=sample / "submissions" / submission.file,
                    task=Task(task=Naming(name=f"demo-{submission.name}")),
                    policy=policy,
                    settings=settings.model_copy(update={"out": out / submission.name if out else None}),
                )
            right, outcomes = right and submission.fits(verdict), outcomes | {verdict.outcome}
            table.add_row(*_row(submission, verdict))
    console.print(table)
    console.print(
        f"{'All as expected' if right else 'NOT as expected'}, in {time.monotonic() - started:.0f} s."
    )
    if right:
        return 0
    return 3 if "inconclusive" in outcomes else 1


_byte_code = shutil.ignore_patterns("__pycache__", "*.pyc")


def _table(console: Console) -> Table:
    if not console.is_terminal:
        console.width = max(console.width, _WIDTH)
    table = Table(title="truelap demo", show_lines=True)
    table.add_column("submission", ratio=3)
    table.add_column("expected", no_wrap=True)
    table.add_column("came out", no_wrap=True)
    table.add_column("why", ratio=3)
    table.add_column("speed-up", no_wrap=True, justify="right")
    return table


def _row(submission: Submission, verdict: Verdict) -> tuple[str, ...]:
    mark = None if submission.fits(verdict) else "NOT as expected"
    speed = None if submission.speed is None else verdict.speed
    return (
        f"{submission.name}\n{submission.title}",
        submission.expectation,
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
    return f"{value:.2f}x" if value else "-"
