"""doctor, policy: what is in force here."""

from __future__ import annotations

import secrets
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from truelap.cli.options import WithPolicy, command, option
from truelap.cli.watch import Watch
from truelap.cli.words import say, say_json, say_wrapped

if TYPE_CHECKING:
    from collections.abc import Iterable

    from truelap.world.doctor import Survey
    from truelap.world.sandbox import Capability

_WIDTH = 80
"""Columns where there is no terminal."""


def register(app: typer.Typer) -> None:
    """Add the commands."""
    command(app, "doctor", Doctor)(doctor)
    policy = typer.Typer(help="Show the policy in force.", no_args_is_help=True, rich_markup_mode=None)
    command(policy, "show", PolicyShow)(policy_show)
    policy.callback()(_keeps_show_a_subcommand)
    app.add_typer(policy, name="policy")


@dataclass(frozen=True, kw_only=True)
class Doctor(WithPolicy):
    """Options of doctor."""

    python: Annotated[Path | None, option("Interpreter that the self-checks run in.", metavar="PATH")] = None
    work: Annotated[Path | None, option("Where working folders would be made.", metavar="DIR")] = None
    noise: Annotated[
        bool,
        option("Time a known loop against itself for 20 s, and say which changes can be told.", "--noise"),
    ] = False
    slots: Annotated[
        Path | None, option("With --noise: as in verify.", metavar="DIR", envvar="TRUELAP_SLOTS")
    ] = None
    json: Annotated[bool, option("Print it as JSON.", "--json")] = False


@dataclass(frozen=True, kw_only=True)
class PolicyShow(WithPolicy):
    """Options of policy show."""

    form: Annotated[Literal["toml", "json", "sh"], option("The form.", "--as")] = "toml"


def doctor(options: Doctor) -> int:
    """Show what this machine can isolate and measure. What is lost is named where something lacks; exit 0 when a sandbox works, else 3."""
    if options.noise:
        return _noise(options)
    from truelap.world.doctor import survey
    from truelap.world.interpreter import inspect

    with Watch(quiet=False) as watch:
        watch.show("trying what this machine offers")
        found = survey(inspect(options.python or Path(sys.executable)), options.work)
    if options.json:
        say_json(found.as_data())
    else:
        stronger = None
        for name, backend in found.backends.items():
            say(f"sandbox {name}")
            _show(backend.lines, stronger)
            stronger = stronger or (name if backend.trusted else None)
        say("machine")
        _show(found.machine)
        for sentence in _summary(found):
            say_wrapped(sentence, otherwise=_WIDTH)
    return 0 if found.trusted else 3


def _noise(options: Doctor) -> int:
    from truelap.checks.timing.noise import measure
    from truelap.policy import load_policy
    from truelap.settings import Settings

    settings = Settings(
        python=options.python or Path(sys.executable),
        work=options.work,
        slots=options.slots,
        seed=secrets.randbits(32),
    )
    with Watch(quiet=False) as watch:
        found = measure(load_policy(options.policy), settings, watch.show)
    if options.json:
        say_json(found.as_data())
    else:
        say(found.told)
    return 0


def policy_show(options: PolicyShow) -> int:
    """Print patterns, thresholds and limits. They stand in one place."""
    from truelap.policy import load_policy, policy_text
    from truelap.shell import as_shell

    policy = load_policy(options.policy)
    if options.form == "sh":
        say(as_shell(policy))
    elif options.form == "json":
        data: dict[str, Any] = {"digest": policy.digest, **policy.as_data()}
        say_json(data)
    else:
        say(policy_text(options.policy).rstrip("\n"))
    return 0


def _keeps_show_a_subcommand() -> None:
    """The policy in force."""


def _show(lines: Iterable[Capability], instead: str | None = None) -> None:
    """Print each line; where a stronger sandbox works instead, a line that does not hold is no failure and needs no cure."""
    for line in lines:
        if line.holds or instead is None:
            told = f"{line.name}: {line.detail}" if line.detail else line.name
            say_wrapped(told, "  ok  " if line.holds else "  NO  ", _WIDTH)
        else:
            # What to do about it stands behind the cause.
            cause = line.detail.partition("; ")[0]
            told = f"{line.name}: not needed, {instead} works{cause and f' ({cause})'}"
            say_wrapped(told, "  -   ", _WIDTH)


def _summary(found: Survey) -> list[str]:
    """What the lines come to, in a sentence each."""
    if not found.trusted:
        lacking = [line.name for line in found.backends["bubblewrap"].lines if not line.holds]
        return [f"No sandbox works here: bubblewrap lacks {', '.join(lacking)}."]
    said = []
    for name in found.trusted:
        gaps = [line.name for line in found.backends[name].lines if not line.holds]
        known = f" Known gaps, none of them needed: {', '.join(gaps)}." if gaps else ""
        said.append(f"Sandbox {name} works here.{known}")
    return said
