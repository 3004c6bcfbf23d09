"""verify, and its checks one at a time: test, time."""

from __future__ import annotations

import re
import secrets
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from truelap.cli.options import Judged, command
from truelap.cli.words import say, say_json
from truelap.errors import UsageError

if TYPE_CHECKING:
    import typer

    from truelap.cli.options import Running
    from truelap.settings import Settings
    from truelap.task import Task


def register(app: typer.Typer) -> None:
    """Add the commands."""
    command(app, "verify", Judged)(verify)
    command(app, "test", Judged)(test)
    command(app, "time", Judged)(time)


def verify(options: Judged) -> int:
    """Judge a submission against its base: the whole line."""
    return _judge(options, None)


def test(options: Judged) -> int:
    """Run base's tests on base and candidate, and nothing else. Writes no verdict.json."""
    return _judge(options, "tests")


def time(options: Judged) -> int:
    """Time base and candidate, and nothing else. Writes no verdict.json."""
    return _judge(options, "time")


def settings_of(options: Running, task: Task | None = None, work: Path | None = None) -> Settings:
    """The settings that a command line asks for; the task file names the interpreter where the command line does not."""
    from truelap.settings import Settings

    if options.bench is not None:
        _check_pattern(options.bench)
    named = task.environment.python if task else None
    return Settings(
        out=options.out,
        work=work,
        keep=options.keep,
        python=options.python or Path(named or sys.executable),
        sandbox=options.sandbox,
        unsafe=options.unsafe,
        effort=options.effort,
        bench=options.bench,
        jobs=options.jobs,
        seed=secrets.randbits(32) if options.seed is None else options.seed,
        require=options.require,
        layout=options.layout,
    )


def _check_pattern(pattern: str) -> None:
    try:
        re.compile(pattern)
    except re.error as error:
        raise UsageError(f"--bench {pattern}: {error}; give a regular expression") from error


def _judge(options: Judged, only: str | None) -> int:
    from truelap.cli import cannot_be_stopped
    from truelap.cli.watch import Watch
    from truelap.peers.formulacode import write_layout
    from truelap.policy import load_policy
    from truelap.report import render_text
    from truelap.task import load_task
    from truelap.verdict import exit_code
    from truelap.verify import verify as judge

    task = load_task(options.task)
    with Watch(quiet=options.quiet) as watch:
        verdict = judge(
            options.repo,
            task=task,
            policy=load_policy(options.policy),
            settings=settings_of(options, task, options.work),
            only=only,
            progress=watch.show,
            layout=write_layout if options.layout == "formulacode" else None,
            **options.submission(),
            **options.start(),
        )
    cannot_be_stopped()
    if options.json:
        say_json(verdict.model_dump(mode="json"))
    elif not options.quiet:
        say(render_text(verdict).rstrip("\n"))
    return exit_code(verdict, options.require)
