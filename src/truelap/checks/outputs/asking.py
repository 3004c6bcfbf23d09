"""What one case is asked for on one worker: the output of one call, of a later one, the state that is left, and siblings."""

from __future__ import annotations

import secrets
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from truelap.checks.outputs.siblings import NO_WISH, NOTHING, Beside, Told, Wish, read_plan
from truelap.workers.worker import START_S, Undelivered

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from truelap.workers.parameters import Values
    from truelap.workers.worker import Worker

    Calls = Callable[[float, int], int | None]

_FRAMES = 64
_EVENTS = 100_000

_WHY_NONE = "one call of the benchmark takes too long, or raises"
_SLOW = 10
"""So many times what they should take, calls beside its own may take base."""


@dataclass(frozen=True)
class Output:
    """What one side computed in one case.

    Attributes:
        first: of the first call after setup.
        later: of a later call; None where only one was made.
        state: arguments and the benchmark's own object after all calls.
        before: the same before the first call; only asked for where it is needed.
        calls: made between the first and the later one; None where there was no later one.
        values: parameters of the benchmark, as the worker says.
        beside: of calls beside its own.
    """

    first: Told
    later: Told | None
    state: Told
    before: Told | None
    calls: int | None
    values: Values = ()
    beside: Beside = NOTHING


@dataclass(frozen=True)
class Plan:
    """What a side is asked for.

    Attributes:
        seed: of random numbers drawn in the calls; those of the setup have the order's.
        sample: draws the parts of long values; the same for all sides.
        calls: says how many calls to make between the first and the later one, None for no later one. It gets the seconds that
            the first call took, telling included, and how many calls the suite says a setup is good for (0 for any).
        limit_s: longest wait for each answer.
        before: whether to ask for the state before the first call as well.
        wish: what to ask for beside the benchmark's own calls.
        patient: whether those may take as long as anything else; base must not take long for what nobody times.
    """

    seed: int
    sample: int
    calls: Calls
    limit_s: float
    before: bool = False
    wish: Wish = NO_WISH
    patient: bool = False


def tell(worker: Worker, order: Mapping[str, Any], plan: Plan) -> Output:
    """Run one case. The worker must be awake.

    Args:
        worker: the side's.
        order: opens the case.
        plan: what it is asked for.

    Raises:
        Undelivered: the side delivers no output.
    """
    number = worker.open(order, plan.limit_s)
    known = _asked(worker, {"type": "state"}, plan) if plan.before else None
    began = time.monotonic()
    first = _asked(worker, {"type": "output", "seed": plan.seed}, plan)
    first_s = time.monotonic() - began
    later, between = None, None if ("raised", 0) in first else plan.calls(first_s, number)
    if between is not None:
        worker.run(between, plan.limit_s)
        later = _asked(worker, {"type": "output", "seed": plan.seed + 1}, plan)
    state = _asked(worker, {"type": "state"}, plan)
    most = 0 if ("raised", 0) in first else plan.wish.affordable(first_s)
    values, beside = worker.values, _beside(worker, plan, most)
    if worker.in_case:
        worker.close(plan.limit_s)
    return Output(first, later, state, known, between, values, beside)


def _beside(worker: Worker, plan: Plan, most: int) -> Beside:
    """After everything else: nothing of what the benchmark itself computes can be disturbed."""
    known = plan.wish.plan
    if known == () or (known is None and not most):
        return Beside(why_none=_WHY_NONE if plan.wish.most else None)
    limit_s = plan.limit_s if plan.patient else min(plan.limit_s, _SLOW * (1 + plan.wish.budget_s))
    message = {"type": "siblings", "seed": plan.seed, "most": most, "plan": known}
    try:
        # The benchmark's own arguments, not what its calls have made of them.
        worker.redo(plan.limit_s)
        told, reply = _answered(worker, message, plan, limit_s)
        return Beside(known or read_plan(reply.get("plan"), most), told)
    except ValueError as error:
        raise worker.lost("garbled", str(error)) from error
    except Undelivered as failure:
        return Beside(known or (), None, str(failure))


def _asked(worker: Worker, message: Mapping[str, Any], plan: Plan) -> Told:
    return _answered(worker, message, plan, plan.limit_s)[0]


def _answered(
    worker: Worker, message: Mapping[str, Any], plan: Plan, limit_s: float
) -> tuple[Told, Mapping[str, Any]]:
    token = secrets.token_hex(8)
    reply = worker.ask({**message, "sample": plan.sample, "token": token}, "told", limit_s)
    frames = reply.get("frames")
    if reply.get("token") != token or type(frames) is not int or not 0 <= frames <= _FRAMES:
        raise worker.lost("garbled", "an answer to nothing that was asked")
    found: Told = {}
    # It has computed; what is left is to read: all frames together have one time limit.
    deadline = time.monotonic() + max(limit_s, START_S)
    for _ in range(frames):
        try:
            left = deadline - time.monotonic()
            found |= dict(map(_event, worker.receive("values", left)["events"]))
        except (ValueError, TypeError, KeyError) as error:
            raise worker.lost("garbled", "an output in a form that is not known") from error
        if len(found) > _EVENTS:
            raise worker.lost("oversized", "more values than any benchmark tells")
    return found, reply


def _event(event: Any) -> tuple[tuple[str, int], Any]:
    place, occurrence, value = event
    if type(place) is not str or type(occurrence) is not int:
        raise ValueError("an event without a place")
    return (place, occurrence), value
