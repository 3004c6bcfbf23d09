"""How many calls make one sample of a side; finding out warms its process up as well."""

from __future__ import annotations

from typing import TYPE_CHECKING

from truelap.stats import next_calls

if TYPE_CHECKING:
    from truelap.checks.timing.amount import Plan
    from truelap.workers.worker import Worker

LEAST = 3
"""First calls are slow; a sample of one short call, paired with one of many, would be off by what a sample itself costs."""

STEPS = 12


def calibrated(worker: Worker, number: int, plan: Plan) -> tuple[int, float]:
    """How many calls last about one sample, and the nanoseconds that one of them takes.

    Args:
        worker: awake, with an open case.
        number: calls that one setup is good for, as the suite says; 0 when it does not.
        plan: how long a sample is.

    Raises:
        Undelivered: the side does not deliver.
    """
    calls, per_call = 1, float("inf")
    for step in range(STEPS):
        lasted = worker.trial(calls, plan.limit_s)
        per_call = min(per_call, lasted / calls)
        wanted = next_calls(calls, per_call * calls, plan.sample_s * 1e9, number or 1_000_000_000)
        fits = step + 1 >= LEAST and wanted * 3 <= calls * 4
        if fits or number == 1 or lasted * 4 > plan.max_pair_s * 1e9:
            break
        if number:
            worker.redo(plan.limit_s)
        calls = wanted
    return wanted, per_call
