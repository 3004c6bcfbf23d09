"""The judge's clocks: the kernel's CPU clock of other processes, read from outside, and where the judge itself runs."""

from __future__ import annotations

import os
import threading
import time
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from truelap.world.procfs import queued_ns_of, state

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
        self._ended_ns = 0
        self.refresh()

    def refresh(self) -> None:
        """Look again which processes there are."""
        now = set(self._pids())
        for pid in [pid for pid in self._last if pid not in now]:
            self._ended_ns += self._last.pop(pid)
        for pid in now:
            self._last.setdefault(pid, 0)

    def read_ns(self) -> int:
        """The sum now."""
        for pid in self._last:
            with suppress(OSError):
                self._last[pid] = cpu_ns_of(pid)
        return self._ended_ns + sum(self._last.values())

    def queued_ns(self) -> int:
        """How long all of them have stood ready without a core; only differences mean anything.

        Zero where the kernel keeps no such record; main threads only. Processes may bring it about that they queue behind each
        other, so it excuses a candidate only as far as base queues too.
        """
        return sum(queued_ns_of(pid) for pid in self._last)

    def settle(self) -> None:
        """Wait, a moment at most, until every one of them has left its core.

        The kernel books a process's time when it leaves the core or at the next tick, and shows what is booked: read
        while the worker still runs, its clock may be 4 ms behind.
        """
        deadline = time.monotonic() + _SETTLE_S
        while any(state(pid) == "R" for pid in self._last) and time.monotonic() < deadline:
            pass


class Waiting:
    """Wall time from a question to its answer, without what the calling thread spent ready for a core after it had asked.

    On a crowded machine the judge may learn of an answer late; that is not the worker's time. Made just before asking.
    """

    def __init__(self) -> None:
        self._thread = threading.get_native_id()
        self._queued = 0
        self._began = time.monotonic_ns()

    def asked(self) -> None:
        """The question is out. From here on the judge sleeps until there is an answer.

        Not earlier: a worker on the judge's own core could answer while the judge, still asking, stands ready.
        """
        self._queued = queued_ns_of(self._thread)

    def elapsed_ns(self) -> int:
        """Nanoseconds so far."""
        wall = time.monotonic_ns() - self._began
        return max(0, wall - (queued_ns_of(self._thread) - self._queued))


@contextmanager
def running_on(cores: frozenset[int]) -> Iterator[None]:
    """Keep the calling thread on some cores for a while."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, cores)
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)
