"""The processes of one bubblewrap sandbox: launcher (ours) > bubblewrap > its init > the program.

Killing bubblewrap ends them all, because it is the first process of a process namespace; see `launch`.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import time
from typing import TYPE_CHECKING

from truelap.errors import WorldError
from truelap.world import procfs
from truelap.world.session import Outcome

if TYPE_CHECKING:
    from truelap.world.launchers import Launcher
    from truelap.world.leases import Lease

_ANSWER_BYTES = 4096
_START_POLL_S = 0.0005
_SURVIVOR_POLL_S = 0.005
_END_TIMEOUT_S = 20.0
_SIGNAL_BASE = 128
_HIGHEST_SIGNAL = 64


class BubblewrapCage:
    """See `session.Cage`.

    Args:
        launcher: the process that runs `launch`, with its plan; owned from now on.
        lease: the sandbox's user, None when it is the judge's own; owned from now on.
    """

    def __init__(self, launcher: Launcher, lease: Lease | None) -> None:
        self._launcher = launcher
        self._lease = lease
        self._answer = b""
        self._keepers: list[int] = []
        self._handles = [os.pidfd_open(launcher.process.pid)]
        self._namespace: str | None = None
        self._destroyed = False
        self.worker: int | None = None

    def await_start(self, timeout_s: float) -> None:
        """Return once the program itself runs (or has run).

        Raises:
            WorldError: the sandbox could not be set up.
        """
        deadline = time.monotonic() + timeout_s
        while not self._is_running():
            if self._answered(_START_POLL_S):
                self._read_outcome()
                return
            if time.monotonic() > deadline:
                raise WorldError(f"the sandbox was not ready within {timeout_s:g} s")

    def members(self) -> list[int]:
        """Bubblewrap's init, the program, and whatever it has started."""
        if self._destroyed or self.worker is None:
            return []
        return [self._keepers[2], *procfs.descendants(self._keepers[2])]

    def keepers(self) -> list[int]:
        """The launcher and bubblewrap."""
        return [] if self._destroyed else self._keepers[:2]

    def wait(self, timeout_s: float) -> Outcome | None:
        """The program's end, None when it is still running."""
        return self._read_outcome() if self._answer or self._answered(timeout_s) else None

    def kill(self) -> None:
        """Kill the first process of the namespace, and so all of them."""
        if self.worker is not None:
            _kill(self._handles[2])

    def destroy(self) -> None:
        """Kill everything and prove that nothing is left."""
        if self._destroyed:
            return
        self._destroyed = True
        try:
            self._kill()
            self._prove_empty()
        finally:
            self._close()

    def _is_running(self) -> bool:
        """Whether the program has taken the place of the fork of bubblewrap that it starts as."""
        chain = [self._launcher.process.pid]
        for _ in range(3):
            born = procfs.children(chain[-1])
            if not born:
                return False
            chain.append(born[0])
        init, worker = chain[2:]
        name = procfs.name(worker)
        if not name or name == procfs.name(init):
            return False
        self._namespace = procfs.pid_namespace(worker)
        try:
            self._handles += [os.pidfd_open(pid) for pid in chain[1:3]]
        except ProcessLookupError:
            return False
        self._keepers, self.worker = chain[:3], worker
        return True

    def _answered(self, timeout_s: float) -> bool:
        ready = select.poll()
        ready.register(self._launcher.control, select.POLLIN)
        return bool(ready.poll(timeout_s * 1000))

    def _read_outcome(self) -> Outcome:
        if not self._answer:
            # A launcher that was killed before it read its plan leaves a reset behind, later a plain end.
            with contextlib.suppress(ConnectionResetError):
                self._answer = self._launcher.control.recv(_ANSWER_BYTES)
        word, _, rest = self._answer.partition(b"\n")[0].decode().partition(" ")
        if word not in {"exit", "killed"}:
            raise WorldError(f"sandbox: {rest or 'its launcher was killed'}")
        return Outcome("signal", int(rest)) if word == "killed" else _by_exit_status(int(rest))

    def _kill(self) -> None:
        deadline = time.monotonic() + _END_TIMEOUT_S
        for handle in self._handles[1:]:
            _kill(handle)
        if self.worker is None:
            # Half set up: whatever there is by now; the death of the launcher takes what comes after.
            for pid in procfs.descendants(self._launcher.process.pid):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            _kill(self._handles[0])
        for handle in self._handles:
            if not _ended(handle, deadline):
                raise WorldError(f"a process of the sandbox cannot be killed within {_END_TIMEOUT_S:g} s")

    def _prove_empty(self) -> None:
        deadline = time.monotonic() + _END_TIMEOUT_S
        while left := self._survivors():
            if time.monotonic() > deadline:
                raise WorldError(f"processes of the sandbox survive it: {left}")
            time.sleep(_SURVIVOR_POLL_S)

    def _survivors(self) -> list[int]:
        if self._lease is not None:
            found = procfs.of_user(self._lease.uid)
        else:
            found = procfs.in_pid_namespace(self._namespace) if self._namespace else []
        return [pid for pid in found if procfs.is_alive(pid)]

    def _close(self) -> None:
        for handle in self._handles:
            os.close(handle)
        self._launcher.close()
        if self._lease is not None:
            self._lease.release()


def _by_exit_status(code: int) -> Outcome:
    """Bubblewrap passes a signal on as 128 + its number, as shells do; a program that exits so itself looks the same."""
    number = code - _SIGNAL_BASE
    return Outcome("signal", number) if 0 < number <= _HIGHEST_SIGNAL else Outcome("exit", code)


def _kill(handle: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        signal.pidfd_send_signal(handle, signal.SIGKILL)


def _ended(handle: int, deadline: float) -> bool:
    """Whether a process has ended. For the first of a process namespace the kernel says so only after all the others."""
    ready = select.poll()
    ready.register(handle, select.POLLIN)
    return bool(ready.poll(max(0.0, deadline - time.monotonic()) * 1000))
