"""Part of run_benchmarks: one thing that the judge asks of a case, and the answer."""

from bench_case import answer, seed_all
from bench_output import frames as frames_of

VALUE_CHARS = 100


def tell(wire, case, asked, recorder):
    """Send what was computed; what went wrong otherwise."""
    said_so, plan = [], []
    if asked["type"] != "state":
        seed_all(asked["seed"])

    def ask():
        if asked["type"] == "siblings":
            plan[:], said_so[:] = recorder.siblings(case, asked)
        else:
            look = recorder.call if asked["type"] == "output" else recorder.state
            said_so[:] = look(case, asked["sample"])

    reply = answer(case, ask)
    if reply["type"] != "ready":
        return reply
    frames = frames_of(said_so)
    wire.send({"type": "told", "token": asked["token"], "frames": len(frames), "plan": plan})
    for events in frames:
        wire.send({"type": "values", "events": events})
    return None


def vary(case, asked, recorder):
    plan = []
    reply = answer(case, lambda: plan.extend(recorder.vary(case, asked)))
    return {"type": "varied", "token": asked["token"], "plan": plan} if reply["type"] == "ready" else reply


def value(case, asked):
    """The number that a benchmark says, as text: the judge reads it, however large, and whatever is no number."""
    found = []
    reply = answer(case, lambda: found.append(case.value()))
    if reply["type"] != "ready":
        return reply
    return {"type": "valued", "token": asked["token"], "value": as_text(found[0])}


def as_text(found):
    """A number in full; else what it is."""
    try:
        if isinstance(found, bool) or not isinstance(found, int):
            # An array of one element is a number as well.
            found = float(found)
        return repr(found)[:VALUE_CHARS]
    except Exception:
        return "no number: " + type(found).__name__[:VALUE_CHARS]
