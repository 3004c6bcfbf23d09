"""The only prints: words for people on stderr, data on stdout."""

from __future__ import annotations

import json
import os
import sys
from typing import Any


def one_line(text: str) -> str:
    r"""The text on one line, and nothing in it that a terminal would obey.

    >>> one_line("no\nsuch \x1b[31mfile")
    'no such \\x1b[31mfile'
    """
    joined = " ".join(text.split())
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in joined)


def complain(text: str) -> None:
    """One line on stderr."""
    print(f"truelap: {one_line(text)}", file=sys.stderr)


def show(text: str) -> None:
    """A text of ours of several lines on stderr."""
    print(text, file=sys.stderr)


def say(text: str) -> None:
    """A line of data on stdout."""
    _out(f"{text}\n".encode("utf-8", "surrogateescape"))


def say_json(value: Any) -> None:
    """JSON on stdout: strict, so no NaN."""
    say(json.dumps(value, indent=2, ensure_ascii=True, allow_nan=False))


def _out(content: bytes) -> None:
    try:
        sys.stdout.flush()
        sys.stdout.buffer.write(content)
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        # Whoever read us has gone; what Python would flush at its end must not fail again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
