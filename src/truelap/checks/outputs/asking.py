"""What one case is asked for on one worker: the output of one call, of a later one, and the state that is left."""

from __future__ import annotations

import secrets
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from truelap.workers.worker import Worker

    Calls = Callable[[float, int], int | None]

_FRAMES = 64

Told = dict[tuple[str, int], Any]
"""What was told, by place and occurrence; at -1 stands how many there were."""


@dataclass(frozen=True)
class Output:
    """What one side computed in one case.

    Attributes:
        first: of the first call after setup.
        later: of a later call; None where only one was made.
        state: arguments and the benchmark's own object after all calls.
        before: the same before the first call; only asked for where it is needed.
        calls: made between the first and the later one; None where there was no later one.
    """

    first: Told
    later: Told | None
    state: Told
    before: Told | None
    calls: int | None


def tell(
    worker: Worker, order: Mapping[str, Any], *, seed: int, calls: Calls, limit_s: float, before: bool = False
) -> Output:
    """Run one case. The worker must be awake.

    Args:
        worker: the side's.
        order: opens the case.
        seed: of random numbers drawn in the calls; those of the setup have the order's.
        calls: says how many calls to make between the first and the later one, None for no later one. It gets the seconds that
            the first call took, telling included, and how many calls the suite says a setup is good for (0 for any).
        limit_s: longest wait for each answer.
        before: whether to ask for the state before the first call as well.

    Raises:
        Undelivered: the side delivers no output.
    """
    number = worker.open(order, limit_s)
    known = _asked(worker, {"type": "state"}, limit_s) if before else None
    began = time.monotonic()
    first = _asked(worker, {"type": "output", "seed": seed}, limit_s)
    first_s = time.monotonic() - began
    later, between = None, None if ("raised", 0) in first else calls(first_s, number)
    if between is not None:
        worker.run(between, limit_s)
        later = _asked(worker, {"type": "output", "seed": seed + 1}, limit_s)
    state = _asked(worker, {"type": "state"}, limit_s)
    worker.close(limit_s)
    return Output(first, later, state, known, between)


def _asked(worker: Worker, message: Mapping[str, Any], limit_s: float) -> Told:
    token = secrets.token_hex(8)
    reply = worker.ask({**message, "token": token}, "told", limit_s)
    frames = reply.get("frames")
    if reply.get("token") != token or type(frames) is not int or not 0 <= frames <= _FRAMES:
        raise worker.lost("garbled", "an answer to nothing that was asked")
    found: Told = {}
    for _ in range(frames):
        try:
            found |= dict(map(_event, worker.receive("values", limit_s)["events"]))
        except (ValueError, TypeError, KeyError) as error:
            raise worker.lost("garbled", "an output in a form that is not known") from error
    return found


def _event(event: Any) -> tuple[tuple[str, int], Any]:
    place, occurrence, value = event
    if type(place) is not str or type(occurrence) is not int:
        raise ValueError("an event without a place")
    return (place, occurrence), value
