"""The contract of every sandbox backend: one step in, one live session out, nothing left behind.

A session's program runs as an unprivileged user without network, capabilities or a view of the judge. The judge owns
the channel, the deadline and the kill. `tests/world/conformance.py` is the suite that each backend must pass.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Literal, Protocol, Self

if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import TracebackType

    from truelap.policy import Limits
    from truelap.world.channel import Channel
    from truelap.world.seal import Seal

MOUNT = PurePosixPath("/workspace/repo")
"""Where the tree appears unless the task says otherwise: the same for base and candidate."""

PROBES = PurePosixPath("/truelap/probes")
"""Where the probes' folder is mounted, read-only."""

TreeAccess = Literal["sealed", "owned"]
"""sealed: files of the tree cannot be changed, moved or removed, new ones may be added (root judge; otherwise the manifest
check afterwards finds it). owned: the build step may write the whole tree."""

Ended = Literal["exit", "signal", "deadline", "killed"]

Over = Literal["", "memory", "disk", "files"]
"""What a step had too much of; "" for nothing."""


@dataclass(frozen=True)
class Bind:
    """A host path shown read-only inside."""

    source: Path
    target: PurePosixPath


@dataclass(frozen=True)
class Step:
    """One program to run in a fresh sandbox.

    `tree` is a folder on disk that belongs to this step alone; it appears at `mount`, which is also the working
    folder. The environment holds `env` and the backend's fixed variables, nothing of the judge's.
    When `channel` is true, one end of a stream socket is inherited and its number is appended to `argv`.
    """

    name: str
    argv: tuple[str, ...]
    tree: Path
    limits: Limits
    mount: PurePosixPath = MOUNT
    access: TreeAccess = "sealed"
    binds: tuple[Bind, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict)
    channel: bool = True
    cores: frozenset[int] | None = None
    seal: Seal | None = None
    """Taken by the backend when the tree is ready and nothing of the step runs yet."""
    without: frozenset[str] = frozenset()
    """Defences that the policy switches off (`defences.DEFENCES`)."""


@dataclass(frozen=True)
class Ending:
    """How a session's program ended, known after everything in the sandbox is dead.

    `code` is the exit status for "exit", the signal number for "signal", else None. `output` holds the last bytes of
    stdout and stderr together, at most the step's `output_bytes`. `cpu_s` is what all processes together were last seen to
    have used, up to 50 ms before the end, or when the wait began; short-lived ones may be missing from it.
    """

    how: Ended
    code: int | None
    output: bytes
    truncated: bool
    wall_s: float
    cpu_s: float
    over: Over = ""
    """What the step had too much of when the judge killed it for that; `output` says so, too."""


class Session(Protocol):
    """A running step. Leaving the `with` block kills whatever is left of it."""

    channel: Channel
    """The judge's end. Only there when the step asked for one."""

    @property
    def worker_pid(self) -> int:
        """Pid, as the host sees it, of the step's program (not of the launcher). Known once the program has started."""

    def cpu_ns(self) -> int:
        """CPU nanoseconds that the worker process has used (all its threads), by the kernel's clock.

        Linux clock id `(~pid << 3) | 2`; needs no cooperation of the worker.

        Raises:
            StepFault: the worker is gone.
        """

    def pids(self) -> tuple[int, ...]:
        """Every process of the sandbox that is alive now, as the host sees it, launchers and the sandbox's init included."""

    def pause(self) -> None:
        """Stop every process of the sandbox."""

    def resume(self) -> None:
        """Let every process of the sandbox run again."""

    def wait(self, timeout_s: float) -> Ending:
        """Wait for the program's end, kill the rest, and say how it ended ("deadline" when it did not).

        Raises:
            WorldError: the sandbox broke, or the judge could not see what the step takes.
        """

    def kill(self) -> Ending:
        """Kill everything now. May be called again; the answer stays the same, and so does a `WorldError`."""

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...


@dataclass(frozen=True)
class Capability:
    """One line of `truelap doctor`: what a backend gives or gives up here."""

    name: str
    holds: bool
    detail: str


class Sandbox(Protocol):
    """A backend. `start` may be called from several threads."""

    name: str

    @property
    def gives_up(self) -> Mapping[str, str]:
        """Lines of the self-check that do not hold with this backend, and what that means; every other one must."""

    def start(self, step: Step) -> Session:
        """Start a step.

        Raises:
            WorldError: the sandbox itself cannot be had (never a quiet fall-back to a weaker one).
        """

    def self_check(self) -> tuple[Capability, ...]:
        """Run a probe in a real sandbox and report what holds. Called before the backend is trusted."""
