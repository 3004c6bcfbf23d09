"""What is known of tests: values, and how several runs of one test become one. Pure."""

from __future__ import annotations

import json
import re
import zlib
from typing import TYPE_CHECKING, Any, Literal

from pydantic import Field

from truelap.checks.tests.messages import Doctest, Integrity, Plugin
from truelap.model import Frozen
from truelap.values import canonical

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from truelap.checks.tests.messages import Phase

TestOutcome = Literal["passed", "failed", "error", "skipped", "xfailed", "xpassed", "missing"]

BADNESS: dict[TestOutcome, int] = {
    "passed": 0,
    "xpassed": 1,
    "xfailed": 2,
    "skipped": 3,
    "failed": 4,
    "error": 5,
    "missing": 6,
}
"""The worst of several runs of one id counts, and so does the worst of a test and its subtests."""


CRASH = "Fatal Python error: "
"""What a crash says first; where it happened comes below, the outermost frame last."""
_CRASH = re.compile(rf"^{CRASH}.*", re.MULTILINE)


def packed(events: Any) -> tuple[bytes, int]:
    """Events as a judge keeps them, and how long they are as text.

    Raises:
        ValueError: they are nested too deeply.
    """
    try:
        text = canonical(events).encode()
    except RecursionError as error:
        raise ValueError("nested too deeply") from error
    return zlib.compress(text, 1), len(text)


def unpacked(parts: Iterable[bytes]) -> list[Any]:
    """All events of one test."""
    return [event for part in parts for event in json.loads(zlib.decompress(part))]


def last_line(text: str) -> str:
    """The last line of what a program said, bounded."""
    return text.strip().rpartition("\n")[2].strip()[:300]


class Node(Frozen):
    """What became of one test."""

    outcome: TestOutcome
    seconds: float
    """All phases together, as the worker says."""
    message: str
    """Why it did not pass, "" when it did."""


class Fault(Frozen):
    """A session that did not end as it should."""

    code: str
    """One of a `StepFault`'s codes, of an `Ending`'s ways, or "interrupted", "internal", "usage" (by pytest's exit status)."""
    message: str
    """One line."""
    detail: str
    """The last that pytest or the process said, "" for nothing."""
    after: str | None
    """The last test that was heard of."""

    @property
    def text(self) -> str:
        """All of it in one line."""
        after = f", last heard of {self.after}" if self.after else ""
        fatal = _CRASH.search(self.detail)
        said = fatal[0][:300] if fatal else last_line(self.detail)
        return f"{self.message}{after}" + (f": {said}" if said else "")


class Session(Frozen):
    """One pytest session, folded."""

    nodes: dict[str, Node]
    plugins: tuple[Plugin, ...]
    uncollected: dict[str, str]
    """Files and classes that could not be collected, with the reason."""
    warnings: int
    fault: Fault | None
    seconds: float
    """Wall time of the whole sandboxed step, by the judge's clock."""
    values: dict[str, tuple[bytes, ...]] = Field(default_factory=dict)
    """What rewritten tests sent, by id: lists of events as `packed` keeps them."""
    doctests: tuple[Doctest, ...] = ()
    """What was found when doctests were looked for; told only where the tree's own are wanted."""
    opened: tuple[tuple[str, str], ...] = ()
    """Files of the tree that its code read, and the file of that code; likewise."""
    integrity: tuple[Integrity, ...] = ()
    """What the worker saw changed, once after collection and once at the end."""


def phase_outcome(phase: Phase) -> TestOutcome:
    """What one phase alone means for its test."""
    if phase.outcome == "failed":
        return "failed" if phase.when == "call" else "error"
    if phase.outcome == "skipped":
        return "xfailed" if phase.xfail else "skipped"
    return "xpassed" if phase.xfail and phase.when == "call" else "passed"


def merged(nodes: Iterable[Node]) -> Node:
    """One node for several runs of one id: the worst counts."""
    ordered = sorted(nodes, key=lambda node: BADNESS[node.outcome])
    return ordered[-1].model_copy(update={"seconds": sum(node.seconds for node in ordered)})


def union(sessions: Iterable[Mapping[str, Node]]) -> dict[str, Node]:
    """The tests of several sessions together."""
    found: dict[str, Node] = {}
    for nodes in sessions:
        for name, node in nodes.items():
            found[name] = merged((found[name], node)) if name in found else node
    return found
