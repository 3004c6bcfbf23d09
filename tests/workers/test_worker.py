"""What the judge makes of a worker's words: a channel that says whatever the test wants."""

import os
import time

import pytest

from truelap.errors import StepFault
from truelap.workers.worker import Sample, Undelivered, Worker


class Channel:
    """Answers each question with the next reply; a reply may be a function of the question, or a fault."""

    def __init__(self, *replies):
        self.replies, self.asked = list(replies), []

    def send(self, message):
        self.asked.append(message)

    def receive(self, timeout_s):
        reply = self.replies.pop(0)
        if isinstance(reply, StepFault):
            raise reply
        return reply(self.asked[-1]) if callable(reply) else reply


class Session:
    def __init__(self, channel):
        self.channel, self.did = channel, []

    def pids(self):
        return (os.getpid(),)

    def pause(self):
        self.did.append("pause")

    def resume(self):
        self.did.append("resume")


def worker(*replies):
    made = Worker(Session(Channel(*replies)))
    made.in_case = True
    return made


def done(asked):
    return {"type": "done", "token": asked["token"], "claimed_ns": 1000}


def burnt(asked):
    deadline = os.times().user + 0.05
    while os.times().user < deadline:
        pass
    return done(asked)


ENDED = {"type": "ended", "status": 0}


def test_a_sample_is_read_by_the_judge_s_clocks():
    sample = worker(burnt).run(3, 1.0)
    assert sample.calls == 3
    assert sample.cpu_ns > 30_000_000
    assert sample.wall_ns > 30_000_000


def test_a_trial_counts_waiting_and_not_standing_in_line():
    def slept(asked):
        time.sleep(0.05)
        return done(asked)

    def tried(queued_ns):
        # Not this process's own record: on a crowded machine it stands in line as well.
        made, queued = worker(slept), iter([0, queued_ns])
        made._clock.queued_ns = lambda: next(queued)
        return made.trial(1, 1.0)

    assert tried(0) > 40_000_000
    # All of it but what this process computes, which is next to nothing while it sleeps.
    assert tried(3_600_000_000_000) < 40_000_000


def test_no_more_is_left_out_than_was_not_computed():
    def stood(cpu, wall, queued):
        sample = Sample(1, cpu, wall, queued)
        return sample.elapsed_ns, sample.stood_ns

    assert stood(3, 10, 5) == (5, 5)
    assert stood(3, 10, 50) == (3, 7)
    assert stood(11, 10, 50) == (11, 0)


def test_an_answer_that_lay_ready_is_none():
    made = worker({"type": "done", "token": "0" * 16})
    with pytest.raises(Undelivered) as caught:
        made.run(3, 1.0)
    assert caught.value.kind == "lost"
    assert not made.usable


def test_tokens_are_never_used_twice():
    made = worker(done, done)
    made.run(1, 1.0)
    made.run(1, 1.0)
    first, second = (asked["token"] for asked in made._session.channel.asked)
    assert first != second


@pytest.mark.parametrize(
    ("replies", "kind", "usable"),
    [
        ([{"type": "failed", "error": "boom"}, ENDED], "failed", True),
        ([{"type": "skipped"}, ENDED], "skipped", True),
        ([{"type": "ended", "status": 11}], "failed", True),
        ([{"type": "failed", "error": "boom"}, {"type": "failed"}], "lost", False),
        ([{"type": "ready", "number": "many", "values": []}], "lost", False),
        ([{"type": "ready", "number": -1, "values": []}], "lost", False),
        ([{"type": "ready", "number": 1, "values": [[["int"]]]}], "lost", False),
        ([{"type": "ready", "number": 1 << 80, "values": []}], "lost", False),
        ([{"type": "skipped"}, {"type": "ended", "status": 10**4000}], "lost", False),
        ([{"type": "surprise"}], "lost", False),
        ([{}], "lost", False),
        ([StepFault("late", "too late")], "late", False),
        ([StepFault("closed", "gone")], "lost", False),
        ([StepFault("garbled", "what")], "lost", False),
    ],
)
def test_every_other_answer_to_open_is_named(replies, kind, usable):
    made = worker(*replies)
    with pytest.raises(Undelivered) as caught:
        made.open({"type": "case"}, 1.0)
    assert (caught.value.kind, made.usable, made.in_case) == (kind, usable, False)


def test_a_ready_case_says_its_number():
    assert worker({"type": "ready", "number": 5, "values": []}).open({"type": "case"}, 1.0) == 5


@pytest.mark.parametrize("claim", [None, "1", -1, 1 << 80, [1]])
def test_a_time_that_is_none_loses_the_worker(claim):
    made = Worker(Session(Channel(lambda asked: done(asked) | {"claimed_ns": claim})))
    with pytest.raises(Undelivered, match="a time that is none"):
        made.run(1, 1.0)


def test_a_process_that_ends_badly_after_its_samples_has_failed():
    with pytest.raises(Undelivered, match="teardown"):
        worker({"type": "ended", "status": 256}).close(1.0)


def test_it_is_stopped_after_each_turn_and_told_something_before_its_samples():
    made = worker(done, done)
    with made.turn(1.0) as samples:
        samples.append(made.run(7, 1.0))
    assert [asked["calls"] for asked in made._session.channel.asked] == [0, 7]
    assert made._session.did == ["resume", "pause"]


def test_cpu_between_samples_is_stray_and_cpu_of_a_stopped_sandbox_is_noticed():
    made = worker(done, done, done)
    with made.turn(1.0) as samples:
        samples.append(made.run(1, 1.0))
        burnt({"token": ""})
    assert made.stray_ns > 30_000_000
    burnt({"token": ""})
    with made.turn(1.0):
        pass
    assert made.asleep_ns > 30_000_000


def test_cpu_in_samples_is_not_stray():
    made = worker(done, burnt)
    with made.turn(1.0) as samples:
        samples.append(made.run(1, 1.0))
    assert samples[0].cpu_ns > 30_000_000
    assert made.stray_ns < 30_000_000


def test_a_reason_is_one_short_line():
    made = worker({"type": "failed", "error": "a\nb" + "c" * 999}, ENDED)
    with pytest.raises(Undelivered) as caught:
        made.open({"type": "case"}, 1.0)
    assert caught.value.reason.startswith("a bc")
    assert len(caught.value.reason) == 300
