"""Progress: one changing line on stderr, for a person at a terminal, once they have waited for two seconds."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, Self

from truelap.cli.words import one_line

if TYPE_CHECKING:
    from rich.live import Live

_PATIENCE_S = 2.0


class Watch:
    """Shows texts as they come. No thread of ours redraws anything: that would disturb the timing.

    Args:
        quiet: show nothing at all.
    """

    def __init__(self, *, quiet: bool) -> None:
        self._active = not quiet and sys.stderr.isatty()
        self._began = time.monotonic()
        self._live: Live | None = None

    def show(self, text: str) -> None:
        """Show a text in place of the last one."""
        if not self._active or time.monotonic() - self._began < _PATIENCE_S:
            return
        from rich.text import Text

        if self._live is None:
            from rich.console import Console
            from rich.live import Live

            self._live = Live(console=Console(stderr=True), auto_refresh=False, transient=True)
            self._live.start()
        seconds = time.monotonic() - self._began
        self._live.update(Text(f"{seconds:4.0f} s  {one_line(text)}", style="dim"), refresh=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._live is not None:
            self._live.stop()
