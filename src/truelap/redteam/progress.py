"""How far the suite is, in one line: how many of how many trials are done, and what runs."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from truelap.redteam.attack import Attack
    from truelap.redteam.trial import Trial, Variant

_WHICH: dict[Variant, str] = {"attack": "", "twin": " (honest twin)", "ablated": " (without its defence)"}


class Progress:
    """Counts trials as they begin and end. May be told by several threads.

    Args:
        total: how many trials there are.
        show: called with the line whenever it has changed.
    """

    def __init__(self, total: int, show: Callable[[str], None]) -> None:
        self._total = total
        self._show = show
        self._lock = threading.Lock()
        self._done = self._wrong = 0
        self._running: list[str] = []

    def preparing(self) -> None:
        """Nothing runs yet."""
        with self._lock:
            self._say("setting up what they run on")

    def began(self, attack: Attack, variant: Variant) -> None:
        """A trial runs from now on."""
        with self._lock:
            self._running.append(f"{attack.id}{_WHICH[variant]}")
            self._say(", ".join(self._running))

    def ended(self, trial: Trial) -> None:
        """A trial that had begun is done."""
        with self._lock:
            self._running.remove(f"{trial.attack.id}{_WHICH[trial.variant]}")
            self._done += 1
            self._wrong += trial.wrong is not None
            self._say(", ".join(self._running))

    def _say(self, now: str) -> None:
        wrong = f", {self._wrong} wrong" if self._wrong else ""
        self._show(f"{self._done} of {self._total} runs done{wrong}{now and f'; {now}'}")
