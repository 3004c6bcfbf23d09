"""A worker of benchmarks: whatever it answers, the judge has what it asked for or a stated failure, and all that it computes is judged."""

from __future__ import annotations

import ast
import os
import re
import socket
from contextlib import suppress
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.fuzz.claims import ANY, GOOD, framed, messages, spoilt, text_of

import truelap
from truelap.checks.outputs.asking import Output, Plan, tell
from truelap.checks.outputs.ruling import rule
from truelap.checks.outputs.siblings import Beside, Wish, compare
from truelap.values import Tolerance
from truelap.workers.valuing import reading
from truelap.workers.varying import vary
from truelap.workers.worker import Undelivered, Worker
from truelap.world.channel import Channel, parse_object

FUZZ = settings.get_profile("fuzz")
WORD = st.text(max_size=4)
PAIRS = st.lists(st.lists(WORD, min_size=2, max_size=2), max_size=2)
PLACES = st.sampled_from(["line 1", "line 2 f", "raised", "line 2 f, argument 1 one less"])
EVENT = st.tuples(PLACES, st.integers(-1, 2), ANY).map(list)
WAY = ["line 2 f", "argument 1", "one less"]
BENCHMARK = st.fixed_dictionaries(
    {"module": WORD, "class": st.none() | WORD, "attr": WORD, "name": WORD, "error": st.none() | WORD},
    optional={
        "kind": st.sampled_from(["time", "peakmem"]),
        "params": st.lists(st.lists(WORD, max_size=2), max_size=2),
        "values": st.lists(PAIRS, max_size=2),
        "timeout_s": st.none() | st.floats(allow_nan=False, allow_infinity=False),
        "cache_key": st.none() | WORD,
    },
)
TOKEN = st.just("TOKEN")
FORMS = {
    "hello": {},
    "started": {},
    "loaded": {
        "error": st.none() | WORD,
        "elsewhere": st.lists(WORD, max_size=2),
        "modules": PAIRS,
    },
    "found": {"error": st.none() | WORD, "benchmarks": st.lists(BENCHMARK, max_size=2)},
    "ready": {"number": st.integers(0, 3), "values": st.lists(PAIRS, max_size=2)},
    "done": {"token": TOKEN, "claimed_ns": st.integers(0, 9)},
    "told": {"token": TOKEN, "frames": st.integers(0, 2), "plan": st.sampled_from([[], [WAY]])},
    "values": {"events": st.lists(EVENT, max_size=3)},
    "varied": {"token": TOKEN, "plan": PAIRS},
    "skipped": {},
    "failed": {"error": WORD},
    "valued": {"token": TOKEN, "value": WORD | st.sampled_from(["1.5", "nan", "1e999"])},
    "charted": {"whole": st.booleans(), "ran": st.lists(st.lists(WORD, max_size=2), max_size=2)},
    "ended": {"status": st.just(0) | st.integers()},
    "end": {},
}
REPLIES = messages(FORMS)
ANSWERS = {
    "start": "started",
    "load": "loaded",
    "discover": "found",
    "case": "ready",
    "redo": "ready",
    "run": "done",
    "output": "told",
    "state": "told",
    "siblings": "told",
    "vary": "varied",
    "chart": "charted",
    "value": "valued",
    "close": "ended",
}


def sent_by(probe):
    """The messages that stand in a probe's text: their types and fields."""
    for node in ast.walk(ast.parse(probe.read_text("utf-8"))):
        if isinstance(node, ast.Dict) and all(isinstance(key, ast.Constant) for key in node.keys):
            fields = {key.value: value for key, value in zip(node.keys, node.values, strict=True)}
            if isinstance(kind := fields.get("type"), ast.Constant):
                yield kind.value, set(fields) - {"type"}


def test_every_message_that_a_worker_of_benchmarks_sends_is_made_up():
    package = Path(truelap.__file__).parent
    probes = [*(package / "probes").glob("bench_*.py"), package / "probes" / "run_benchmarks.py"]
    sent = [message for probe in probes for message in sent_by(probe)]
    assert {kind for kind, _ in sent} == set(FORMS)
    assert [(kind, fields) for kind, fields in sent if not fields <= set(FORMS[kind])] == []
    readers = [*(package / "workers").glob("*.py"), package / "checks" / "outputs" / "asking.py"]
    read = {
        field
        for reader in readers
        for field in re.findall(r"reply(?:\.get\(|\[)\"(\w+)", reader.read_text("utf-8"))
    }
    assert read <= {"type"}.union(*FORMS.values())


class Peer(Channel):
    """A channel whose other end answers each question at once, mostly in the right way.

    Args:
        draw: hypothesis's.
        ends: both ends.
    """

    def __init__(self, draw, ends):
        super().__init__(ends[0], message_bytes=1 << 16, messages=40)
        self._draw, self._there = draw, ends[1]
        self._answer([{"type": "hello"}] if draw(st.integers(0, 9)) else [draw(spoilt(REPLIES))])

    def send(self, message, *, timeout_s=30.0):
        super().send(message, timeout_s=timeout_s)
        self._there.recv(1 << 16)
        right = self._right(ANSWERS[message["type"]])
        kind = self._draw(st.integers(0, 9))
        if kind == 0:
            right = self._draw(st.lists(REPLIES, max_size=3))
        elif kind <= 2 and right:
            at = self._draw(st.integers(0, len(right) - 1))
            right[at] = self._draw(spoilt(st.just(right[at])))
        self._answer(right, message.get("token"))

    def _right(self, kind):
        answer = self._draw(st.fixed_dictionaries({"type": st.just(kind), **FORMS[kind]}))
        frames = answer.get("frames", 0)
        values = st.fixed_dictionaries({"type": st.just("values"), **FORMS["values"]})
        return [answer, *(self._draw(values) for _ in range(frames))]

    def _answer(self, replies, token=None):
        for reply in replies:
            known = {key: token if value == "TOKEN" else value for key, value in reply.items()}
            # An end that was shut before says nothing more, whatever was drawn.
            with suppress(BrokenPipeError):
                self._there.sendall(framed(known))
        if not replies:
            # Nothing more comes, so that nobody waits for it.
            self._there.shutdown(socket.SHUT_WR)


class Step:
    """What a worker needs of a running step: its channel, and processes whose clocks can be read."""

    def __init__(self, channel):
        self.channel = channel

    def pids(self):
        return (os.getpid(),)

    def pause(self):
        """Nothing runs."""

    resume = pause


PLAN = Plan(1, 2, lambda *_: 1, 0.05, before=True, wish=Wish(2, 1.0))
ASKED = {
    "load": lambda worker: worker.load("m", 0.05),
    "discover": lambda worker: worker.discover("m", 0.05),
    "tell": lambda worker: tell(worker, {"type": "case"}, PLAN),
    "open": lambda worker: worker.open({"type": "case"}, 0.05),
    "redo": lambda worker: worker.redo(0.05),
    "run": lambda worker: worker.run(1, 0.05),
    "value": lambda worker: reading(worker, {"type": "case", "kind": "track"}, 0.05),
    "vary": lambda worker: vary(worker, None, 1, 0.05),
    "close": lambda worker: worker.close(0.05),
}


@given(st.data(), st.lists(st.sampled_from(sorted(ASKED)), min_size=1, max_size=5), st.booleans())
@settings(FUZZ)
def any_replies(data, questions, claims):
    ends = socket.socketpair()
    without = frozenset(["outside_clock"] if claims else [])
    with ends[0], ends[1]:
        worker = Worker(Step(Peer(data.draw, ends)), without)
        kinds, longest = set(), 0
        for question in (lambda worker: worker.start({}), *(ASKED[name] for name in questions)):
            try:
                question(worker)
            except Undelivered as failure:
                kinds.add(failure.kind)
                longest = max(longest, len(failure.reason))
            if not worker.usable:
                break
    assert kinds <= {"failed", "skipped", "late", "lost"}
    assert longest < 1000


def test_any_replies_of_a_worker_are_an_answer_or_a_failure(for_a_while, monkeypatch):
    # Half a first word would be waited for that long.
    monkeypatch.setattr("truelap.workers.worker.START_S", 0.05)
    for_a_while(any_replies, 0.2)


KEYS = st.tuples(PLACES, st.integers(-1, 1))
# Base's sandbox never held a byte of the submission: what it sends keeps to the format.
BASES = st.dictionaries(KEYS, GOOD, max_size=4)
OTHERS = st.dictionaries(KEYS, ANY, max_size=4)


def as_sent(told):
    """Through the judge's own door."""
    return {key: parse_object(text_of({"value": value}).encode())["value"] for key, value in told.items()}


@given(BASES, BASES, st.booleans(), OTHERS, OTHERS)
@settings(FUZZ)
def any_outputs(first, state, steady, other, other_state):
    try:
        other, other_state = as_sent(other), as_sent(other_state)
    except ValueError:
        return
    again = first if steady else dict(list(first.items())[:1])
    mixed = {**first, **other}
    ruling = rule(
        Output(first, first, state, None, 1),
        Output(again, again, state, {}, 1),
        Output(mixed, other, other_state, None, 1),
        Tolerance(),
        1e-4,
    )
    assert ruling.status in {"equal", "differs", "not_comparable", "missing"}
    plan = (tuple(WAY),)
    found = compare(Beside(plan, first), Beside(plan, again), Beside(plan, mixed), Tolerance(), 1e-4)
    assert text_of([ruling.reason, found.as_data()])


def test_any_outputs_are_judged(for_a_while):
    for_a_while(any_outputs, 0.1)
