"""Opens and closes a world: working folder, private store, interpreter and sandbox, in the order in which they can fail."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from truelap.world import World
from truelap.world.backends import open_sandbox
from truelap.world.events import Events
from truelap.world.git import Store
from truelap.world.interpreter import inspect
from truelap.world.pycache import mirrored
from truelap.world.trees import Trees
from truelap.world.workspace import open_workspace

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from truelap.settings import Settings

EVENTS = "events.jsonl"


@contextmanager
def open_store(work: Path | None) -> Iterator[Store]:
    """A private store alone, for commands that run nothing of the project.

    Raises:
        UsageError: `work` is no folder.
        WorldError: there is no room.
    """
    with open_workspace(work) as workspace:
        yield Store.create(workspace.folder("store"))


@contextmanager
def open_world(
    settings: Settings, repo: Path, hidden: tuple[Path, ...], progress: Callable[[str], None] | None = None
) -> Iterator[World]:
    """A world for one run; nothing of it is left afterwards.

    Args:
        settings: where and how to run.
        repo: the repository under test, which no sandbox shows.
        hidden: further folders that no sandbox shows.
        progress: called with short texts for people.

    Raises:
        UsageError: the interpreter or the working folder cannot be used.
        WorldError: there is no sandbox, or no room.
    """
    with open_workspace(settings.work) as workspace:
        store = Store.create(workspace.folder("store"))
        listener = (progress,) if progress else ()
        with (
            mirrored(inspect(settings.python, repo), workspace.folder("bytecode")) as interpreter,
            Events(workspace.root / EVENTS, *listener) as events,
        ):
            sandbox = open_sandbox(
                settings.sandbox, interpreter, (repo, *hidden), events, unsafe=settings.unsafe
            )
            yield World(
                store=store,
                workspace=workspace,
                sandbox=sandbox,
                interpreter=interpreter,
                events=events,
                trees=Trees(store, workspace),
            )


def diary(world: World) -> bytes:
    """Everything that was said so far: events.jsonl."""
    return (world.workspace.root / EVENTS).read_bytes()
