"""The only prints: words for people on stderr, data on stdout."""

from __future__ import annotations

import json
import os
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from truelap.errors import WorldError

if TYPE_CHECKING:
    from collections.abc import Iterator


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
    say_bytes(f"{text}\n".encode("utf-8", "surrogateescape"))


def say_json(value: Any) -> None:
    """JSON on stdout: strict, so no NaN."""
    say(json.dumps(value, indent=2, ensure_ascii=True, allow_nan=False))


def say_bytes(content: bytes) -> None:
    """Data on stdout as it is."""
    with stdout():
        sys.stdout.flush()
        sys.stdout.buffer.write(content)
        sys.stdout.buffer.flush()


@contextmanager
def stdout() -> Iterator[None]:
    """For whatever is written to stdout. A reader that has gone is nobody's fault.

    Raises:
        WorldError: it is closed, or nothing more can be written to it.
    """
    if sys.stdout is None:
        raise WorldError("stdout is closed, so nothing can be printed; open it, or send it to a file")
    try:
        yield
    except BrokenPipeError:
        _give_up_stdout()
    except OSError as error:
        _give_up_stdout()
        raise WorldError(f"stdout: {error.strerror}; not all was printed") from error


def _give_up_stdout() -> None:
    # What Python would flush at its end must not fail again.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
