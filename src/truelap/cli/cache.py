"""cache: what is kept of base for the next submission, and how to get rid of it."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from pathlib import Path  # noqa: TC003 - typer reads the annotations
from typing import TYPE_CHECKING, Annotated, Any

import typer

from truelap.cli.options import Common, command, option
from truelap.cli.words import one_line, say, say_json
from truelap.errors import UsageError
from truelap.wording import ago, measured_bytes

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from truelap.world.keep import Entry, Keep

_HEAD = ("task", "kind", "values", "size", "last used")


def register(app: typer.Typer) -> None:
    """Add the commands."""
    cache = typer.Typer(
        help="Show or remove what is kept of base.", no_args_is_help=True, rich_markup_mode=None
    )
    command(cache, "list", Cache)(list_all)
    command(cache, "prune", Prune)(prune)
    command(cache, "clear", Cache)(clear)
    app.add_typer(cache, name="cache")


@dataclass(frozen=True, kw_only=True)
class Cache(Common):
    """Options of cache."""

    keep: Annotated[Path | None, option("The folder; default: the user's cache.", metavar="DIR")] = None
    json: Annotated[bool, option("Print it as JSON.", "--json")] = False


@dataclass(frozen=True, kw_only=True)
class Prune(Cache):
    """Options of cache prune."""

    most: Annotated[
        int,
        option("Bytes that may stay, a whole number: 1000000000 is 1 GB.", "--most", metavar="BYTES", min=0),
    ]


def list_all(options: Cache) -> int:
    """List what is kept, by task and kind."""
    keep, folder = _opened(options)
    entries = keep.entries() if keep else ()
    if options.json:
        rows = [
            {"kind": e.kind, "task": e.task, "bytes": e.bytes, "used": e.used, "file": e.path.name}
            for e in entries
        ]
        say_json({"folder": str(folder), "bytes": _size(entries), "entries": rows})
        return 0
    for line in _table(entries):
        say(line)
    say(f"{one_line(str(folder))}: {len(entries)} kept, {measured_bytes(_size(entries))}")
    return 0


def _table(entries: Iterable[Entry]) -> Iterator[str]:
    """A line for each task and kind, below a head; none where nothing is kept."""
    groups: dict[tuple[str, str], list[Entry]] = {}
    for entry in entries:
        groups.setdefault((entry.task, entry.kind), []).append(entry)
    if not groups:
        return
    rows = [_HEAD, *(_row(*group, groups[group]) for group in sorted(groups))]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for task, kind, values, size, used in rows:
        yield (
            f"{task:<{widths[0]}}  {kind:<{widths[1]}}  {values:>{widths[2]}}  {size:>{widths[3]}}  {used}"
        )


def _row(task: str, kind: str, same: Sequence[Entry]) -> tuple[str, str, str, str, str]:
    used = ago(time.time() - max(entry.used for entry in same))
    return one_line(task) or "(no task)", kind, str(len(same)), measured_bytes(_size(same)), used


def prune(options: Prune) -> int:
    """Remove what was used longest ago until it fits."""
    return _removed(options, options.most)


def clear(options: Cache) -> int:
    """Remove all that is kept."""
    return _removed(options, 0)


def _removed(options: Cache, most: int) -> int:
    keep, folder = _opened(options)
    gone, size = keep.prune(most) if keep else (0, 0)
    told: dict[str, Any] = {"folder": str(folder), "removed": gone, "bytes": size}
    if options.json:
        say_json(told)
    else:
        say(f"{one_line(str(folder))}: {gone} removed, {measured_bytes(size)}")
    return 0


def _opened(options: Cache) -> tuple[Keep | None, Path]:
    """The folder; None in its place where there is none yet."""
    from truelap.world.keep import Keep, default_folder

    folder = options.keep or default_folder(os.environ)
    if folder is None:
        raise UsageError(
            "there is no home, so nothing is kept unless --keep names a folder; give it here too"
        )
    if options.keep and not folder.exists():
        raise UsageError(f"--keep {folder}: there is no such folder")
    return Keep(folder) if folder.exists() else None, folder


def _size(entries: Iterable[Entry]) -> int:
    return sum(entry.bytes for entry in entries)
