"""The judge's clocks: the kernel's CPU clock of other processes, read from outside, and where the judge itself runs."""

from __future__ import annotations

import os
import time
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from truelap.world.procfs import state

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

_SETTLE_S = 0.002


def cpu_ns_of(pid: int) -> int:
    """CPU nanoseconds that a process has used, all its threads, not its children.

    Linux clock id `(~pid << 3) | 2` (CPUCLOCK_SCHED of a process): no privilege and no cooperation needed, and the pid
    is the one that the judge sees, whatever the process believes to be.

    Raises:
        OSError: no such process.
    """
    return time.clock_gettime_ns((~pid << 3) | 2)


class SandboxClock:
    """CPU nanoseconds of every process of a sandbox together; only differences mean anything.

    Which process does the work is the worker's own business, and nothing that it says about that is believed: all
    processes that the kernel shows are counted. A process that came up since the last `refresh` counts from its birth
    at the next one; one that ended keeps the last value read. A process that comes and goes between two refreshes is
    not seen here, which is why wall time must bear every gain out.

    Args:
        pids: the sandbox's processes as the judge sees them now.
    """

    def __init__(self, pids: Callable[[], Iterable[int]]) -> None:
        self._pids = pids
        self._last: dict[int, int] = {}
        self._moved: set[int] = set()
        self._ended_ns = 0
        self.refresh()

    def refresh(self) -> None:
        """Look again which processes there are."""
        now = set(self._pids())
        for pid in [pid for pid in self._last if pid not in now]:
            self._ended_ns += self._last.pop(pid)
        for pid in now:
            self._last.setdefault(pid, 0)
        self._moved.clear()

    def read_ns(self) -> int:
        """The sum now."""
        for pid, before in self._last.items():
            with suppress(OSError):
                self._last[pid] = used = cpu_ns_of(pid)
                if used != before:
                    self._moved.add(pid)
        return self._ended_ns + sum(self._last.values())

    def settle(self) -> None:
        """Wait, a moment at most, until what has run since the last `refresh` has left its core.

        The kernel books a process's time when it leaves the core or at the next tick, and shows what is booked: read
        while the worker still runs, its clock may be 4 ms behind.
        """
        deadline = time.monotonic() + _SETTLE_S
        while any(state(pid) == "R" for pid in self._moved) and time.monotonic() < deadline:
            pass


def worker_cores(turn: int) -> tuple[frozenset[int], frozenset[int]]:
    """Where both workers run (one core, the same for both) and where the judge runs meanwhile (the others, if any).

    Args:
        turn: another number picks another core, so that one bad core does not decide alone.
    """
    allowed = sorted(os.sched_getaffinity(0))
    core = allowed[-1 - turn % len(allowed)]
    return frozenset({core}), frozenset(allowed) - {core} or frozenset({core})


@contextmanager
def running_on(cores: frozenset[int]) -> Iterator[None]:
    """Keep the calling thread on some cores for a while."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, cores)
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)
