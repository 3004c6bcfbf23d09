"""What the candidate's code changes in that which judges it, and base's does not. A tripwire: its absence proves nothing. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from pydantic import Field

from truelap.model import Frozen

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from truelap.checks.tests.messages import Integrity
    from truelap.checks.tests.sides import Side

_NAMED = 20
_LOOKS = 2
"""In each session: when tests are collected, and at the end."""


class Changed(Frozen):
    """One thing that only the candidate changes."""

    place: str
    """What was changed."""
    became: str
    """What it has become, "" for what is new."""
    when: Literal["collected", "end"]
    """When it was seen first."""

    @property
    def text(self) -> str:
        """In words."""
        return f"{self.place} became {self.became}" if self.became else self.place


class IntegrityEvidence(Frozen):
    """The candidate's changes that base does not make."""

    changes: tuple[Changed, ...] = ()
    """In pytest, unittest, the interpreter's own modules, the probe."""
    notes: tuple[Changed, ...] = ()
    """In what is the process's own affair, such as threads and exit handlers. Not held against the candidate."""
    loaded: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    """Files that modules of the tree come from, by name, in sessions of the candidate."""
    base_loaded: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    """The same of base."""
    silent: int = 0
    """Sessions that went to their end and did not say what they saw."""

    @property
    def late(self) -> bool:
        """Whether there are changes, and none was there before the tests ran."""
        return bool(self.changes) and all(change.when == "end" for change in self.changes)

    def again(self, other: IntegrityEvidence) -> IntegrityEvidence:
        """Only the changes that another run shows as well."""
        seen = {change.place for change in other.changes}
        return self.model_copy(update={"changes": tuple(c for c in self.changes if c.place in seen)})

    def told(self) -> dict[str, Any]:
        """`integrity` of the verdict."""
        return {
            "changes": [change.model_dump() for change in self.changes[:_NAMED]],
            "n_changes": len(self.changes),
            "notes": [note.model_dump() for note in self.notes[:_NAMED]],
            "silent_sessions": self.silent,
        }


def compare(bases: Sequence[Side], before: Side, candidate: Side) -> IntegrityEvidence:
    """Hold what the candidate changes against what base changes.

    A test that fails may leave things as they should not be. What is seen at the end therefore counts only where the
    worker says that every test passes that passes at base; what is seen before any test has run counts always.

    Args:
        bases: base's runs that looked.
        before: base's outcomes.
        candidate: its run that looked.
    """
    looks = list(_looks([candidate]))
    known = list(_looks(bases))
    places = {place for look in known for place, _ in look.changes}
    notes = {note for look in known for note in look.notes}
    clean = set(before.passed) <= set(candidate.passed)
    found: dict[str, Changed] = {}
    noted: dict[tuple[str, str], Changed] = {}
    for look in sorted(looks, key=lambda look: look.when):
        for place, became in look.changes if clean or look.when == "collected" else ():
            if place not in places:
                found.setdefault(place, Changed(place=place, became=became, when=look.when))
        for place, became in look.notes:
            if (place, became) not in notes:
                noted.setdefault((place, became), Changed(place=place, became=became, when=look.when))
    ended = [session for session in candidate.sessions if session.fault is None]
    silent = sum(len(session.integrity) < _LOOKS for session in ended)
    return IntegrityEvidence(
        changes=tuple(found.values()),
        notes=tuple(noted.values()),
        silent=silent,
        loaded=_loaded(looks),
        base_loaded=_loaded(known),
    )


def _loaded(looks: Iterable[Integrity]) -> dict[str, tuple[str, ...]]:
    found: dict[str, set[str]] = {}
    for name, file in (pair for look in looks for pair in look.loaded):
        found.setdefault(name, set()).add(file)
    return {name: tuple(sorted(files)) for name, files in found.items()}


def _looks(sides: Iterable[Side]) -> Iterator[Integrity]:
    for side in sides:
        for session in side.sessions:
            yield from session.integrity
