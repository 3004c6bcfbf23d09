"""Slots: one measurement at a time for a set of cores, on the whole host.

A slot is two cores where there are two, one for both workers and one for the judge, in turns. It is leased for as long as a
station measures; whoever finds none free waits, or takes other cores.
"""

from __future__ import annotations

import os
import time
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from truelap.errors import WorldError
from truelap.world.core_locks import CoreLock, lock_folder, try_core
from truelap.world.gate import Gate, Leases
from truelap.world.sandbox import Capability
from truelap.world.topology import Core, Turn, cores_here, eligible, turn

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from truelap.settings import Settings
    from truelap.world.events import Events

CORES = 2
_POLL_S = 0.1


@dataclass(frozen=True)
class Slot:
    """Where workers and judge run.

    Attributes:
        cores: at least one.
        locks: that hold them; none where nothing is measured.
        leases: of the gate; None without one.
        waited_s: for the cores.
    """

    cores: tuple[Core, ...]
    locks: tuple[CoreLock, ...] = ()
    leases: Leases | None = None
    waited_s: float = 0.0

    def turn(self, number: int) -> Turn:
        """Who runs where in one generation of workers, counted from 0."""
        return turn(self.cores, number)

    def keep(self, base_s: float, candidate_s: float) -> None:
        """Between two visits: see that what is measured still has the host to itself.

        Args:
            base_s: seconds that base has taken so far.
            candidate_s: likewise.

        Raises:
            WorldError: it has not; what was measured does not count.
        """
        self.check()
        if self.leases:
            self.leases.keep(base_s, candidate_s)

    def check(self) -> None:
        """See that the cores are still held.

        Raises:
            WorldError: they are not; what was measured does not count.
        """
        if not all(lock.held() for lock in self.locks):
            raise WorldError(
                "the lock of a core that is measured on was replaced: another measurement may have been there"
            )

    def as_data(self) -> dict[str, Any]:
        """For verdict.json and timing.json: processors by the kernel's numbers, waits in seconds."""
        gate = self.leases
        return {
            "cores": [list(core.threads) for core in self.cores],
            "workers": sorted({cpu for core in self.cores for cpu in core.usable[:1]}),
            "whole": all(core.whole for core in self.cores),
            "waited_s": round(self.waited_s, 3),
            "gate": gate
            and {"leases": gate.taken, "waited_s": round(gate.waited_s, 3), "overrun": gate.overrun},
        }


def anywhere() -> Slot:
    """All cores that may be used, leased from nobody: for what is not measured."""
    return Slot(cores_here())


def aside(folder: Path | None) -> Slot:
    """For what is not measured, but runs on one core: one that nobody measures on, if there is one.

    Args:
        folder: of the locks, as the user named it.

    Raises:
        UsageError: see `lock_folder`.
    """
    slot = anywhere()
    with suppress(WorldError):
        place = lock_folder(folder)
        # Measurements take the first ones first.
        for core in slot.cores[1:][::-1]:
            lock = try_core(place, core)
            if lock is not None:
                lock.release()
                return Slot((core, *(other for other in slot.cores if other is not core)))
    return slot


def check_slots(settings: Settings) -> None:
    """Learn early that what the user named cannot be used.

    Raises:
        UsageError: the folder of the locks, or the gate's address.
    """
    if settings.slots is not None:
        lock_folder(settings.slots)
    _gate(settings)


def _gate(settings: Settings) -> Gate | None:
    return Gate(settings.gate, settings.gate_token) if settings.gate else None


@contextmanager
def leased(settings: Settings, events: Events) -> Iterator[Slot]:
    """A slot for one station, given back afterwards; with the gate's leave, where one is named.

    Raises:
        UsageError: the folder of the locks or the gate's address cannot be used.
        WorldError: no slot in time, or it was lost while it was used.
    """
    gate = _gate(settings)
    with ExitStack() as stack:
        began = time.monotonic()
        cores, locks = _wait(lock_folder(settings.slots), settings.wait_s, events)
        for lock in locks:
            stack.callback(lock.release)
        waited = time.monotonic() - began
        leases = Leases(gate, settings.wait_s, events.progress) if gate else None
        slot = Slot(cores, locks, leases, waited)
        events.say("slot", cores=[core.threads for core in cores], waited_s=round(waited, 3))
        if leases:
            stack.callback(leases.drop)
            leases.begin()
        yield slot
        slot.check()
        if leases:
            leases.end()


def _wait(folder: Path, wait_s: float, events: Events) -> tuple[tuple[Core, ...], tuple[CoreLock, ...]]:
    cores = eligible(cores_here())
    began, told = time.monotonic(), False
    while (taken := take(folder, cores)) is None:
        waited = time.monotonic() - began
        if waited > wait_s:
            raise WorldError(
                f"no slot within {wait_s:g} s: other measurements have the cores (locks in {folder})"
            )
        text = f"waiting: another measurement has the cores ({folder})"
        # Once in the diary.
        (events.glance if told else events.progress)(text)
        told = True
        # Two that wait for the same cores must not always try at the same moment.
        time.sleep(_POLL_S * (1 + os.getpid() % 10 / 10))
    return taken


def take(folder: Path, cores: Sequence[Core]) -> tuple[tuple[Core, ...], tuple[CoreLock, ...]] | None:
    """As many cores as a slot has, with their locks; None, and no lock at all, where not enough of them are free.

    Raises:
        WorldError: a lock cannot be opened.
    """
    found: list[tuple[Core, CoreLock]] = []
    wanted = min(CORES, len(cores))
    with ExitStack() as stack:
        for core in cores:
            if len(found) < wanted and (lock := try_core(folder, core)) is not None:
                stack.callback(lock.release)
                found.append((core, lock))
        if len(found) < wanted:
            return None
        stack.pop_all()
    return tuple(core for core, _ in found), tuple(lock for _, lock in found)


def offered() -> Capability:
    """For `truelap doctor`: how many measurements can be made at a time."""
    try:
        folder = lock_folder()
    except WorldError as error:
        return Capability("slots", False, str(error))
    cores = eligible(cores_here())
    count = max(1, len(cores) // CORES)
    shared = "" if all(core.whole for core in cores) else "; others may use threads of these cores"
    return Capability("slots", not shared, f"{count} at a time, locks in {folder}{shared}")
