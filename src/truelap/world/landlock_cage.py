"""The processes of one Landlock sandbox: launcher (ours) > the program > whatever it starts; orphans come back to the launcher.

See `launch_landlock` for how they are found and ended without a process namespace.
"""

from __future__ import annotations

import os
import select
import sys
import time
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from truelap.errors import WorldError
from truelap.world import process, procfs, traces
from truelap.world.removal import remove_folder
from truelap.world.session import Outcome

if TYPE_CHECKING:
    from truelap.world.launchers import Launcher
    from truelap.world.leases import Lease

_ANSWER_BYTES = 4096
_END_TIMEOUT_S = 20.0
_SURVIVOR_POLL_S = 0.005
_END_USER = "import sys; sys.path.append({folder!r}); import launch_landlock; launch_landlock.end({uid})"


class LandlockCage:
    """See `session.Cage`.

    Args:
        launcher: the process that runs `launch_landlock`, with its plan; owned from now on.
        lease: the sandbox's user, None when it is the judge's own; owned from now on.
        scratch: the step's temporary folders; owned from now on.
    """

    def __init__(self, launcher: Launcher, lease: Lease | None, scratch: Path) -> None:
        self._launcher = launcher
        self._lease = lease
        self._scratch = scratch
        self._heard = b""
        self._outcome: Outcome | None = None
        self._handle = os.pidfd_open(launcher.process.pid)
        self._destroyed = False
        self.worker: int | None = None

    def await_start(self, timeout_s: float) -> None:
        """Return once the program itself runs.

        Raises:
            WorldError: the sandbox could not be set up.
        """
        line = self._line(timeout_s)
        if line is None:
            raise WorldError(f"the sandbox was not ready within {timeout_s:g} s")
        word, _, rest = line.partition(" ")
        if word != "started":
            raise WorldError(f"sandbox: {rest}")
        self.worker = int(rest)

    def members(self) -> list[int]:
        """The program, and whatever it has started."""
        return [] if self._destroyed else procfs.descendants(self._launcher.process.pid)

    def keepers(self) -> list[int]:
        """The launcher."""
        return [] if self._destroyed else [self._launcher.process.pid]

    def wait(self, timeout_s: float) -> Outcome | None:
        """The program's end, None when it is still running."""
        if self._outcome is None:
            line = self._line(timeout_s)
            self._outcome = _outcome(line) if line is not None else None
        return self._outcome

    def kill(self) -> None:
        """Kill the step's processes at one moment."""
        self._order(b"k")

    def destroy(self) -> None:
        """Kill everything, prove that nothing is left, and remove what was written."""
        if self._destroyed:
            return
        self._destroyed = True
        with ExitStack() as closing:
            closing.callback(self._close)
            self._end()
            if self._lease is not None:
                _prove_ended(self._lease.uid)
                traces.remove_shared(self._lease.uid)
            remove_folder(self._scratch)

    def _end(self) -> None:
        self._order(b"e")
        ready = select.poll()
        ready.register(self._handle, select.POLLIN)
        if not ready.poll(_END_TIMEOUT_S * 1000):
            raise WorldError(f"the processes of the sandbox cannot be killed within {_END_TIMEOUT_S:g} s")
        if self._launcher.process.wait() != 0 and self._lease is None:
            raise WorldError("sandbox: its launcher was killed; what the step has started may go on")

    def _order(self, order: bytes) -> None:
        try:
            self._launcher.control.send(order)
        except (BrokenPipeError, ConnectionResetError):
            # It was killed: then the judge does its work.
            return

    def _line(self, timeout_s: float) -> str | None:
        """The launcher's next line, None when there is none in time."""
        deadline = time.monotonic() + timeout_s
        while b"\n" not in self._heard:
            ready = select.poll()
            ready.register(self._launcher.control, select.POLLIN)
            if not ready.poll(max(0.0, deadline - time.monotonic()) * 1000):
                return None
            self._heard += self._received()
        line, _, self._heard = self._heard.partition(b"\n")
        return line.decode("utf-8", "replace")

    def _received(self) -> bytes:
        try:
            received = self._launcher.control.recv(_ANSWER_BYTES)
        except ConnectionResetError:
            received = b""
        if not received:
            raise WorldError("sandbox: its launcher was killed")
        return received

    def _close(self) -> None:
        os.close(self._handle)
        if self._launcher.process.poll() is None:
            # What it could not kill goes on; it must not be waited for.
            self._launcher.process.kill()
        self._launcher.close()
        if self._lease is not None:
            self._lease.release()


def _outcome(line: str) -> Outcome:
    word, _, rest = line.partition(" ")
    return Outcome("signal", int(rest)) if word == "killed" else Outcome("exit", int(rest))


def _prove_ended(uid: int) -> None:
    """See to it that a user runs nothing. The launcher has; but it may have been killed.

    Raises:
        WorldError: something goes on.
    """
    deadline = time.monotonic() + _END_TIMEOUT_S
    while left := [pid for pid in procfs.of_user(uid) if procfs.is_alive(pid)]:
        if time.monotonic() > deadline:
            raise WorldError(f"processes of the sandbox survive it: {left}")
        end_user(uid)
        time.sleep(_SURVIVOR_POLL_S)


def end_user(uid: int) -> None:
    """Kill every process of a sandbox's user, at one moment. Only for a root judge."""
    program = _END_USER.format(folder=str(Path(__file__).parent), uid=uid)
    process.run([sys.executable, "-I", "-S", "-c", program], env={}, cwd=Path("/"), timeout_s=_END_TIMEOUT_S)
