"""Faults that are ours or the user's. What a submission does wrong is a `Finding`, never an exception of this file."""

from __future__ import annotations

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
