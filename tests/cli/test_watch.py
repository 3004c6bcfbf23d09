"""Progress: for a patient person at a terminal, and for nobody else."""

from __future__ import annotations

import io
import sys

import pytest

from truelap.cli import watch
from truelap.cli.watch import Watch


class Terminal(io.StringIO):
    def __init__(self, *, terminal: bool) -> None:
        super().__init__()
        self._terminal = terminal

    def isatty(self) -> bool:
        return self._terminal


def shown(monkeypatch, *, terminal=True, quiet=False, seconds=(0.0, 3.0)) -> str:
    stderr, ticks = Terminal(terminal=terminal), iter((*seconds, *[seconds[-1]] * 9))
    monkeypatch.setattr(sys, "stderr", stderr)
    monkeypatch.setattr(watch.time, "monotonic", lambda: next(ticks))
    monkeypatch.setenv("TERM", "xterm")
    with Watch(quiet=quiet) as shower:
        shower.show("tests \x1b]0;gotcha")
    return stderr.getvalue()


def test_a_patient_person_is_told(monkeypatch):
    said = shown(monkeypatch)
    assert "3 s  tests" in said
    assert "\x1b]0;" not in said


@pytest.mark.parametrize("how", [{"terminal": False}, {"quiet": True}, {"seconds": (0.0, 1.0)}])
def test_nobody_else_is(monkeypatch, how):
    assert shown(monkeypatch, **how) == ""
