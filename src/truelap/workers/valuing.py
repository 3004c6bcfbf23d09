"""Asks a worker for what a benchmark says that is no time: memory, or a number of its own."""

from __future__ import annotations

import math
import secrets
from typing import TYPE_CHECKING, Any

from truelap.workers.worker import Undelivered
from truelap.world.memory import PeakMemory

if TYPE_CHECKING:
    from collections.abc import Mapping

    from truelap.workers.worker import Worker

VALUED = ("peakmem", "mem", "track")
"""The kinds of such benchmarks. Peaks are the kernel's word, read by the judge; the others are the worker's."""


def reading(worker: Worker, order: Mapping[str, Any], limit_s: float) -> float:
    """One call in a process of its own, and the number that it comes to: bytes of memory, or whatever is tracked.

    Args:
        worker: awake, without an open case.
        order: opens the case.
        limit_s: longest wait for setup, and for the call.

    Raises:
        Undelivered: the worker does not do it, or what it says is no finite number.
    """
    memory = PeakMemory(worker.pids)
    worker.open(order, limit_s)
    token = secrets.token_hex(8)
    reply = worker.ask({"type": "value", "token": token}, "valued", limit_s)
    if reply.get("token") != token:
        raise worker.lost("garbled", "an answer to nothing that was asked")
    peak = memory.read_bytes()
    worker.close(limit_s)
    return float(peak) if order["kind"] == "peakmem" else _number(reply.get("value"))


def _number(told: Any) -> float:
    text = str(told)
    try:
        found = float(text)
    except ValueError:
        found = math.nan
    if not math.isfinite(found):
        raise Undelivered("failed", f"what it says is not a finite number: {text[:100]}")
    return found
