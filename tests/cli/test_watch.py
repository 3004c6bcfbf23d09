"""Progress: for a patient person at a terminal, and for nobody else."""

from __future__ import annotations

import io
import sys
import time

import pytest

from truelap.cli import watch
from truelap.cli.watch import Watch
from truelap.cli.words import complain


class Terminal(io.StringIO):
    def __init__(self, *, terminal: bool) -> None:
        super().__init__()
        self._terminal = terminal

    def isatty(self) -> bool:
        return self._terminal


def test_a_text_that_came_too_early_is_shown_in_the_end_when_nothing_follows(monkeypatch):
    stderr = Terminal(terminal=True)
    monkeypatch.setattr(sys, "stderr", stderr)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(watch, "_PATIENCE_S", 0.2)
    with Watch(quiet=False) as shower:
        shower.show("the first word")
        shower.show("a long build")
        assert stderr.getvalue() == ""
        deadline = time.monotonic() + 10
        while "a long build" not in stderr.getvalue() and time.monotonic() < deadline:
            time.sleep(0.01)
    assert "a long build" in stderr.getvalue()
    assert "the first word" not in stderr.getvalue()


def test_a_line_is_no_longer_than_the_terminal(monkeypatch):
    monkeypatch.setenv("COLUMNS", "40")
    assert "…" in shown(monkeypatch, text="tests/" + 100 * "x")


@pytest.mark.parametrize("terminal", [True, False])
def test_a_complaint_is_broken_where_a_terminal_ends_and_nowhere_else(monkeypatch, terminal):
    stderr = Terminal(terminal=terminal)
    monkeypatch.setattr(sys, "stderr", stderr)
    complain("word " * 30)
    lines = stderr.getvalue().splitlines()
    assert [len(line) <= 80 for line in lines] == ([True] * 3 if terminal else [False])


def shown(monkeypatch, *, terminal=True, quiet=False, seconds=(0.0, 3.0), text="tests \x1b]0;gotcha") -> str:
    stderr, ticks = Terminal(terminal=terminal), iter((*seconds, *[seconds[-1]] * 9))
    monkeypatch.setattr(sys, "stderr", stderr)
    monkeypatch.setattr(watch.time, "monotonic", lambda: next(ticks))
    monkeypatch.setenv("TERM", "xterm")
    with Watch(quiet=quiet) as shower:
        shower.show(text)
    return stderr.getvalue()


def test_a_patient_person_is_told(monkeypatch):
    said = shown(monkeypatch)
    assert "3 s  tests" in said
    assert "\x1b]0;" not in said


@pytest.mark.parametrize("how", [{"terminal": False}, {"quiet": True}, {"seconds": (0.0, 1.0)}])
def test_nobody_else_is(monkeypatch, how):
    assert shown(monkeypatch, **how) == ""
