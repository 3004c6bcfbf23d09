"""The console's commands, gathered: one file for each group of them."""

from __future__ import annotations

import typer

from truelap.cli import judging, machine, preparing, redteam, results

app = typer.Typer(
    help="Is this patch really faster, and still right? Exit codes: 0 accepted, 1 rejected or refused, 2 usage, 3 inconclusive.",
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
for group in (judging, results, preparing, redteam, machine):
    group.register(app)
