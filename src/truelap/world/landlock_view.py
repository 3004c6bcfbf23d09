"""Where the things of a step are when nothing can be mounted: real folders, each under a name that says nothing."""

from __future__ import annotations

import os
import secrets
import threading
import weakref
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from truelap.errors import WorldError
from truelap.world import links, reach, view
from truelap.world.translation import Paths
from truelap.world.workspace import open_workspace

if TYPE_CHECKING:
    from collections.abc import Mapping

    from truelap.world.interpreter import Interpreter
    from truelap.world.sandbox import Step

_OF_ALL, _OF_USER = 0o711, 0o700


def demand_reach(interpreter: Interpreter) -> None:
    """See to it that every user can run an interpreter: where it lies cannot be shown elsewhere.

    Raises:
        WorldError: a folder on the way is closed.
    """
    for path in (interpreter.executable, *interpreter.path, *(bind.source for bind in interpreter.binds)):
        closed = reach.barrier(path)
        if closed is not None:
            where = "" if path.is_relative_to(closed) else ", which leads into it by a link"
            raise WorldError(
                f"{closed} is closed to other users, so the sandbox cannot use {path}{where}; "
                f"name an interpreter that lies elsewhere with --python, or open {closed} (chmod o+x {closed})"
            )


class Copies:
    """Copies of what lies where only the judge gets (truelap's own probes in root's home), made once for all steps."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._made: dict[Path, Path] = {}
        self._folder: Path | None = None

    def reachable(self, source: Path) -> Path:
        """The same content where every user can read it.

        Raises:
            WorldError: there is no room for a copy.
        """
        if reach.barrier(source) is None:
            return source
        with self._lock:
            if source not in self._made:
                try:
                    target = self._place() / str(len(self._made))
                    self._made[source] = reach.copy_for_all(source, target)
                except OSError as error:
                    raise WorldError(f"{source} cannot be copied for a sandbox: {error.strerror}") from error
            return self._made[source]

    def _place(self) -> Path:
        if self._folder is None:
            workspace = open_workspace()
            weakref.finalize(self, workspace.close)
            self._folder = workspace.folder("shown")
            closed = reach.barrier(self._folder, way_only=True)
            if closed is not None:
                raise WorldError(f"{closed} is closed to other users: set TMPDIR to a folder that is not")
        return self._folder


class Rooms:
    """The temporary folders of a step, beside its tree.

    Args:
        step: whose tree has its own folder of the judge's around it.
        uid: the sandbox's user, None for the judge's own.
    """

    def __init__(self, step: Step, uid: int | None) -> None:
        self._uid = uid
        self.root = step.tree.parent / secrets.token_hex(8)
        self.scratch = self.root / "tmp"
        self.links = self.root / "shown"
        self._make(self.root, _OF_ALL, None)
        for folder in (self.scratch, self.scratch / "home", self.scratch / "pycache"):
            self._make(folder, _OF_USER, uid)

    def show_bytecode(self, target: PurePosixPath, source: Path) -> None:
        """Put a link to bytecode of the environment where Python looks for it.

        Args:
            target: where the contract has it, below `view.PYCACHE`.
            source: where it is.
        """
        link = self.scratch / target.relative_to(view.SCRATCH)
        for folder in reversed(link.relative_to(self.scratch).parents):
            if not (self.scratch / folder).exists():
                self._make(self.scratch / folder, _OF_USER, self._uid)
        link.symlink_to(source)

    def _make(self, folder: Path, mode: int, uid: int | None) -> None:
        folder.mkdir()
        folder.chmod(mode)
        if uid is not None:
            os.chown(folder, uid, uid)


def is_bytecode(target: PurePosixPath) -> bool:
    """Whether a bind lies in a step's temporary folders."""
    return target.is_relative_to(view.PYCACHE)


def shown(step: Step, interpreter: Interpreter, copies: Copies) -> dict[PurePosixPath, Path]:
    """Host folders that are read-only inside, each where every user can reach it, by the path that it should have.

    Raises:
        WorldError: something cannot be reached.
    """
    found = {}
    for bind in view.shown_binds(step, interpreter):
        native = links.is_native(bind.target, bind.source)
        found[bind.target] = Path(bind.target) if native else copies.reachable(bind.source)
    return found


def translation(step: Step, shown_at: Mapping[PurePosixPath, Path], rooms: Rooms) -> Paths:
    """The paths of the contract, and the real ones."""
    rest = {target: real for target, real in shown_at.items() if not is_bytecode(target)}
    native = {target: real for target, real in rest.items() if Path(target) == real}
    foreign = {target: real for target, real in rest.items() if Path(target) != real}
    places = links.linked(foreign, rooms.links)
    return Paths({view.SCRATCH: rooms.scratch, **native, **places, step.mount: step.tree})
