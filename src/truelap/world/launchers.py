"""Keeps one launcher ready: the start of an interpreter is then not on the path of a sandbox's start."""

from __future__ import annotations

import marshal
import os
import socket
import subprocess
import sys
import weakref
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from truelap.errors import WorldError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from concurrent.futures import Future

# Imported, not run as a script, so that its bytecode is cached; the folder comes last, where it can hide nothing.
_PROGRAM = "import sys; sys.path.append({folder!r}); import {module}; {module}.main({judge})"


@dataclass(frozen=True)
class Launcher:
    """A process that runs a backend's launching module, and the judge's end of its socket."""

    process: subprocess.Popen[bytes]
    control: socket.socket
    starter: ThreadPoolExecutor
    """Holds the thread whose end would be the end of the process."""

    def close(self) -> None:
        """Let a launcher that has no plan end, and take leave of one that has ended."""
        self.control.close()
        self.process.wait()


class Launchers:
    """Starts launchers ahead of need.

    The kernel sends the death signal at the end of the *thread* that started a process, so one thread, which lives as long
    as this object or any of its launchers, starts them all.

    Args:
        module: what they run, in this folder.
    """

    def __init__(self, module: str) -> None:
        self._module = module
        self._thread = ThreadPoolExecutor(1, "truelap-starter")
        self._spare: list[Future[Launcher]] = []
        weakref.finalize(self, _dismiss, self._spare)
        self.prepare()

    def prepare(self) -> None:
        """Have one ready for the next time. Called when a sandbox runs: until then the processor is better used for that."""
        if not self._spare:
            self._spare.append(self._thread.submit(_start, self._thread, self._module))

    def launch(self, plan: dict[str, Any], inherited: Sequence[int]) -> Launcher:
        """Give a plan to a launcher.

        Args:
            plan: see the module.
            inherited: descriptors of the output and, if there is one, of the channel; they stay the caller's.

        Raises:
            WorldError: no launcher can be started.
        """
        try:
            try:
                return self._given(plan, inherited)
            except BrokenPipeError:
                # The spare one was killed while it waited.
                return self._given(plan, inherited)
        except OSError as error:
            raise WorldError(f"sandbox: its launcher cannot be started: {error.strerror}") from error

    def _given(self, plan: dict[str, Any], inherited: Sequence[int]) -> Launcher:
        try:
            future = self._spare.pop()
        except IndexError:
            future = self._thread.submit(_start, self._thread, self._module)
        launcher = future.result()
        try:
            _send(launcher, plan, inherited)
        except OSError:
            launcher.close()
            raise
        return launcher


def _start(starter: ThreadPoolExecutor, module: str) -> Launcher:
    ours, theirs = socket.socketpair()
    program = _PROGRAM.format(folder=str(Path(__file__).parent), module=module, judge=os.getpid())
    with theirs:
        process = subprocess.Popen(
            [sys.executable, "-I", "-S", "-c", program],
            stdin=theirs.fileno(),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={},
            cwd="/",
            start_new_session=True,
        )
    return Launcher(process, ours, starter)


def _send(launcher: Launcher, plan: dict[str, Any], inherited: Sequence[int]) -> None:
    with os.fdopen(os.memfd_create("plan"), "wb") as file:
        file.write(marshal.dumps(plan))
        file.flush()
        os.lseek(file.fileno(), 0, os.SEEK_SET)
        socket.send_fds(launcher.control, [b"."], [file.fileno(), *inherited])


def _dismiss(spare: list[Future[Launcher]]) -> None:
    for future in spare:
        future.result().close()
