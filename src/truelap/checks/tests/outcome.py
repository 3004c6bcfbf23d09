"""From messages to outcomes: what one side's sessions say about each test. Pure; the one place that believes a message."""

from __future__ import annotations

from typing import TYPE_CHECKING

from truelap.checks.tests.attempts import Attempt
from truelap.checks.tests.messages import (
    Collected,
    Collector,
    Doctest,
    End,
    Hello,
    Integrity,
    Opened,
    Phase,
    Plugin,
    Plugins,
    Values,
)
from truelap.checks.tests.results import Fault, Node, Session, merged, packed
from truelap.errors import StepFault

if TYPE_CHECKING:
    from collections.abc import Iterable

    from truelap.checks.tests.messages import Message

BROKEN_EXITS = {2: "interrupted", 3: "internal", 4: "usage"}
"""pytest's exit statuses that mean that the session itself did not run to its end."""

_KEPT_BYTES = 1 << 28
"""How much of what one session says the judge keeps, in bytes of memory: many times what the largest suites say."""

_PER_TEXT = 100
"""What keeping a text takes besides its letters."""

_WIDEST = 4
"""Bytes that one letter of a text may take in memory."""

_UNCOLLECTED = 200
_REASON_CHARS = 2000

_KEPT_VALUES = 1 << 28
"""How many bytes of values, as text, the judge takes of one session."""


_WORDS = {
    "values": "",
    "plain": "as they stand",
    "secret": "with changed literals",
    "canary": "tests that must fail",
    "mutant": "package with a planted fault",
}
"""What the parts of a session's name mean to whoever watches."""


def _session(name: str) -> str:
    side, *more = name.split(" ")
    told = (f"run {int(word) + 1}" if word.isdecimal() else _WORDS.get(word, word) for word in more)
    return ", ".join(word for word in (side, *told) if word)


class Fold:
    """Takes the messages of one session one by one, and refuses what a true session cannot say.

    An id may be collected more than once (a plugin may repeat tests under one name); it then has to finish as often.

    Args:
        name: of the session, for whoever watches.
        strict: False passes over what comes out of turn (the defence `turns` is off).
    """

    def __init__(self, name: str = "", *, strict: bool = True) -> None:
        self._name = name
        self._strict = strict
        self._hello = False
        self._expected: dict[str, int] = {}
        self._complete = False
        self._runs: dict[str, list[Attempt]] = {}
        self._plugins: dict[Plugin, None] = {}
        self._uncollected: dict[str, str] = {}
        self._doctests: list[Doctest] = []
        self._opened: dict[tuple[str, str], None] = {}
        self._omitted = 0
        self._kept = 0
        self._integrity: dict[str, Integrity] = {}
        self._values: dict[str, list[bytes]] = {}
        self._value_bytes = 0
        self.end: End | None = None
        self.last_id: str | None = None

    @property
    def ids(self) -> tuple[str, ...]:
        """The collected ids, in order, each once."""
        return tuple(self._expected)

    @property
    def is_complete(self) -> bool:
        """Whether all that will run has been listed."""
        return self._complete

    @property
    def how_far(self) -> str:
        """A word for whoever watches."""
        if not self._complete:
            return f"{_session(self._name)}: collecting tests"
        return f"{_session(self._name)}: {len(self._runs)} of {len(self._expected)}, {self.last_id or 'the first one'}"

    def add(self, message: Message) -> None:
        """Take the next message.

        Raises:
            StepFault: "garbled" for a message out of turn: an unknown or repeated id, a phase out of order, anything
                before `hello` or after `end`; "oversized" when there is too much in all.
        """
        if self.end is not None:
            raise StepFault("garbled", "the worker went on after its end message")
        if isinstance(message, Hello) == self._hello:
            raise StepFault("garbled", "the worker did not start with exactly one hello")
        match message:
            case Hello():
                self._hello = True
            case Plugins():
                self._keep(plugin.name + plugin.dist for plugin in message.plugins)
                self._plugins.update(dict.fromkeys(message.plugins))
            case Collector() | Collected():
                self._collected(message)
            case Phase() | Values():
                self._of_a_test(message)
            case Doctest() | Opened() | Integrity():
                self._of_the_tree(message)
            case End():
                self.end = message

    def session(self, fault: Fault | None, seconds: float) -> Session:
        """What the messages so far amount to.

        Args:
            fault: what ended the session early; None when it ran to its end.
            seconds: wall time of the step.
        """
        return Session(
            nodes={name: self._node(name, times) for name, times in self._expected.items()},
            plugins=tuple(self._plugins),
            uncollected={**self._uncollected, **({"...": f"{self._omitted} more"} if self._omitted else {})},
            warnings=self.end.warnings if self.end else 0,
            fault=fault,
            seconds=seconds,
            values={name: tuple(parts) for name, parts in self._values.items()},
            doctests=tuple(self._doctests),
            opened=tuple(self._opened),
            integrity=tuple(self._integrity.values()),
        )

    def _of_the_tree(self, message: Doctest | Opened | Integrity) -> None:
        if isinstance(message, Integrity):
            self._looked(message)
            return
        if isinstance(message, Opened):
            self._keep(path + by for path, by in message.pairs)
            self._opened.update(dict.fromkeys(message.pairs))
            return
        test = message.test
        texts = [text for each in test.examples for text in (each.source, each.want)] if test else []
        self._keep((message.home, (test and test.doc) or "", *texts))
        self._doctests.append(message)

    def _take_uncollected(self, message: Collector) -> None:
        if len(self._uncollected) >= _UNCOLLECTED and message.id not in self._uncollected:
            self._omitted += 1
            return
        self._keep((message.id, message.text))
        self._uncollected[message.id] = message.text[-_REASON_CHARS:]

    def _of_a_test(self, message: Phase | Values) -> None:
        name = message.id if isinstance(message, Phase) else message.test
        if not self._complete or name not in self._expected:
            raise StepFault("garbled", f"the worker reported a test that it had not collected: {name[:200]}")
        if isinstance(message, Phase):
            self._phase(message)
        else:
            self._take_values(message)

    def _take_values(self, message: Values) -> None:
        try:
            data, size = packed(message.events)
        except ValueError as error:
            raise StepFault("garbled", f"the worker sent values that are {error}") from error
        self._value_bytes += size
        if self._value_bytes > _KEPT_VALUES:
            raise StepFault("oversized", "the worker sent more values than a judge can keep")
        self._values.setdefault(message.test, []).append(data)

    def _looked(self, message: Integrity) -> None:
        if message.when in self._integrity:
            raise StepFault("garbled", "the worker looked twice at one time")
        self._keep(text for change in (*message.changes, *message.notes, *message.loaded) for text in change)
        self._integrity[message.when] = message

    def _keep(self, texts: Iterable[str]) -> None:
        self._kept += sum(_PER_TEXT + len(text) * (1 if text.isascii() else _WIDEST) for text in texts)
        if self._kept > _KEPT_BYTES:
            raise StepFault("oversized", "the worker said more than a judge can keep")

    def _collected(self, message: Collector | Collected) -> None:
        if isinstance(message, Collector):
            if message.outcome != "passed":
                self._take_uncollected(message)
            return
        if self._complete:
            raise StepFault("garbled", "the worker listed its tests twice")
        self._keep(message.ids)
        for name in message.ids:
            self._expected[name] = self._expected.get(name, 0) + 1
        self._complete = message.last

    def _phase(self, phase: Phase) -> None:
        self._keep((phase.text,))
        self.last_id = phase.id
        runs = self._runs.setdefault(phase.id, [])
        if (not runs or runs[-1].finished) and len(runs) < self._expected[phase.id]:
            runs.append(Attempt())
        if runs[-1].retried:
            # Plugins differ in whether they tell of the attempt's teardown; it decides nothing.
            runs[-1] = Attempt()
            if phase.when == "teardown":
                return
        if not runs[-1].takes(phase):
            if not self._strict:
                return
            raise StepFault(
                "garbled", f"the worker reported a phase out of turn: {phase.when} of {phase.id[:200]}"
            )
        runs[-1].take(phase)

    def _node(self, name: str, times: int) -> Node:
        runs = self._runs.get(name, [])
        if len(runs) < times:
            return Node(outcome="missing", seconds=0.0, message="collected, but it did not run")
        nodes = [run.node() for run in runs]
        return merged(nodes)
