"""The judge's other plugins. One binds the recorder that rewritten tests call, and tells it which test runs. Python >= 3.8.

It sends `values` messages (`attest.py`). In a soft session, whose tests need not hold, a test also has a time limit of its
own: it stands beside others that a changed literal may keep busy, or waiting, for ever.
"""

import builtins
import signal
import time

import attest
import doctest_calls
import encode
import opened

_WALL = 4
"""How much longer than its CPU limit a test may take in all: on a crowded machine a busy test stands in line as well."""

_BUSY = 0.05
"""A test that computes less than this share of the time is one that waits."""


class TimeLimitError(BaseException):
    """A test of a soft session took too long."""


class Recording:
    """Tells the recorder where a test begins and ends.

    Args:
        send: takes one message.
        name_of: makes the id that the judge knows from the id that pytest has.
        wanted: of the judge's start message: name, soft, test_s, idle_s, shown.
        encoder: `encode.make_encoder`'s.
        failures: exceptions that say that an assertion failed.
    """

    def __init__(self, send, name_of, wanted, encoder, failures):
        self._name_of = name_of
        self._limit_s = wanted["test_s"]
        self._look_s = wanted["idle_s"] or _WALL * self._limit_s
        self._now, self._cpu = time.monotonic, time.process_time
        self._until_s = self._used_s = 0.0

        def passed_on(message):
            # What is recorded while files are collected belongs to no test.
            if message["test"] is not None:
                send(message)

        self._recorder = attest.Recorder(passed_on, encoder, failures, soft=wanted["soft"])
        self.note = self._recorder.note
        self.parts = [self._recorder, encoder]
        setattr(builtins, wanted["name"], self._recorder)
        self._timer, self._handler = signal.setitimer, signal.signal
        if self._limit_s:
            signal.signal(signal.SIGVTALRM, _late)

    def pytest_runtest_protocol(self, item):
        self._recorder.begin(self._name_of(item.nodeid))
        before = self._limited()
        try:
            yield
        finally:
            if self._limit_s:
                self._timer(signal.ITIMER_VIRTUAL, 0)
                self._timer(signal.ITIMER_REAL, 0)
                self._handler(signal.SIGALRM, before)
            self._recorder.end()

    def _limited(self):
        """Start a test's clocks; the handler that was there, which the test's project may have set."""
        if not self._limit_s:
            return None
        before = self._handler(signal.SIGALRM, self._look)
        self._until_s, self._used_s = self._now() + _WALL * self._limit_s, self._cpu()
        self._timer(signal.ITIMER_VIRTUAL, self._limit_s)
        self._timer(signal.ITIMER_REAL, self._look_s, self._look_s)
        return signal.SIG_DFL if before is None else before

    def _look(self, number, frame):
        used_s = self._cpu()
        if self._now() >= self._until_s or used_s - self._used_s < _BUSY * self._look_s:
            raise TimeLimitError
        self._used_s = used_s


def _late(number, frame):
    raise TimeLimitError


def prepare(send, plain, name_of, start, numpy, pytest):
    """The plugins, ready to be registered."""
    encoder = encode.make_encoder(numpy, shown=start["values"] and start["values"]["shown"])
    ours, note, soft = [], None, False
    if start["values"] is not None:
        pytest.hookimpl(hookwrapper=True, tryfirst=True)(Recording.pytest_runtest_protocol)
        failures = (AssertionError, pytest.fail.Exception)
        ours.append(Recording(send, name_of, start["values"], encoder, failures))
        note, soft = ours[0].note, start["values"]["soft"]
    if start["doctests"] is not None:
        ours.append(doctest_calls.prepare(send, name_of, start["doctests"], note, soft, pytest))
    if start["opened"]:
        ours.append(opened.prepare(send, plain, start["mount"], pytest))
    return ours
