"""The only prints: words for people on stderr, data on stdout."""

from __future__ import annotations

import json
import os
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from truelap.errors import WorldError
from truelap.wording import wrapped

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import TextIO

_USUAL = 80


def one_line(text: str) -> str:
    r"""The text on one line, and nothing in it that a terminal would obey.

    >>> one_line("no\nsuch \x1b[31mfile")
    'no such \\x1b[31mfile'
    """
    joined = " ".join(text.split())
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in joined)


def columns(stream: TextIO | None) -> int | None:
    """How wide the terminal is that a stream leads to; None where it leads to none, and each text is one line."""
    if stream is None or not stream.isatty():
        return None
    try:
        return os.get_terminal_size(stream.fileno()).columns or _USUAL
    except (OSError, ValueError):  # A terminal that tells no size.
        return _USUAL


def complain(text: str) -> None:
    """One line on stderr, broken where a terminal ends."""
    line, width = one_line(text), columns(sys.stderr)
    print("\n".join(_broken(f"truelap: {line}", width)), file=sys.stderr)


def table_columns() -> int:
    """For tables on stdout: the terminal's, but no less than is usual."""
    return max(columns(sys.stdout) or 0, _USUAL)


def say_wrapped(text: str, start: str = "", otherwise: int | None = None) -> None:
    """A line for people on stdout, broken where a terminal ends.

    Args:
        text: what goes on below itself, behind its start.
        start: what the line begins with.
        otherwise: columns where there is no terminal; None for no end.
    """
    say("\n".join(_broken(one_line(text), columns(sys.stdout) or otherwise, start)))


def _broken(text: str, width: int | None, start: str = "") -> list[str]:
    return wrapped(text, width, start, " " * len(start) or "  ") if width and text else [start + text]


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
