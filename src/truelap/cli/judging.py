"""verify, and its checks one at a time: test, outputs, time."""

from __future__ import annotations

import os
import re
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from truelap.cli.options import Checked, Judged, Timed, command
from truelap.cli.words import complain, say, say_json, table_columns
from truelap.errors import TruelapError, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator

    import typer

    from truelap.cli.options import Running
    from truelap.model import Verdict
    from truelap.settings import Settings
    from truelap.task import Task


def register(app: typer.Typer) -> None:
    """Add the commands."""
    command(app, "verify", Judged)(verify)
    command(app, "test", Checked)(test)
    command(app, "outputs", Checked)(outputs)
    command(app, "time", Timed)(time)


def verify(options: Judged) -> int:
    """Judge a submission against its base: the whole line."""
    return _judge(options, None)


def test(options: Checked) -> int:
    """Run base's tests on both sides, nothing else: no verdict."""
    return _judge(options, "tests")


def outputs(options: Checked) -> int:
    """Compare what benchmarks compute, nothing else: no verdict."""
    return _judge(options, "outputs")


def time(options: Timed) -> int:
    """Time both sides, nothing else: no verdict."""
    return _judge(options, "time")


def settings_of(options: Running, task: Task | None = None, **more: Any) -> Settings:
    """The settings that a command line asks for; the task file names the interpreter where the command line does not."""
    from truelap.settings import Settings

    if options.bench is not None:
        _check_pattern(options.bench)
    named = task.environment.python if task else None
    return Settings(
        out=options.out,
        python=options.python or Path(named or sys.executable),
        sandbox=options.sandbox,
        unsafe=options.unsafe,
        effort=options.effort,
        bench=options.bench,
        jobs=options.jobs,
        slots=options.slots,
        gate=options.gate,
        gate_token=os.environ.get("MEASURE_GATE_TOKEN") or None,
        wait_s=options.wait,
        seed=options.seed or 0,
        seed_drawn=options.seed is None,
        **more,
    )


def _kept(options: Checked) -> dict[str, Any]:
    """Where base's truth is kept: where the user says, or in the place of this user's caches."""
    from truelap.world.keep import default_folder

    if options.no_cache and options.keep is not None:
        raise UsageError("--keep and --no-cache contradict each other; give one of them")
    if options.no_cache or options.keep is not None:
        return {"keep": options.keep}
    return {"keep": default_folder(os.environ), "keep_named": False}


def _check_pattern(pattern: str) -> None:
    try:
        re.compile(pattern)
    except re.error as error:
        raise UsageError(f"--bench {pattern}: {error}; give a regular expression") from error


def _judge(options: Checked, only: str | None) -> int:
    from truelap.cli import cannot_be_stopped
    from truelap.cli.watch import Watch
    from truelap.peers.formulacode import write_layout
    from truelap.policy import load_policy
    from truelap.task import load_task
    from truelap.verify import UnwrittenError
    from truelap.verify import verify as judge

    require = options.require if isinstance(options, Timed) else None
    form = options.layout if isinstance(options, Judged) else "harbor"
    try:
        with _older_result_told(options.out), Watch(quiet=options.quiet) as watch:
            task = load_task(options.task)
            verdict = judge(
                options.repo,
                task=task,
                policy=load_policy(options.policy),
                settings=settings_of(
                    options,
                    task,
                    work=options.work,
                    **_kept(options),
                    require=require,
                    layout=form,
                ),
                only=only,
                progress=watch.show,
                layout=write_layout if form == "formulacode" else None,
                **options.submission(),
                **options.start(),
            )
    except UnwrittenError as error:
        # Hours may stand behind it: it is told, whatever became of the files.
        _told(error.verdict, only, options, None)
        raise
    cannot_be_stopped()
    return _told(verdict, only, options, require)


def _told(verdict: Verdict, only: str | None, options: Checked, require: Literal["faster"] | None) -> int:
    """Print what was found; the exit code."""
    from truelap.report import render_text
    from truelap.verdict import exit_code

    code = exit_code(verdict, require)
    if options.quiet and verdict.outcome == "inconclusive":
        complain(next(f.message for f in verdict.findings if f.level == "inconclusive"))
    if options.json:
        say_json(_found_by(only, verdict) if only else verdict.model_dump(mode="json"))
    elif not options.quiet:
        say(render_text(verdict, only, columns=table_columns()).rstrip("\n"))
    if verdict.outcome == "accepted" and code and not options.quiet:
        complain(
            f"--require faster: accepted, but no confirmed speed-up (speed: {verdict.speed}), so the exit code is 1"
        )
    return code


def _found_by(check: str, verdict: Verdict) -> dict[str, Any]:
    """What one check found, without what only the whole line can say; how fast a patch is, timing alone can."""
    whole = {"outcome", "reward"} if check == "time" else {"outcome", "reward", "speed"}
    return {"check": check, **verdict.model_dump(mode="json", exclude=whole)}


@contextmanager
def _older_result_told(out: Path | None) -> Iterator[None]:
    """A run that never began leaves an older result as it is; whoever reads the folder next must not take it for its own."""
    from truelap.world.output import VERDICT

    try:
        yield
    except TruelapError as error:
        if out is not None and (out / VERDICT).is_file():
            error.add_note(f"{VERDICT} in {out} is an earlier run's")
        raise
