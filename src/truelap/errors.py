"""Faults that are ours or the user's. What a submission does wrong is a `Finding`, never an exception of this file."""

from __future__ import annotations

import errno
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


class TruelapError(Exception):
    """Base of every fault that truelap raises on purpose. The text names what, where and what to do."""

    exit_code = 3


class UsageError(TruelapError):
    """The command, task file, policy or named input cannot be used as given (exit code 2)."""

    exit_code = 2


class WorldError(TruelapError):
    """The machine, the sandbox or truelap itself failed; nothing can be said of the submission (exit code 3)."""

    exit_code = 3


class StepFault(Exception):  # noqa: N818 - a fault of the judged step, not an error of ours
    """What happened inside a sandbox ended a step early: late, closed, garbled or oversized.

    The check that runs the step decides what it means: at base it is `inconclusive`, in the candidate a failure.

    Attributes:
        code: one of "late", "closed", "garbled", "oversized".
    """

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


class ContentFault(Exception):  # noqa: N818 - a fault of the submission
    """Our own work on what the submission made broke off, where the same work on base went through.

    The station that catches it states a failure of the submission, with this text.
    """


_OF_THE_MACHINE = frozenset(
    {
        errno.EAGAIN,
        errno.EDQUOT,
        errno.EIO,
        errno.EMFILE,
        errno.ENFILE,
        errno.ENOMEM,
        errno.ENOSPC,
        errno.EROFS,
    }
)
"""Errors that say what the machine lacks, whatever it was asked to do."""


@contextmanager
def after_base(what: str) -> Iterator[None]:
    """Turn a foreign exception into a `ContentFault`: base passed the same work, so what is at hand is the reason.

    Our own errors pass through, and so does what the machine lacks.

    Args:
        what: said before the exception.

    Raises:
        ContentFault: for any other exception.
    """
    try:
        yield
    except (TruelapError, MemoryError):
        raise
    except Exception as error:
        if isinstance(error, OSError) and error.errno in _OF_THE_MACHINE:
            raise
        raise ContentFault(f"{what}: {type(error).__name__}: {error}") from error


@contextmanager
def boundary(place: str) -> Iterator[None]:
    """Turn a foreign exception into a `WorldError` that names the place; our own errors pass through.

    Args:
        place: where the fault is reported, for example "station tests".

    Raises:
        WorldError: for any exception that is not a `TruelapError`.
    """
    try:
        yield
    except TruelapError:
        raise
    except Exception as error:
        raise WorldError(f"{place}: {type(error).__name__}: {error}") from error
