"""argv in, exit code out: 0 accepted, 1 rejected or refused, 2 usage, 3 inconclusive. Data goes to stdout, words to stderr."""

from __future__ import annotations

import signal
import sys
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

from truelap.cli import usage
from truelap.cli.words import complain, show, stdout
from truelap.errors import TruelapError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import FrameType

_STOPPING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_USAGE, _OUR_FAULT = 2, 3


class Stopped(BaseException):
    """A signal asked us to stop. No `Exception`: only the tidying up between here and `main` may see it."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.signal = signal.Signals(number)


def main(argv: Sequence[str] | None = None) -> None:
    """Run one command and leave with its exit code."""
    arguments = spelled_out(sys.argv[1:] if argv is None else argv)
    for number in _STOPPING:
        signal.signal(number, _stop)
    try:
        sys.exit(_run(arguments))
    except Stopped as stopped:
        complain(f"stopped by {stopped.signal.name} before it was done")
        sys.exit(128 + stopped.signal)
    except TruelapError as error:
        if "--debug" in arguments:
            raise
        complain("; ".join((str(error), *getattr(error, "__notes__", ()))))
        sys.exit(error.exit_code)
    except Exception as error:
        if usage.is_usage(error):
            show(usage.said(error)) if usage.is_help(error) else complain(usage.in_a_line(error))
            sys.exit(_USAGE)
        if "--debug" in arguments:
            raise
        complain(f"a fault of truelap's own: {type(error).__name__}: {error}; --debug shows where")
        sys.exit(_OUR_FAULT)


def _run(arguments: list[str]) -> Any:
    from truelap.cli.commands import app

    # The parser prints its help itself.
    with stdout() if "--help" in arguments else nullcontext():
        return app(args=arguments, prog_name="truelap", standalone_mode=False)


def spelled_out(argv: Sequence[str]) -> list[str]:
    """The arguments, with `--worktree` on its own as `--worktree=`: the option's DIR may be left out.

    >>> spelled_out(["verify", ".", "--worktree", "--json"]), spelled_out(["--worktree", "there"])
    (['verify', '.', '--worktree=', '--json'], ['--worktree', 'there'])
    """
    following = [*argv[1:], "-"]
    return [
        "--worktree=" if word == "--worktree" and after.startswith("-") else word
        for word, after in zip(argv, following, strict=False)
    ]


def cannot_be_stopped() -> None:
    """From now on signals that ask us to stop come too late: the result stands, or tidying up must not be torn."""
    for number in _STOPPING:
        signal.signal(number, signal.SIG_IGN)


def _stop(number: int, _frame: FrameType | None) -> None:
    cannot_be_stopped()
    raise Stopped(number)
