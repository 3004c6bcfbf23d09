"""How much memory processes have held, as the kernel says it from outside."""

from __future__ import annotations

from typing import TYPE_CHECKING

from truelap.world.procfs import peak_bytes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable


class PeakMemory:
    """The most memory that a sandbox's processes have held since it was made.

    Of a process that has come up since then it is all that it ever held, shared or not, as `getrusage` has it; a forked one starts
    with what its parent holds. Of one that was there before, what its record has grown by. One that has come and gone is not seen.

    Args:
        pids: the sandbox's processes as the judge sees them now.
    """

    def __init__(self, pids: Callable[[], Iterable[int]]) -> None:
        self._pids = pids
        self._before = {pid: peak_bytes(pid) for pid in pids()}

    def read_bytes(self) -> int:
        """The sum now."""
        return sum(max(0, peak_bytes(pid) - self._before.get(pid, 0)) for pid in self._pids())
