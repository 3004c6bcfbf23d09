"""What the runs of a verification touched, by the tree that their copies were made from."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path


class Traces:
    """What all sessions on one tree touched of tests and benchmarks, whichever run they belong to."""

    def __init__(self) -> None:
        self._touched: dict[Path, dict[str, None]] = {}

    def add(self, root: Path, touched: Iterable[str]) -> None:
        """Note what a run on copies of a tree touched."""
        self._touched.setdefault(root, {}).update(dict.fromkeys(touched))

    def of(self, root: Path) -> tuple[str, ...]:
        """Everything that was touched in copies of this tree, sorted: which run ends first is chance."""
        return tuple(sorted(self._touched.get(root, ())))
