"""One side's run of the tests, as plain data. Pure."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from truelap.checks.tests.results import Fault, Node, Session, union
from truelap.model import Frozen

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from truelap.checks.tests.messages import Plugin

UNSTEADY = "passes at base only sometimes"
"""Why a test that passed in one of base's runs counts as failed."""


class Side(Frozen):
    """All sessions of one side. Plain data: base's can be kept and used again."""

    sessions: tuple[Session, ...] = ()
    changed: tuple[str, ...] = ()
    """Files of the tree that a session changed or removed."""
    planted: tuple[str, ...] = ()
    """Files that a session added where tests, the measurement setup or modules live."""
    touched: tuple[str, ...] = ()
    """Files of tests and benchmarks, and folders of theirs (with a slash at the end), that a session touched and perhaps put back."""
    unreadable: tuple[str, ...] = ()
    """What a session left behind that the judge cannot read."""
    kept: bool = False
    """Whether an earlier verification measured it (`kept`)."""
    config_error: str | None = None
    """Why the judge's copy of base's configuration could not be written; no session ran then."""

    @cached_property
    def nodes(self) -> dict[str, Node]:
        """Every collected test by its id."""
        return union(session.nodes for session in self.sessions)

    def without(self, names: Iterable[str]) -> Side:
        """The same, but for tests that pass only sometimes: they do not count as passed."""
        unsteady = {
            name: self.nodes[name].model_copy(update={"outcome": "failed", "message": UNSTEADY})
            for name in names
        }
        sessions = tuple(
            session.model_copy(
                update={"nodes": {name: unsteady.get(name, node) for name, node in session.nodes.items()}}
            )
            for session in self.sessions
        )
        return self.model_copy(update={"sessions": sessions}) if unsteady else self

    def with_touched(self, touched: tuple[str, ...]) -> Side:
        """The same, with what was touched."""
        return self.model_copy(update={"touched": touched})

    @property
    def unsteady(self) -> tuple[str, ...]:
        """Ids that `without` took out."""
        return tuple(name for name, node in self.nodes.items() if node.message == UNSTEADY)

    def only(self, names: Collection[str]) -> Side:
        """The same, of some tests alone."""
        sessions = tuple(
            session.model_copy(
                update={
                    "nodes": {name: node for name, node in session.nodes.items() if name in names},
                    "values": {name: sent for name, sent in session.values.items() if name in names},
                }
            )
            for session in self.sessions
        )
        return self.model_copy(update={"sessions": sessions})

    @cached_property
    def plugins(self) -> dict[Plugin, None]:
        """Every plugin that any session registered, in order."""
        return {plugin: None for session in self.sessions for plugin in session.plugins}

    @property
    def faults(self) -> tuple[Fault, ...]:
        """What ended sessions early."""
        return tuple(session.fault for session in self.sessions if session.fault is not None)

    @property
    def uncollected(self) -> dict[str, str]:
        """What could not be collected, with the reason."""
        return {name: text for session in self.sessions for name, text in session.uncollected.items()}

    @property
    def n_uncollected(self) -> int:
        """How many there are; a session names so many of them, and counts the rest."""
        named = [name for name in self.uncollected if name != "..."]
        rest = (session.uncollected.get("...", "0").partition(" ")[0] for session in self.sessions)
        return len(named) + sum(map(int, rest))

    @property
    def failing(self) -> tuple[str, ...]:
        """Ids that failed, or ended in an error, whenever they ran."""
        bad = ("failed", "error")
        return tuple(n for n, node in self.nodes.items() if node.outcome in bad and node.message != UNSTEADY)

    @property
    def passed(self) -> tuple[str, ...]:
        """Ids that passed, in order."""
        return tuple(name for name, node in self.nodes.items() if node.outcome == "passed")
