"""What collect leaves on record."""

from __future__ import annotations

from typing import Any, ClassVar

from pydantic import Field

from truelap.model import Evidence, shown

_MOST = 100_000
"""So many paths of one kind are listed; more are counted."""


class Collected(Evidence):
    """The submission's whole difference from base, edits that are discarded later included."""

    section: ClassVar[str] = ""
    diff: bytes
    """For people: every line is shown, of binary files too."""
    applied: bool
    files: int
    added_lines: int
    removed_lines: int
    set_aside: dict[str, tuple[bytes, ...]] = Field(default_factory=dict)
    """Paths of a working tree that are no part of the submission, by the reason: the findings name only some."""

    def artifacts(self) -> dict[str, Any]:
        """The diff and its size, and what was set aside."""
        counts = self.model_dump(include={"applied", "files", "added_lines", "removed_lines"})
        told = {"patch.diff": self.diff, "patch_info.json": counts}
        return told | ({"set_aside.json": self._told()} if self.set_aside else {})

    def _told(self) -> dict[str, Any]:
        return {
            reason: {"n": len(paths), "paths": [shown(path) for path in paths[:_MOST]]}
            for reason, paths in self.set_aside.items()
        }
