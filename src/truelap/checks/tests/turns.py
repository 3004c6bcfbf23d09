"""Whose turn it is: runs of one side may go beside each other, but base never runs beside the candidate.

Code of the candidate that keeps the machine busy would else have a say in what base passes, and how fast.
"""

from __future__ import annotations

from concurrent.futures import CancelledError, ThreadPoolExecutor
from contextlib import contextmanager
from threading import Condition, get_ident
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator
    from concurrent.futures import Executor


class Turns:
    """Lets runs begin. May be used from several threads.

    Args:
        most: how many runs may go at once; with one, each runs alone.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._running: list[Hashable] = []
        self._changed = Condition()
        self._over = False
        self._owner = 0

    @contextmanager
    def of(self, side: Hashable) -> Iterator[None]:
        """Wait until a run of this side may begin; the block is the run. `alone()` is a side of its own.

        Raises:
            CancelledError: the block of `aside` has failed in the meantime.
        """
        with self._changed:
            self._changed.wait_for(lambda: self._over or self._is_free(side))
            if self._over:
                raise CancelledError
            self._running.append(side)
        try:
            yield
        except BaseException:
            # Before anybody who waits has his turn. What fails aside is told where it is waited for.
            self._over = self._over or get_ident() == self._owner
            raise
        finally:
            with self._changed:
                self._running.remove(side)
                self._changed.notify_all()

    @contextmanager
    def aside(self) -> Iterator[Executor]:
        """Threads for what goes on beside the block; all of it has ended when the block has. Once the block fails, no run begins."""
        self._owner = get_ident()
        with ThreadPoolExecutor(self._most, "truelap-tests") as threads:
            try:
                yield threads
            except BaseException:
                with self._changed:
                    self._over = True
                    self._changed.notify_all()
                raise

    def _is_free(self, side: Hashable) -> bool:
        return not self._running or (len(self._running) < self._most and {*self._running} == {side})


def alone() -> Hashable:
    """The side of a run that nothing may run beside."""
    return object()
