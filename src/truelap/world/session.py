"""One running step, the same for every backend: the channel, the output, the clock, and the certain end."""

from __future__ import annotations

import contextlib
import os
import signal
import threading
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, Self

from truelap.errors import StepFault, WorldError
from truelap.world import procfs, watch
from truelap.world.clock import cpu_ns_of
from truelap.world.sandbox import Ending
from truelap.world.watch import Guard

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from types import TracebackType

    from truelap.policy import Limits
    from truelap.world.channel import Channel
    from truelap.world.outlets import Outlets
    from truelap.world.sandbox import Ended
    from truelap.world.usage import Place

_STOP_TIMEOUT_S = 5.0
_STOP_POLL_S = 0.0002
_CLOCK_EVERY_S = 0.05
_OVER = "\ntruelap: killed: the step held more than its limit of {}\n"
_STILL = frozenset({"T", "t"}) | procfs.DEAD
"""States of a thread that runs no instruction: stopped, traced, ended."""


@dataclass(frozen=True)
class Outcome:
    """How a program ended by itself."""

    how: Ended
    code: int | None


class Cage(Protocol):
    """What a backend provides: a set of processes that can be found, and be ended all at once."""

    @property
    def worker(self) -> int | None:
        """The step's program; None when it had ended before it was seen."""

    def members(self) -> list[int]:
        """Every live process that may hold code of the step, eldest first."""

    def keepers(self) -> list[int]:
        """Processes of ours around it."""

    def wait(self, timeout_s: float) -> Outcome | None:
        """The program's end, None when it is still running.

        Raises:
            WorldError: the sandbox broke.
        """

    def kill(self) -> None:
        """Kill every process of the step; `wait` then tells its end."""

    def destroy(self) -> None:
        """Kill everything and prove that nothing is left. May be called again.

        Raises:
            WorldError: something is left.
        """


class LiveSession:
    """A `Session` over a cage.

    Args:
        cage: the processes; owned by the session from now on.
        outlets: what they inherited; likewise.
        limits: bounds of the step.
        places: where the step may write without a bound of the kernel's.
    """

    channel: Channel
    """The judge's end. Only there when the step asked for one."""

    def __init__(self, cage: Cage, outlets: Outlets, limits: Limits, places: Sequence[Place] = ()) -> None:
        self._cage = cage
        self._outlets = outlets
        if outlets.channel is not None:
            self.channel = outlets.channel
        self._guard = Guard(cage, limits, places)
        self._wall_s = limits.wall_s
        self._started = time.monotonic()
        self._cpu_s = 0.0
        self._ending: Ending | None = None
        self._ending_lock = threading.Lock()
        watch.begin(self._guard)

    @property
    def worker_pid(self) -> int:
        """Pid of the step's program, as the host sees it."""
        if self._cage.worker is None:
            raise StepFault("closed", "the program had ended before it was seen")
        return self._cage.worker

    def cpu_ns(self) -> int:
        """CPU nanoseconds of the worker process."""
        pid = self.worker_pid
        try:
            used = cpu_ns_of(pid)
        except OSError as error:
            raise StepFault("closed", "the worker has ended") from error
        # Looked at afterwards, so that a reused number is not taken for the worker's.
        if procfs.state(pid) in {"Z", "X", ""} or self._ending is not None:
            raise StepFault("closed", "the worker has ended")
        return used

    def pids(self) -> tuple[int, ...]:
        """Every live process of the sandbox, ours around it included."""
        return (*self._cage.keepers(), *self._cage.members())

    def pause(self) -> None:
        """Stop every process of the sandbox.

        Raises:
            StepFault: "late" when new processes come up faster than they can be stopped.
        """
        deadline = time.monotonic() + _STOP_TIMEOUT_S
        seen_still: list[int] | None = None
        while time.monotonic() < deadline:
            members = self._cage.members()
            running = [pid for pid in members if procfs.threads_in(pid) - _STILL]
            # Twice the same: a child born just before its parent stopped is only in the second list.
            if not running and members == seen_still:
                self._guard.paused = True
                return
            seen_still = None if running else members
            signal_all(running, signal.SIGSTOP)
            if running:
                time.sleep(_STOP_POLL_S)
        raise StepFault("late", "the processes of the sandbox could not be stopped")

    def resume(self) -> None:
        """Let every process of the sandbox run again."""
        self._guard.paused = False
        signal_all(self._cage.members(), signal.SIGCONT)

    def wait(self, timeout_s: float) -> Ending:
        """Wait for the program's end, at most until the step's wall limit.

        Raises:
            WorldError: the sandbox broke, or the step could not be looked after.
        """
        left = self._started + self._wall_s - time.monotonic()
        return self._end(max(0.0, min(timeout_s, left)), "deadline")

    def kill(self) -> Ending:
        """Kill everything now.

        Raises:
            WorldError: as for `wait`.
        """
        return self._end(0.0, "killed")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            self.kill()
        finally:
            self._outlets.close()

    def _end(self, timeout_s: float, otherwise: Ended) -> Ending:
        outcome = None
        try:
            if self._ending is None:
                outcome = self._watched(time.monotonic() + timeout_s)
        finally:
            ending = self._finish(outcome, otherwise)
        return ending

    def _watched(self, deadline: float) -> Outcome | None:
        """Wait for the end, reading the processes' clocks now and then: the kernel drops them with the sandbox."""
        while True:
            left = deadline - time.monotonic()
            # Never less than was seen before: what nobody waited for is lost from the sum.
            self._cpu_s = max(self._cpu_s, sum(map(_cpu_s, self._cage.members())))
            outcome = self._cage.wait(max(0.0, min(left, _CLOCK_EVERY_S)))
            if outcome is not None or left <= 0:
                return outcome

    def _finish(self, outcome: Outcome | None, otherwise: Ended) -> Ending:
        with self._ending_lock:
            if self._ending is None:
                wall = time.monotonic() - self._started
                watch.end(self._guard)
                try:
                    self._cage.destroy()
                finally:
                    self._outlets.drain.finish()
                self._ending = self._told(outcome, otherwise, wall)
            if self._guard.fault:
                raise WorldError(f"a step could not be looked after, and was ended: {self._guard.fault}")
            return self._ending

    def _told(self, outcome: Outcome | None, otherwise: Ended, wall_s: float) -> Ending:
        drain, over = self._outlets.drain, self._guard.over
        if over:
            # Its end may not have been read before the judge stopped waiting; who brought it about is known.
            outcome = Outcome("signal", signal.SIGKILL)
        how, code = (outcome.how, outcome.code) if outcome else (otherwise, None)
        output = drain.output + (_OVER.format(over).encode() if over else b"")
        return Ending(how, code, output, drain.truncated, wall_s, self._cpu_s, over)


def _cpu_s(pid: int) -> float:
    with contextlib.suppress(OSError):
        return cpu_ns_of(pid) * 1e-9 + procfs.waited_for_s(pid)
    return 0.0


def signal_all(pids: Iterable[int], number: signal.Signals) -> None:
    """Send a signal to each process that is still there."""
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, number)
