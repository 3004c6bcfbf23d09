"""What the judge makes of a worker's word on what it varies."""

import pytest

from truelap.workers.varying import vary
from truelap.workers.worker import Undelivered


class Worker:
    def __init__(self, **reply):
        self.reply = reply

    def ask(self, message, wanted, limit_s):
        self.asked = message
        return {"token": message["token"], **self.reply}

    def lost(self, code, reason):
        return Undelivered("lost", reason)


def test_base_says_and_the_candidate_is_told():
    worker = Worker(plan=[["line 3.8 f", "argument 1"]])
    assert vary(worker, None, 5, 1.0) == (("line 3.8 f", "argument 1"),)
    assert (worker.asked["plan"], worker.asked["seed"]) == (None, 5)


@pytest.mark.parametrize(
    "reply",
    [
        {"token": "other", "plan": []},
        {},
        {"plan": "ab"},
        {"plan": [["a"]]},
        {"plan": ["ab"]},
        {"plan": [["a", 1]]},
        {"plan": [["a", "b"]] * 1001},
    ],
)
def test_words_of_another_form_lose_the_worker(reply):
    with pytest.raises(Undelivered):
        vary(Worker(**reply), None, 5, 1.0)
