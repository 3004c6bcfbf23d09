"""Base's suite with its benchmarks rewritten, for workers of both sides."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from truelap.workers.rewriting import rewritten

if TYPE_CHECKING:
    from truelap.workers.venue import Venue
    from truelap.world.files import TreeOnDisk

_LINK = 0o120000


def retold(venue: Venue, base: TreeOnDisk, *, values: bool) -> tuple[dict[bytes, bytes], tuple[str, ...]]:
    """The files that are rewritten, and the names of those that hold benchmarks and cannot be.

    Args:
        venue: has the suite's folder, and the recorder's name.
        base: the tree.
        values: see `rewritten`.
    """
    sources: dict[bytes, bytes] = {}
    unchanged = []
    for path, (mode, _, _) in sorted(base.manifest.items()):
        if not path.startswith(f"{venue.folder}/".encode()) or not path.endswith(b".py") or mode == _LINK:
            continue
        source = (base.root / os.fsdecode(path)).read_bytes()
        changed = rewritten(source, venue.name, values=values)
        if changed is not None:
            sources[path] = changed
        elif re.search(rb"def +time_", source):
            unchanged.append(path.decode("utf-8", "replace"))
    return sources, tuple(unchanged)
