"""Options of the commands, as frozen dataclasses: a command declares one and is called with it filled in."""

from __future__ import annotations

from dataclasses import MISSING, dataclass, fields
from inspect import Parameter, Signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeVar, get_type_hints

import typer

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T", bound="Common")

_SELDOM = {"policy", "debug"}
"""Options that the help shows last."""


def option(help_text: str, *names: str, **more: Any) -> Any:
    """An option with its help; what it is without being given stands there too, unless that is nothing."""
    return typer.Option(*names, help=help_text, **more)


@dataclass(frozen=True, kw_only=True)
class Common:
    """What every command takes."""

    debug: Annotated[bool, option("Show the traceback of an error.", "--debug")] = False


@dataclass(frozen=True, kw_only=True)
class WithPolicy(Common):
    """Commands that judge."""

    policy: Annotated[Path | None, option("Policy file; default: the shipped one.", metavar="FILE")] = None


@dataclass(frozen=True, kw_only=True)
class Started(WithPolicy):
    """Commands on a repository and its base: exactly one of the three."""

    repo: Annotated[Path, typer.Argument(metavar="REPO", help="The repository.", show_default=False)]
    base: Annotated[str | None, option("Base: a revision of REPO.", metavar="REV")] = None
    base_file: Annotated[Path | None, option("Base: a file that holds a commit id.", metavar="FILE")] = None
    base_dir: Annotated[Path | None, option("Base: a pristine directory.", metavar="DIR")] = None
    task: Annotated[Path | None, option("Task file (truelap.toml).", metavar="FILE")] = None
    work: Annotated[
        Path | None, option("Where the private working folder is made; default: the system's.", metavar="DIR")
    ] = None

    def start(self) -> dict[str, Any]:
        """What names the base."""
        return {"base": self.base, "base_file": self.base_file, "base_dir": self.base_dir}


@dataclass(frozen=True, kw_only=True)
class Submitted(Started):
    """Commands on a submission: exactly one of the three."""

    patch: Annotated[Path | None, option("Submission: a diff against base.", metavar="FILE")] = None
    head: Annotated[str | None, option("Submission: a revision of REPO.", metavar="REV")] = None
    worktree: Annotated[
        str | None, option("Submission: a working tree; without DIR, REPO's.", metavar="[DIR]")
    ] = None

    def submission(self) -> dict[str, Any]:
        """What names the submission."""
        folder = self.repo if self.worktree == "" else self.worktree and Path(self.worktree)
        return {"patch": self.patch, "head": self.head, "worktree": folder}


@dataclass(frozen=True, kw_only=True)
class Running(WithPolicy):
    """How to run."""

    out: Annotated[Path | None, option("Folder for the result files.", metavar="DIR")] = None
    python: Annotated[
        Path | None,
        option(
            "Interpreter of the project's environment; default: the one that runs truelap.", metavar="PATH"
        ),
    ] = None
    sandbox: Annotated[
        Literal["auto", "bubblewrap", "landlock", "none"], option("Which sandbox; none needs --unsafe.")
    ] = "auto"
    unsafe: Annotated[bool, option("Run without a sandbox. Recorded in the verdict.", "--unsafe")] = False
    effort: Annotated[Literal["quick", "standard", "thorough"], option("How long to time.")] = "standard"
    bench: Annotated[
        str | None,
        option("Time only benchmarks whose id, or name as asv prints it, holds this.", metavar="REGEX"),
    ] = None
    jobs: Annotated[
        int | None,
        option(
            "Test files run at a time; default: one, and runs of one side beside each other.",
            metavar="N",
            min=1,
        ),
    ] = None
    seed: Annotated[
        int | None,
        option(
            "Makes the judge's random choices repeatable; default: random, on record.", metavar="N", min=0
        ),
    ] = None
    slots: Annotated[
        Path | None,
        option(
            "Folder of the locks by which measurements on a host take turns; default: the system's.",
            metavar="DIR",
            envvar="TRUELAP_SLOTS",
        ),
    ] = None
    gate: Annotated[
        str | None,
        option("Measure gate that must give leave as well.", metavar="URL", envvar="MEASURE_GATE_URL"),
    ] = None
    wait: Annotated[
        float,
        option(
            "Longest wait for a slot, or for the gate, in seconds.",
            metavar="S",
            min=0,
            envvar="MEASURE_GATE_ACQUIRE_WAIT",
        ),
    ] = 7200.0
    json: Annotated[bool, option("Print what was found as JSON.", "--json")] = False
    quiet: Annotated[bool, option("Print nothing but errors.", "--quiet")] = False


@dataclass(frozen=True, kw_only=True)
class Checked(Running, Submitted):
    """test and outputs: what one check finds."""

    keep: Annotated[
        Path | None,
        option(
            "Where what base shows is kept for the next submission; default: the user's cache.", metavar="DIR"
        ),
    ] = None
    no_cache: Annotated[bool, option("Keep nothing, and use nothing that was kept.", "--no-cache")] = False


@dataclass(frozen=True, kw_only=True)
class Timed(Checked):
    """time: a check that can say how fast a patch is."""

    require: Annotated[
        Literal["faster"] | None, option("Exit 1 unless the patch is a confirmed speed-up.")
    ] = None


@dataclass(frozen=True, kw_only=True)
class Judged(Timed):
    """verify."""

    layout: Annotated[
        Literal["harbor", "formulacode"], option("formulacode: also write what its graders read.")
    ] = "harbor"


def command(
    app: typer.Typer, name: str, options: type[T]
) -> Callable[[Callable[[T], int]], Callable[[T], int]]:
    """Register a function of one `options` value that answers with the exit code."""

    def register(run: Callable[[T], int]) -> Callable[[T], int]:
        def call(**given: Any) -> None:
            raise typer.Exit(run(options(**given)))

        call.__doc__ = run.__doc__
        call.__signature__ = _signature(options)  # type: ignore[attr-defined]
        app.command(name)(call)
        return run

    return register


def _signature(options: type[Any]) -> Signature:
    hints = get_type_hints(options, include_extras=True)
    return Signature(
        [
            Parameter(
                field.name,
                Parameter.KEYWORD_ONLY,
                default=Parameter.empty if field.default is MISSING else field.default,
                annotation=hints[field.name],
            )
            for field in sorted(fields(options), key=lambda field: field.name in _SELDOM)
        ]
    )
