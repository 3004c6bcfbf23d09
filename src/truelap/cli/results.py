"""demo, grade, report: verdicts shown, or read back."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path  # noqa: TC003 - typer reads the annotations
from typing import TYPE_CHECKING, Annotated

import typer

from truelap.cli.options import Common, Running, WithPolicy, command, option
from truelap.cli.watch import Watch
from truelap.cli.words import one_line, say, say_json, stdout, table_columns

if TYPE_CHECKING:
    from truelap.model import Verdict


def register(app: typer.Typer) -> None:
    """Add the commands."""
    command(app, "demo", Demo)(demo)
    command(app, "grade", Grade)(grade)
    command(app, "report", Report)(report)


@dataclass(frozen=True, kw_only=True)
class Demo(Running):
    """Options of demo."""


@dataclass(frozen=True, kw_only=True)
class Grade(WithPolicy):
    """Options of grade."""

    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Artifacts of one trial.", show_default=False)]


@dataclass(frozen=True, kw_only=True)
class Report(Common):
    """Options of report."""

    folders: Annotated[
        list[Path], typer.Argument(metavar="DIR...", help="Result folders.", show_default=False)
    ]
    json: Annotated[bool, option("Print a list of verdicts as JSON.", "--json")] = False


def demo(options: Demo) -> int:
    """Verify a bundled library: one honest patch and three cheats."""
    from rich.console import Console

    from truelap import demo as bundled
    from truelap.cli.judging import settings_of
    from truelap.policy import load_policy

    began = time.monotonic()
    with Watch(quiet=options.quiet) as watch:
        found = bundled.run(
            policy=load_policy(options.policy), settings=settings_of(options), progress=watch.show
        )
    if options.json:
        say_json([judged.as_data() for judged in found])
    elif not options.quiet:
        with stdout():
            bundled.show(found, time.monotonic() - began, Console())
    return bundled.exit_code(found)


def grade(options: Grade) -> int:
    """Print the verdict on a folder of artifacts as JSON. Ours, or those of an older FormulaCode task; nothing is run."""
    from truelap.verdict import exit_code

    verdict = _read(options.folder, options.policy)
    say_json(verdict.model_dump(mode="json"))
    return exit_code(verdict)


def report(options: Report) -> int:
    """Show results for people."""
    from truelap.report import render_text

    verdicts = [(folder, _read(folder, None)) for folder in options.folders]
    if options.json:
        say_json([verdict.model_dump(mode="json") for _, verdict in verdicts])
        return 0
    for number, (folder, verdict) in enumerate(verdicts):
        if len(verdicts) > 1:
            say(f"{chr(10) if number else ''}{one_line(str(folder))}:")
        say(render_text(verdict, columns=table_columns()).rstrip("\n"))
    return 0


def _read(folder: Path, policy: Path | None) -> Verdict:
    from truelap.peers.formulacode import grade as graded
    from truelap.policy import load_policy
    from truelap.world.machine import tool

    return graded(folder, load_policy(policy), tool=tool())
