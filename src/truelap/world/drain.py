"""Keeps the last bytes of what hostile code prints: never blocks it for good, never grows, never waits for an end of file.

A daemon may hold the pipe open for ever, and may even send its end back through the channel, so the end is known from the
death of the sandbox alone.
"""

from __future__ import annotations

import os
import select
import threading
import time

_CHUNK = 1 << 16
_FLOOD_PAUSE_S = 0.002
_LAST_BYTES = 1 << 20
"""A pipe holds at most this much (fs.pipe-max-size) when the last writer is gone."""


class Drain:
    """Reads a pipe in a thread of its own.

    Args:
        limit: how many of the last bytes are kept.
    """

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._kept = bytearray()
        self._seen = 0
        self._read_end, self.write_end = os.pipe()
        """What the writers inherit."""
        os.set_blocking(self._read_end, False)
        self._stop = os.eventfd(0, os.EFD_CLOEXEC)
        self._thread = threading.Thread(target=self._run, name="truelap-drain", daemon=True)
        self._thread.start()

    def handed_on(self) -> None:
        """Close the write end here: whoever shall write has inherited it by now."""
        if self.write_end >= 0:
            os.close(self.write_end)
            self.write_end = -1

    def finish(self) -> None:
        """Take what is left. Every writer is dead by now. May be called again."""
        self.handed_on()
        if self._stop >= 0:
            os.eventfd_write(self._stop, 1)
            self._thread.join()
            os.close(self._read_end)
            os.close(self._stop)
            self._stop = -1

    @property
    def output(self) -> bytes:
        """The last bytes, at most `limit`. Whole once `finish` has returned."""
        return bytes(self._kept[-self._limit :])

    @property
    def truncated(self) -> bool:
        """Whether more was printed than is kept."""
        return self._seen > self._limit

    def _run(self) -> None:
        ready = select.poll()
        ready.register(self._read_end, select.POLLIN)
        ready.register(self._stop, select.POLLIN)
        while True:
            events = dict(ready.poll())
            if self._stop in events:
                break
            if not self._take():
                ready.unregister(self._read_end)
            if self.truncated:
                # A flood may not have the judge's processor: other workers are being timed.
                time.sleep(_FLOOD_PAUSE_S)
        until = self._seen + _LAST_BYTES
        while self._seen < until and self._take():
            pass

    def _take(self) -> bool:
        try:
            chunk = os.read(self._read_end, _CHUNK)
        except BlockingIOError:
            return False
        self._seen += len(chunk)
        self._kept += chunk
        if len(self._kept) > 2 * self._limit + _CHUNK:
            del self._kept[: -self._limit]
        return bool(chunk)
