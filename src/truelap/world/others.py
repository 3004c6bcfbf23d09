"""Ends an agent's processes when its time is over, so that none of them outlives the submission that was collected."""

from __future__ import annotations

import os
import signal
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from truelap.errors import WorldError
from truelap.world import procfs

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_ROUNDS = 50
_PAUSE_S = 0.02
_GONE = {b"Z", b"X"}
_KERNEL_THREAD = 0x00200000


def end_others() -> None:
    """Kill every visible process of another session, but neither the first process nor our own ancestors.

    For the container of an agent and nowhere else: as root on a shared host this ends everything.

    Raises:
        WorldError: some are still there after many rounds.
    """
    for _ in range(_ROUNDS):
        living = _others()
        if not living:
            return
        # Stopped first, so that none of them can start another while its kin are killed.
        for number in (signal.SIGSTOP, signal.SIGKILL):
            for pid in living:
                with suppress(OSError):
                    os.kill(pid, number)
        time.sleep(_PAUSE_S)
    raise WorldError(f"processes that could not be ended: {', '.join(map(str, _others()))}")


def _others() -> list[int]:
    processes = {pid: process for pid in procfs.all_pids() if (process := _look(pid)) is not None}
    ours, session = {1, *_upwards(os.getpid(), processes)}, os.getsid(0)
    return [pid for pid, process in processes.items() if pid not in ours and process.session != session]


class _Process(NamedTuple):
    parent: int
    session: int


def _look(pid: int) -> _Process | None:
    """A process that can be ended, None for one that is gone or belongs to the kernel."""
    try:
        # The name, in brackets, may hold anything; what follows the last bracket may not.
        fields = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()
    except OSError:
        return None
    if fields[0] in _GONE or int(fields[6]) & _KERNEL_THREAD:
        return None
    return _Process(int(fields[1]), int(fields[3]))


def _upwards(pid: int, processes: Mapping[int, _Process]) -> Iterator[int]:
    while pid in processes:
        yield pid
        pid = processes[pid].parent
