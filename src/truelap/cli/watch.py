"""Progress: one changing line on stderr, for a person at a terminal, once they have waited for two seconds."""

from __future__ import annotations

import sys
import threading
import time
from typing import TYPE_CHECKING, Self

from truelap.cli.words import one_line

if TYPE_CHECKING:
    from rich.live import Live

_PATIENCE_S = 2.0


class Watch:
    """Shows texts as they come. Nothing of ours redraws by itself: that would disturb the timing.

    Only a text that came while it was too early, and that nothing followed, is shown late, once.

    Args:
        quiet: show nothing at all.
    """

    def __init__(self, *, quiet: bool) -> None:
        self._active = not quiet and sys.stderr.isatty()
        self._began = time.monotonic()
        self._lock = threading.Lock()
        self._live: Live | None = None
        self._early: str | None = None
        self._alarm: threading.Timer | None = None

    def show(self, text: str) -> None:
        """Show a text in place of the last one. May be called by several threads."""
        if not self._active:
            return
        with self._lock:
            if time.monotonic() - self._began < _PATIENCE_S:
                self._early = text
                self._set_alarm()
            else:
                self._early = None
                self._draw(text)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._active = False
            if self._alarm is not None:
                self._alarm.cancel()
            if self._live is not None:
                self._live.stop()

    def _set_alarm(self) -> None:
        if self._alarm is None:
            self._alarm = threading.Timer(_PATIENCE_S, self._show_late)
            self._alarm.daemon = True
            self._alarm.start()

    def _show_late(self) -> None:
        with self._lock:
            if self._active and self._early is not None:
                self._draw(self._early)

    def _draw(self, text: str) -> None:
        from rich.text import Text

        if self._live is None:
            from rich.console import Console
            from rich.live import Live

            self._live = Live(console=Console(stderr=True), auto_refresh=False, transient=True)
            self._live.start()
        seconds = time.monotonic() - self._began
        shown = Text(f"{seconds:4.0f} s  {one_line(text)}", style="dim", no_wrap=True, overflow="ellipsis")
        self._live.update(shown, refresh=True)
