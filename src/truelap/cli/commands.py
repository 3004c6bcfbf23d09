"""The console's commands, gathered: one file for each group of them."""

from __future__ import annotations

from typing import Annotated

import typer

from truelap.cli import cache, judging, machine, preparing, redteam, results
from truelap.cli.words import say

app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


def _version(asked: bool) -> None:
    if asked:
        from truelap.world.machine import tool

        say(tool())
        raise typer.Exit


@app.callback()
def _top(
    version: Annotated[
        bool, typer.Option("--version", help="Print name and version.", callback=_version, is_eager=True)
    ] = False,
) -> None:
    """Is this patch really faster, and still right? Exit codes: 0 accepted, 1 rejected or refused, 2 usage, 3 inconclusive."""


for group in (judging, results, preparing, redteam, machine, cache):
    group.register(app)
