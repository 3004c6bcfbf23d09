"""Has a worker give a benchmark's calls other inputs from here on."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from truelap.workers.worker import Worker

Spots = tuple[tuple[str, str], ...]
"""Places of the suite, and arguments of what is called there."""

_MOST = 1000


def vary(worker: Worker, spots: Spots | None, seed: int, limit_s: float) -> Spots:
    """Change inputs before each call of the open case.

    Args:
        worker: awake, with an open case of a rewritten suite.
        spots: which; None for whatever can be changed.
        seed: of what is changed.
        limit_s: longest wait.

    Raises:
        Undelivered: the worker does not do it.
    """
    token = secrets.token_hex(8)
    message = {"type": "vary", "plan": spots, "seed": seed, "token": token}
    reply = worker.ask(message, "varied", limit_s)
    found = reply.get("plan")
    if reply.get("token") != token or not isinstance(found, list) or len(found) > _MOST:
        raise worker.lost("garbled", "an answer to nothing that was asked")
    pairs = tuple(tuple(pair) if isinstance(pair, list) else () for pair in found)
    if not all(list(map(type, pair)) == [str, str] for pair in pairs):
        raise worker.lost("garbled", "arguments in a form that is not known")
    return tuple((pair[0], pair[1]) for pair in pairs)
