"""Every effect: git, files, processes, sandboxes, clocks. `opening` makes a `World`; stations touch nothing but through it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from truelap.world.events import Events
    from truelap.world.git import Store
    from truelap.world.interpreter import Interpreter
    from truelap.world.keep import Keep
    from truelap.world.sandbox import Sandbox
    from truelap.world.trees import Trees
    from truelap.world.workspace import Workspace


@dataclass(frozen=True)
class World:
    """What a run may use of the machine."""

    store: Store
    """Base, submission and candidate, as trees of a private repository."""
    trees: Trees
    """The same on disk."""
    workspace: Workspace
    """Private folder for everything else."""
    sandbox: Sandbox
    """Where code of a tree runs, and nowhere else."""
    interpreter: Interpreter
    """The project's own."""
    events: Events
    """The diary."""
    keep: Keep | None = None
    """What earlier runs found out about base; None when nothing is kept."""
    unkept: str | None = None
    """Why nothing is kept although nobody asked for that."""
