"""What happened and when: one JSON object a line, and a word for whoever watches."""

from __future__ import annotations

import json
import threading
import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from types import TracebackType


_GLANCE_S = 0.5


def _silent(_: str) -> None:
    """Nobody watches."""


class Events:
    """The run's diary. May be used from several threads.

    Args:
        path: file that grows by one JSON object a line (`at` UTC, `t` seconds since the start, `kind`, and the data);
            None keeps nothing.
        listener: called with short texts for people.
    """

    def __init__(self, path: Path | None = None, listener: Callable[[str], None] = _silent) -> None:
        self._lock = threading.Lock()
        self._start = time.monotonic()
        self._listener = listener
        self._glanced = 0.0
        self._file = path.open("a", encoding="utf-8") if path else None

    def say(self, kind: str, **data: Any) -> None:
        """Write one line. Values that JSON does not know are written as text."""
        if self._file is None:
            return
        head = {
            "at": datetime.now(UTC).isoformat(),
            "t": round(time.monotonic() - self._start, 6),
            "kind": kind,
        }
        line = json.dumps(head | data, default=str, ensure_ascii=True)
        with self._lock:
            self._file.write(line + "\n")
            self._file.flush()

    def glance(self, text: str) -> None:
        """Tell the watcher alone, and not more often than an eye can follow."""
        now = time.monotonic()
        if now - self._glanced >= _GLANCE_S:
            self._glanced = now
            self._listener(text)

    def progress(self, text: str) -> None:
        """Tell the watcher, and the diary."""
        self._listener(text)
        self.say("progress", text=text)

    def close(self) -> None:
        """Close the file."""
        if self._file is not None:
            self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
