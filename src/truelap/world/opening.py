"""Opens and closes a world: working folder, private store, interpreter and sandbox, in the order in which they can fail."""

from __future__ import annotations

import shutil
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from truelap.errors import TruelapError, WorldError
from truelap.world import World
from truelap.world.backends import open_sandbox
from truelap.world.events import Events
from truelap.world.git import Store
from truelap.world.interpreter import inspect
from truelap.world.keep import Keep
from truelap.world.pycache import mirrored
from truelap.world.trees import Trees
from truelap.world.workspace import open_workspace

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from truelap.settings import Settings
    from truelap.world.workspace import Workspace

EVENTS = "events.jsonl"
_LEAST_ROOM = 8 << 20
"""Bytes; less than this holds no repository worth the name, and git would only say that some file of its own failed."""


@dataclass(frozen=True)
class Ground:
    """What needs no sandbox: enough to read base and submission, and to say what is wrong with them."""

    workspace: Workspace
    store: Store


@contextmanager
def open_ground(work: Path | None) -> Iterator[Ground]:
    """A working folder with a private store; nothing of it is left afterwards.

    Raises:
        UsageError: `work` is no folder.
        WorldError: there is no room.
    """
    with open_workspace(work) as workspace:
        free = shutil.disk_usage(workspace.root).free
        if free < _LEAST_ROOM:
            raise WorldError(
                f"working folder {workspace.root.parent}: {free} bytes are free, at least {_LEAST_ROOM} are needed"
                " (and room for three or four copies of base); make space or name another with --work"
            )
        yield Ground(workspace, Store.create(workspace.folder("store")))


@contextmanager
def world_on(
    ground: Ground,
    settings: Settings,
    repo: Path,
    hidden: tuple[Path, ...],
    progress: Callable[[str], None] | None = None,
) -> Iterator[World]:
    """A world for one run.

    Args:
        ground: working folder and store.
        settings: where and how to run.
        repo: the repository under test, which no sandbox shows.
        hidden: further folders that no sandbox shows.
        progress: called with short texts for people.

    Raises:
        UsageError: the interpreter cannot be used.
        WorldError: there is no sandbox, or no room.
    """
    workspace, listener = ground.workspace, (progress,) if progress else ()
    keep, unkept = _open_keep(settings)
    if keep is not None:
        hidden = (*hidden, keep.folder)
    with (
        mirrored(inspect(settings.python, repo, hidden), workspace.folder("bytecode")) as interpreter,
        Events(workspace.root / EVENTS, *listener) as events,
    ):
        sandbox = open_sandbox(settings.sandbox, interpreter, (repo, *hidden), events, unsafe=settings.unsafe)
        yield World(
            store=ground.store,
            workspace=workspace,
            sandbox=sandbox,
            interpreter=interpreter,
            events=events,
            trees=Trees(ground.store, workspace),
            keep=keep,
            unkept=unkept,
        )


def _open_keep(settings: Settings) -> tuple[Keep | None, str | None]:
    if settings.keep is None:
        return None, None
    try:
        return Keep(settings.keep), None
    except TruelapError as error:
        if settings.keep_named:
            raise
        return None, str(error).removeprefix("--keep ")


@contextmanager
def open_world(
    settings: Settings, repo: Path, hidden: tuple[Path, ...], progress: Callable[[str], None] | None = None
) -> Iterator[World]:
    """Ground and world at once, see there."""
    with open_ground(settings.work) as ground, world_on(ground, settings, repo, hidden, progress) as world:
        yield world


def diary(world: World) -> bytes:
    """Everything that was said so far: events.jsonl."""
    return (world.workspace.root / EVENTS).read_bytes()
