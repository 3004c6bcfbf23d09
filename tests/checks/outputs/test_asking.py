"""What the judge makes of a worker that does not keep to the conversation."""

import pytest

from truelap.checks.outputs.asking import Plan, tell
from truelap.workers.worker import Undelivered

PLAN = Plan(seed=1, sample=2, calls=lambda *_: None, limit_s=1.0)


class Worker:
    """Says what the test wants."""

    values = ((("int", "3"),),)
    in_case = True

    def __init__(self, reply, *frames):
        self.reply, self.frames, self.closed = reply, list(frames), False

    def open(self, order, limit_s):
        return 0

    def ask(self, message, wanted, limit_s):
        return {"token": message["token"], "frames": len(self.frames)} | self.reply

    def receive(self, wanted, limit_s):
        return self.frames[0]

    def lost(self, code, reason):
        return Undelivered("lost", reason)

    def close(self, limit_s):
        self.closed = True


def test_an_output_is_read():
    worker = Worker({}, {"events": [["line 1", 0, 5], ["line 1", -1, 1]]})
    found = tell(worker, {}, PLAN)
    assert found.first == {("line 1", 0): 5, ("line 1", -1): 1}
    assert found.values == worker.values
    assert (found.later, found.before, found.calls, worker.closed) == (None, None, None, True)


@pytest.mark.parametrize(
    ("reply", "frame"),
    [
        ({"token": "other"}, {"events": []}),
        ({"frames": True}, {"events": []}),
        ({"frames": 1000}, {"events": []}),
        ({"frames": -1}, {"events": []}),
        ({"frames": [1]}, {"events": []}),
        ({}, {}),
        ({}, {"events": None}),
        ({}, {"events": [1]}),
        ({}, {"events": [["a", 0]]}),
        ({}, {"events": [[1, 0, 0]]}),
        ({}, {"events": [["a", True, 0]]}),
        ({}, {"events": [["a", [], 0]]}),
        ({}, {"events": [["a", place, 0] for place in range(100_001)]}),
    ],
)
def test_what_is_no_output_is_a_fault_of_the_worker(reply, frame):
    with pytest.raises(Undelivered):
        tell(Worker(reply, frame), {}, PLAN)
