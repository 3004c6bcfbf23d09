"""redteam: the bundled attacks against this installation."""

from __future__ import annotations

import os
import secrets
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from truelap.cli.options import Common, command, option
from truelap.cli.watch import Watch
from truelap.cli.words import say_json, stdout

if TYPE_CHECKING:
    import typer

    from truelap.redteam.attack import Attack


def register(app: typer.Typer) -> None:
    """Add the command."""
    command(app, "redteam", Redteam)(redteam)


@dataclass(frozen=True, kw_only=True)
class Redteam(Common):
    """Options of redteam."""

    only: Annotated[
        list[str] | None, option("Only attacks whose id starts so; may be given again.", metavar="ID")
    ] = None
    ablate: Annotated[
        bool, option("Run each attack without its defence as well: it must then succeed.", "--ablate")
    ] = False
    listing: Annotated[
        bool, option("Say what the attacks are and what catches them; run nothing.", "--list")
    ] = False
    json: Annotated[bool, option("Print it as JSON.", "--json")] = False
    quiet: Annotated[bool, option("Print nothing but errors.", "--quiet")] = False
    python: Annotated[
        Path | None, option("Interpreter with pytest; default: the one that runs truelap.", metavar="PATH")
    ] = None
    sandbox: Annotated[Literal["auto", "bubblewrap", "landlock"], option("Which sandbox.")] = "auto"
    work: Annotated[Path | None, option("Where working folders are made.", metavar="DIR")] = None
    slots: Annotated[Path | None, option("As in verify.", metavar="DIR", envvar="TRUELAP_SLOTS")] = None
    jobs: Annotated[
        int | None, option("Attacks at a time; default: one for each core.", metavar="N", min=1)
    ] = None
    seed: Annotated[
        int | None, option("Makes the judge's random choices repeatable.", metavar="N", min=0)
    ] = None


def redteam(options: Redteam) -> int:
    """Run the bundled attacks; each must be caught. Exit 0 when that is so, each honest twin is accepted and, with --ablate, each defence needed."""
    from truelap.redteam.reading import load_attacks

    attacks = load_attacks(options.only or ())
    return _listed(attacks, options) if options.listing else _tried(attacks, options)


def _listed(attacks: tuple[Attack, ...], options: Redteam) -> int:
    from rich.console import Console

    from truelap.redteam.listing import described, named

    if options.json:
        say_json([named(attack) for attack in attacks])
    elif not options.quiet:
        with stdout():
            described(attacks, Console())
    return 0


def _tried(attacks: tuple[Attack, ...], options: Redteam) -> int:
    from rich.console import Console

    from truelap.redteam.campaign import run
    from truelap.redteam.table import as_data, show
    from truelap.settings import Settings

    settings = Settings(
        work=options.work,
        slots=options.slots,
        python=options.python or Path(sys.executable),
        sandbox=options.sandbox,
        effort="quick",
        seed=secrets.randbits(32) if options.seed is None else options.seed,
    )
    jobs = options.jobs or len(os.sched_getaffinity(0))
    with Watch(quiet=options.quiet) as watch:
        scores = run(
            attacks,
            settings,
            ablate=options.ablate,
            jobs=min(jobs, len(attacks)),
            progress=watch.show,
        )
    if options.json:
        say_json([as_data(score) for score in scores])
    elif not options.quiet:
        with stdout():
            show(scores, Console())
    return 0 if all(score.right for score in scores) else 1
