"""Ends steps that hold more than they may, where the kernel sets no bound: memory of all processes together, files in their trees.

No cgroup is asked for: most machines and containers do not give one, and one mechanism that works everywhere is tested everywhere.
A process alone cannot take more memory than the step may, so what several take between two looks is the worst that can happen.
"""

from __future__ import annotations

import threading
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Protocol

from truelap.world import usage
from truelap.world.usage import Amount

if TYPE_CHECKING:
    from collections.abc import Sequence

    from truelap.policy import Limits
    from truelap.world.sandbox import Over
    from truelap.world.usage import Place

_EVERY_S = 0.1
_SELDOM_S = 1.0
_REST = 20
"""A costly look takes at most one part in so many of the time."""
_BLIND = 5
"""So many looks in a row that fail end a step: nobody would see what it takes."""


class Killable(Protocol):
    """The processes of a step."""

    def members(self) -> list[int]:
        """Those that are alive."""

    def kill(self) -> None:
        """Kill them all."""


class Guard:
    """Looks after one step.

    Args:
        cage: its processes.
        limits: bounds of the step.
        places: where it may write without a bound of the kernel's.
    """

    def __init__(self, cage: Killable, limits: Limits, places: Sequence[Place]) -> None:
        self._cage = cage
        self._limits = limits
        self._places = places
        self._free = [place.free() for place in places]
        self._seldom = Pace()
        self._shares = Pace()
        self._walks = Pace()
        self._lock = threading.Lock()
        self._ended = False
        self._failed = 0
        self.over: Over = ""
        self.fault = ""
        """Why it could no longer be looked after; it was ended for that, which is nobody's fault but ours."""
        self.paused = False
        """Whether none of it runs now; then there is nothing to look at."""

    def look(self) -> None:
        """End the step if it holds too much, or if look after look fails."""
        if self.paused or self.over or self.fault:
            return
        try:
            over, fault = self._memory(self._cage.members()) or self._files(), ""
            self._failed = 0
        except Exception as error:  # noqa: BLE001 - whatever it is, the other steps must be looked after
            # What cannot be read now may be gone, or can be read the next time.
            self._failed += 1
            over, fault = "", f"{type(error).__name__}: {error}" if self._failed >= _BLIND else ""
        if over or fault:
            self._stop(over, fault)

    def _stop(self, over: Over, fault: str) -> None:
        # A step that cannot be killed now ends by its limit of time.
        with self._lock, suppress(OSError):
            if not self._ended:
                self.over, self.fault = over, fault
                self._cage.kill()

    def end(self) -> None:
        """The step is being ended anyway: nothing is killed from now on."""
        with self._lock:
            self._ended = True

    def _memory(self, pids: list[int]) -> Over:
        most = self._limits.memory_bytes
        if usage.memory(pids) > most and self._shares.is_due():
            with self._shares:
                if usage.own_memory(pids) > most:
                    return "memory"
        if self._seldom.is_due():
            with self._seldom:
                if usage.nameless(pids) > most:
                    return "memory"
        return ""

    def _files(self) -> Over:
        """What is free for everybody shows whether it is worth the trouble to count."""
        most = Amount(self._limits.scratch_bytes, self._limits.files)
        gone = [before - place.free() for before, place in zip(self._free, self._places, strict=True)]
        if not any(2 * lost.bytes > most.bytes or 2 * lost.files > most.files for lost in gone):
            return ""
        if not self._walks.is_due():
            return ""
        with self._walks:
            written = sum((place.written() for place in self._places), Amount())
        if written.bytes > most.bytes:
            return "disk"
        return "files" if written.files > most.files else ""


class Pace:
    """Keeps something costly from being done too often."""

    def __init__(self) -> None:
        self._next = 0.0
        self._began = 0.0

    def is_due(self) -> bool:
        """Whether it may be done again."""
        return time.monotonic() >= self._next

    def __enter__(self) -> None:
        self._began = time.monotonic()

    def __exit__(self, failure: object, *_: object) -> None:
        # What failed is done again at the next look.
        if failure is None:
            now = time.monotonic()
            self._next = now + max(_SELDOM_S, _REST * (now - self._began))


class _Watch:
    """One thread for all steps, as long as there are any."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._guards: list[Guard] = []
        self._changed = threading.Event()
        self._thread: threading.Thread | None = None

    def add(self, guard: Guard) -> None:
        with self._lock:
            self._guards.append(guard)
            if self._thread is None:
                self._changed.clear()
                self._thread = threading.Thread(target=self._run, name="truelap-watch", daemon=True)
                self._thread.start()

    def remove(self, guard: Guard) -> None:
        with self._lock:
            if guard in self._guards:
                self._guards.remove(guard)
            if not self._guards:
                self._changed.set()

    def _run(self) -> None:
        while True:
            self._changed.wait(_EVERY_S)
            with self._lock:
                if not self._guards:
                    self._thread = None
                    return
                self._changed.clear()
                guards = list(self._guards)
            for guard in guards:
                guard.look()


_watch = _Watch()


def begin(guard: Guard) -> None:
    """Look after a step from now on."""
    _watch.add(guard)


def end(guard: Guard) -> None:
    """No longer. May be called again."""
    guard.end()
    _watch.remove(guard)
