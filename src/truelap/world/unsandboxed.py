"""The backend `none`: no sandbox at all, only with `--unsafe`, for trusted patches on machines that allow nothing better.

The program runs as the judge's own user in the open. Paths of the sandbox are put in place of the real ones in arguments,
variables and messages, so that the rest of truelap need not know.
"""

from __future__ import annotations

import os
import resource
import secrets
import select
import signal
import subprocess
import time
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from truelap.errors import WorldError
from truelap.world import links, ownership, procfs, view
from truelap.world.outlets import Outlets
from truelap.world.removal import remove_folder
from truelap.world.sandbox import Capability
from truelap.world.session import LiveSession, Outcome, signal_all
from truelap.world.translation import Paths

if TYPE_CHECKING:
    from collections.abc import Mapping

    from truelap.world.interpreter import Interpreter
    from truelap.world.sandbox import Step

_MARK = "TRUELAP_STEP"
"""Variable by which the processes of a step are found again, unless they hide."""

_NOT_SET = frozenset({resource.RLIMIT_NPROC})
"""Counts all processes of the judge's user."""

_END_TIMEOUT_S = 20.0
_POLL_S = 0.002


class Unsandboxed:
    """See the module.

    Args:
        interpreter: the project's.
    """

    name = "none"
    gives_up: Mapping[str, str] = MappingProxyType({"sandbox": "everything"})

    def __init__(self, interpreter: Interpreter) -> None:
        self._interpreter = interpreter

    def start(self, step: Step) -> LiveSession:
        """Start a step, unprotected."""
        ownership.prepare(step, None)
        # In the judge's own working folder: it goes with that, and after a kill with the next judge's start.
        scratch = step.tree.parent / secrets.token_hex(8)
        Path(scratch, "home").mkdir(parents=True)
        paths = _paths(step, self._interpreter, scratch)
        outlets = Outlets(step, paths)
        mark = secrets.token_hex(8)
        environment = view.fixed_environment(self._interpreter, step.cores) | dict(step.env)
        numbers = outlets.inherited[1:]
        try:
            process = subprocess.Popen(
                [*map(paths.outside, step.argv), *map(str, numbers)],
                cwd=step.tree,
                env={name: paths.outside(value) for name, value in environment.items()} | {_MARK: mark},
                stdin=subprocess.DEVNULL,
                stdout=outlets.inherited[0],
                stderr=outlets.inherited[0],
                pass_fds=numbers,
                start_new_session=True,
            )
        except OSError as error:
            outlets.close()
            raise WorldError(f"{step.argv[0]} cannot be started: {error.strerror}") from error
        outlets.handed_on()
        _bound(process.pid, step)
        return LiveSession(_Cage(process, mark, scratch), outlets, step.limits)

    def self_check(self) -> tuple[Capability, ...]:
        """Nothing holds, and nothing needs asking."""
        return (
            Capability(
                "sandbox", False, "the submission runs as the judge's own user and can do all that it can"
            ),
        )


def _bound(pid: int, step: Step) -> None:
    for kind, soft, hard in view.resource_limits(step.limits):
        if kind not in _NOT_SET:
            resource.prlimit(pid, kind, (soft, hard))
    if step.cores:
        os.sched_setaffinity(pid, step.cores)


def _paths(step: Step, interpreter: Interpreter, scratch: Path) -> Paths:
    shown = {bind.target: bind.source for bind in view.shown_binds(step, interpreter)}
    bytecode = {target: source for target, source in shown.items() if target.is_relative_to(view.PYCACHE)}
    foreign = {
        target: source
        for target, source in shown.items()
        if target not in bytecode and not links.is_native(target, source)
    }
    for target, source in bytecode.items():
        link = scratch / "pycache" / target.relative_to(view.PYCACHE)
        link.parent.mkdir(parents=True, exist_ok=True)
        link.symlink_to(source)
    places = links.linked(foreign, scratch / "shown")
    return Paths(
        {
            **places,
            view.PYCACHE: scratch / "pycache",
            view.HOME: scratch / "home",
            step.mount: step.tree,
        }
    )


class _Cage:
    """See `session.Cage`. Processes that leave the session and clear their environment are not found: nothing is promised."""

    def __init__(self, process: subprocess.Popen[bytes], mark: str, scratch: Path) -> None:
        self._process = process
        self._mark = f"{_MARK}={mark}".encode()
        self._scratch = scratch
        self._handle = os.pidfd_open(process.pid)

    @property
    def worker(self) -> int | None:
        """The program."""
        return self._process.pid

    def members(self) -> list[int]:
        """The program, its descendants, and whatever still carries the mark."""
        pid = self._process.pid
        known = [pid, *procfs.descendants(pid)] if self._process.returncode is None else []
        marked = [other for other in procfs.all_pids() if self._mark in procfs.environment(other)]
        return list(dict.fromkeys(known + marked))

    def keepers(self) -> list[int]:
        """None."""
        return []

    def wait(self, timeout_s: float) -> Outcome | None:
        """The program's end, None when it is still running."""
        ready = select.poll()
        ready.register(self._handle, select.POLLIN)
        return self._reaped() if ready.poll(timeout_s * 1000) else None

    def kill(self) -> None:
        """Kill what can be found."""
        signal_all(self.members(), signal.SIGKILL)

    def destroy(self) -> None:
        """Kill what can be found."""
        deadline = time.monotonic() + _END_TIMEOUT_S
        while members := [pid for pid in self.members() if procfs.is_alive(pid)]:
            if time.monotonic() > deadline:
                raise WorldError(f"processes of the step survive it: {members}")
            signal_all(members, signal.SIGKILL)
            time.sleep(_POLL_S)
        if self._handle >= 0:
            self._process.wait()
            os.close(self._handle)
            self._handle = -1
            remove_folder(self._scratch)

    def _reaped(self) -> Outcome:
        code = self._process.wait()
        return Outcome("signal", -code) if code < 0 else Outcome("exit", code)
