"""What all workers of a station have in common, whichever side they are on."""

from __future__ import annotations

import importlib.util
import secrets
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any, Literal

from truelap.errors import WorldError
from truelap.world.provenance import facts_of, files_facts, sha256, tree_facts
from truelap.world.sandbox import PROBES, Bind
from truelap.world.slots import Slot, anywhere
from truelap.world.view import PYCACHE

if TYPE_CHECKING:
    from collections.abc import Mapping

    from truelap.policy import Limits
    from truelap.scripts import Style
    from truelap.task import Environment
    from truelap.world import World
    from truelap.world.files import TreeOnDisk

Name = Literal["base", "candidate"]
SIDES: tuple[Name, Name] = ("base", "candidate")

ASV = PurePosixPath("/truelap/asv")
"""Where asv_runner's folder is mounted, read-only and from the judge's side."""


def recorder_name() -> str:
    """A name that nobody can guess, for what rewritten sources call."""
    return f"_{secrets.token_hex(8)}"


@dataclass(frozen=True)
class Venue:
    """What every worker of a run has in common.

    Attributes:
        folder: of the suite, relative to the tree's root.
        paths: folders of the tree that are importable, relative to its root.
        load_s: longest wait for one module to be imported.
        guarded: patterns of tests and measurement setup.
        without: defences that the policy switches off.
        station: whose workers they are, for names of steps and folders.
        sources: files that the judge puts in place of base's, the same on both sides.
        name: of the recorder in every worker, unguessable; the suite calls it where it is rewritten.
        numpy: whether the environment's numpy is there before the tree is, see `arrays`.
        places: where a product may have moved, see `moved_roots`.
        chart: whether workers say which functions of the tree run; never where time is taken.
        style: how the suite is written.
        files: that hold the suite, where it is not asv's; then `folder` is the tree's root.
        slot: the cores that its workers run on.
    """

    world: World
    environment: Environment
    limits: Limits
    folder: str
    paths: tuple[str, ...]
    load_s: float
    guarded: tuple[str, ...] = ()
    without: frozenset[str] = frozenset()
    station: str = "time"
    sources: Mapping[bytes, bytes] = field(default_factory=dict)
    name: str = field(default_factory=recorder_name)
    numpy: bool = False
    places: tuple[str, ...] = ()
    chart: bool = False
    slot: Slot = field(default_factory=anywhere)
    style: Style = "asv"
    files: tuple[str, ...] = ()

    def holds(self, path: bytes) -> bool:
        """Whether a file of base is a module of the suite."""
        if self.style != "asv":
            return path.decode("utf-8", "replace") in self.files
        return path.startswith(f"{self.folder}/".encode()) and path.endswith(b".py")

    def facts(self, base: TreeOnDisk) -> dict[str, Any]:
        """What anything that base's workers do depends on, but for the question and its seeds."""
        own, none = self.name.encode(), b"_recorder"
        return {
            **facts_of(self.world),
            "tree": tree_facts(base),
            "environment": self.environment.model_dump(mode="json"),
            "limits": self.limits.model_dump(mode="json"),
            "suite": [self.folder, self.style, self.files, self.paths, self.load_s, self.numpy, self.places],
            "guarded": self.guarded,
            "without": sorted(self.without),
            # The recorder's name is drawn anew each time.
            "sources": files_facts(
                (path, sha256(text.replace(own, none))) for path, text in self.sources.items()
            ),
        }

    @property
    def mount(self) -> PurePosixPath:
        """Where the tree appears, the same for both sides."""
        return PurePosixPath(self.environment.mount)

    @property
    def suite(self) -> PurePosixPath:
        """The suite's folder as the worker sees it; its last part is the name that the suite is imported under."""
        return self.mount / self.folder


def runner_folder() -> Path:
    """The folder of the asv_runner that truelap was installed with; it is found, not imported.

    Raises:
        WorldError: it is not there.
    """
    spec = importlib.util.find_spec("asv_runner")
    if spec is None or spec.origin is None:
        raise WorldError("asv_runner is not installed beside truelap; install truelap with its dependencies")
    return Path(spec.origin).parent


def program(world: World) -> tuple[str, ...]:
    """The command line of every worker, whatever it is for: its mode is told by the first message."""
    python = str(world.interpreter.executable)
    return (python, "-s", "-X", f"pycache_prefix={PYCACHE}", str(PROBES / "worker.py"))


def shown() -> tuple[Bind, ...]:
    """What every worker has before it besides the interpreter and the probes.

    Raises:
        WorldError: it is not there.
    """
    return (Bind(runner_folder(), ASV / "asv_runner"),)
