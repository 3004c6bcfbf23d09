"""The recorder that rewritten test files call: it sends what assertions compare, and gives it back unchanged.

A runner makes one `Recorder`, binds it among the builtins under the name that the judge gave, and calls `begin` and `end`
around each test. Messages are plain dicts for `send`:

  {"type": "values", "test": .., "events": [[site, slot, value], ..]}

An event's value is an encoding (`encode.py`), or `["big", "tail", count, sha256, near]` for what one place in one test
sends beyond its share: all occurrences are counted; those that come cheap all go into the digests, of the others the
1st, 2nd, 4th, 8th and so on. What decides is the size of values, never a clock, so base and candidate decide alike.
A fault of the encoder is an event like any other (`["no", "fault: .."]`).
Nothing here decides anything: each event is a claim.
"""

import os
import sys
from hashlib import sha256

from encode_leaf import texts

DETAILED = 300
PLACE_WORK = 1 << 16
TEST_WORK = 1 << 21
EVENT_WORK = 64
TEST_BYTES = 1 << 21
BATCH_BYTES = 1 << 17


class Recorder:
    """Records values, test by test.

    Args:
        send: takes one message; what it raises is not caught.
        encoder: `encode.make_encoder()`'s.
        failures: exceptions that say no more than "the assertion failed": soft recording swallows them.
        soft: blocks that expect an exception never end the test, whatever they raise.
    """

    def __init__(self, send, encoder, failures=(AssertionError,), soft=False):
        self._send = send
        self._encoder = encoder
        self.failures = failures
        self.lenient = soft
        self._getpid = os.getpid  # tests patch modules
        self._exc_info = sys.exc_info
        self._pid = os.getpid()
        self._test = None
        self._clear()

    def _clear(self):
        self._events = []
        self._pending = 0
        self._spent = 0
        self._work = 0
        self._places = {}

    def begin(self, test):
        """What follows belongs to `test` (text, or any JSON value the runner and the judge agree on)."""
        self.end()
        self._test = test

    def end(self):
        """The test is over: send what is left."""
        for (site, slot), place in sorted(self._places.items()):
            if place.rest:
                self._events.append([site, slot, place.tail()])
        self._flush()
        self._clear()
        self._test = None

    def _flush(self):
        events, self._events, self._pending = self._events, [], 0
        # A forked child of a test must not write into its parent's stream.
        if events and self._getpid() == self._pid:
            self._send({"type": "values", "test": self._test, "events": events})

    def note(self, site, slot, value):
        """Record one value."""
        place = self._places.get((site, slot))
        if place is None:
            place = self._places[site, slot] = _Place()
        place.count += 1
        dear = place.work > PLACE_WORK or self._work > TEST_WORK
        if dear and place.count & (place.count - 1):
            place.rest += 1
            return
        before = self._encoder.work
        encoded, size = self._encoder.encode(value)
        spent = self._encoder.work - before + EVENT_WORK
        place.work += spent
        self._work += spent
        if dear or place.count > DETAILED or self._spent > TEST_BYTES:
            place.add(encoded)
        else:
            self._keep([site, slot, encoded], size)

    def _keep(self, event, size):
        self._events.append(event)
        self._spent += size
        self._pending += size
        if self._pending > BATCH_BYTES:
            self._flush()

    def __call__(self, site, slot, value):
        """Record one operand."""
        self.note(site, slot, value)
        return value

    def truth(self, site, value):
        """Record whether an assertion holds, and let the test go on either way."""
        self.note(site, 0, True if value else False)
        return True

    def untruth(self, site, value):
        """Record whether a check finds fault, and let the test go on either way."""
        self.note(site, 0, True if value else False)
        return False

    def raised(self, site, kinds):
        """Record what is on its way to a handler of these kinds, and give them back."""
        self.note(site, 0, self._exc_info()[1])
        return kinds

    def soft(self, site, function):
        """A stand-in for an assertion function that records whether it raised, and lets the test go on."""

        def call(*args, **kwargs):
            try:
                result = function(*args, **kwargs)
            except self.failures:
                self.note(site, -1, False)
                return None
            self.note(site, -1, True)
            return result

        return call

    def function(self, site, function):
        """A stand-in for a callable that is expected to raise."""

        def call(*args, **kwargs):
            try:
                result = function(*args, **kwargs)
            except BaseException as error:
                self.note(site, 0, error)
                raise
            self.note(site, 0, result)
            return result

        return call

    def manager(self, site, manager):
        """A stand-in for a context manager that expects an exception or warnings."""
        return _Manager(self, site, manager)


class _Manager:
    """Enters and leaves the real context manager, and records what came out of the block."""

    def __init__(self, recorder, site, manager):
        self._recorder = recorder
        self._site = site
        self._manager = manager

    def __enter__(self):
        return type(self._manager).__enter__(self._manager)

    def __exit__(self, kind, error, trace):
        try:
            swallowed = type(self._manager).__exit__(self._manager, kind, error, trace)
        except self._recorder.failures:
            if not self._recorder.lenient:
                raise
            swallowed = True
        finally:
            self._recorder.note(self._site, 0, error)
            warned = _warnings_of(self._manager)
            if warned is not None:
                self._recorder.note(self._site, 1, warned)
        return swallowed or (self._recorder.lenient and isinstance(error, Exception))

    def __getattr__(self, name):
        return getattr(self._manager, name)


def _warnings_of(manager):
    """What a `pytest.warns` or `assertWarns` heard: category and text of each warning."""
    state = vars(manager) if type(manager).__module__.startswith(("_pytest.", "unittest.")) else {}
    heard = state.get("_list", state.get("warnings"))
    if type(heard) is not list:
        return None
    return [(item.category, str(item.message)) for item in heard]


class _Place:
    """What one operand of one site has sent during one test."""

    __slots__ = ("_exact", "_near", "count", "rest", "work")

    def __init__(self):
        self.count = 0
        self.rest = 0
        self.work = 0
        self._exact = None
        self._near = None

    def add(self, encoded):
        """Take an occurrence into the digests."""
        if self._exact is None:
            self._exact, self._near = sha256(), sha256()
        self.rest += 1
        exact, near = texts(encoded)
        self._exact.update(exact.encode() + b"\n")
        self._near.update(near.encode() + b"\n")

    def tail(self):
        """The event that stands for all occurrences that were not sent one by one."""
        return [
            "big",
            "tail",
            self.rest,
            self._exact.hexdigest() if self._exact else "",
            self._near.hexdigest() if self._near else "",
        ]
