"""What base told in an earlier verification of the same task: asked for the same, it need not run again.

Only first looks are kept. What differs is looked at again with base at hand, since base itself may be unsteady.
"""

from __future__ import annotations

import json
import secrets
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from truelap.checks.outputs.asking import Output
from truelap.checks.outputs.siblings import Beside
from truelap.workers.parameters import read_values
from truelap.workers.worker import Undelivered
from truelap.world.provenance import key_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from truelap.checks.outputs.siblings import Told
    from truelap.world.keep import Keep

_LASTING = ("failed", "skipped")
"""What a worker says of a benchmark that it does not deliver; what was late or lost may go well next time."""


@dataclass
class Habits:
    """What base's own workers left behind and loaded."""

    changed: set[str] = field(default_factory=set)
    touched: set[str] = field(default_factory=set)
    loaded: dict[str, str] = field(default_factory=dict)

    def add(self, other: Habits) -> None:
        """Take another session's in."""
        self.changed |= other.changed
        self.touched |= other.touched
        self.loaded |= other.loaded


class Records:
    """Base's answers, kept.

    Args:
        keep: None keeps nothing.
        facts: what all answers depend on.

    Attributes:
        used: how many cases were answered from here.
        habits: of the sessions that these answers come from.
    """

    def __init__(self, keep: Keep | None, facts: Mapping[str, Any]) -> None:
        self._keep = keep
        self._facts = key_of(**facts) if keep else ""
        self._session = secrets.token_hex(32)
        self._new = False
        self._sessions: dict[str, Habits] = {}
        self.used = 0
        self.habits = Habits()

    def get(self, question: Mapping[str, Any]) -> tuple[Output, Output] | Undelivered | None:
        """Both runs of base, or how it fails to deliver; None when base has to be asked."""
        if self._keep is None or (content := self._keep.get("outputs", self._key(question))) is None:
            return None
        told = json.loads(content)
        if not self._came_of(told["session"]):
            return None
        self.used += 1
        if told["failed"] is not None:
            return Undelivered(*told["failed"])
        return _read(told["base"]), _read(told["again"])

    def put(self, question: Mapping[str, Any], base: Output, again: Output) -> None:
        """Keep what both runs told."""
        self._put(question, failed=None, base=_written(base), again=_written(again))

    def put_failure(self, question: Mapping[str, Any], failure: Undelivered) -> None:
        """Keep that a run of base does not deliver, where it will not do so the next time either."""
        if failure.kind in _LASTING:
            self._put(question, failed=[failure.kind, failure.reason])

    def close(self, habits: Habits) -> None:
        """Keep what the sessions left behind that the new answers come from: without it they are not used."""
        if self._keep and self._new:
            told = {
                "changed": sorted(habits.changed),
                "touched": sorted(habits.touched),
                "loaded": habits.loaded,
            }
            self._keep.put("habits", self._session, json.dumps(told).encode())

    def _put(self, question: Mapping[str, Any], **told: Any) -> None:
        if self._keep:
            self._new = True
            content = json.dumps({"session": self._session, **told}).encode()
            self._keep.put("outputs", self._key(question), content)

    def _key(self, question: Mapping[str, Any]) -> str:
        return key_of(facts=self._facts, question=question)

    def _came_of(self, session: str) -> bool:
        if session not in self._sessions:
            content = self._keep.get("habits", session) if self._keep else None
            if content is None:
                return False
            told = json.loads(content)
            found = Habits(set(told["changed"]), set(told["touched"]), told["loaded"])
            self._sessions[session] = found
            self.habits.add(found)
        return True


def _written(output: Output) -> dict[str, Any]:
    beside = output.beside
    told = {name: _events(getattr(output, name)) for name in ("first", "later", "state", "before")}
    besides = {"plan": beside.plan, "told": _events(beside.told), "why_none": beside.why_none}
    return {**told, "calls": output.calls, "values": output.values, "beside": besides}


def _events(told: Mapping[tuple[str, int], Any] | None) -> list[Any] | None:
    return None if told is None else [[place, at, value] for (place, at), value in told.items()]


def _read(told: Mapping[str, Any]) -> Output:
    beside = told["beside"]
    plan = tuple((place, argument, change) for place, argument, change in beside["plan"])
    return Output(
        first=_told(told["first"]) or {},
        later=_told(told["later"]),
        state=_told(told["state"]) or {},
        before=_told(told["before"]),
        calls=told["calls"],
        values=read_values(told["values"]),
        beside=Beside(plan, _told(beside["told"]), beside["why_none"]),
    )


def _told(events: list[Any] | None) -> Told | None:
    return None if events is None else {(place, at): value for place, at, value in events}
