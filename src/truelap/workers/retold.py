"""Base's suite with its benchmarks rewritten, for workers of both sides."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from truelap.policy import matches
from truelap.workers.rewriting import rewritten
from truelap.world.tree_links import real_files

if TYPE_CHECKING:
    from truelap.workers.venue import Venue
    from truelap.world.files import TreeOnDisk


def retold(venue: Venue, base: TreeOnDisk, *, values: bool) -> tuple[dict[bytes, bytes], tuple[str, ...]]:
    """The files that are rewritten, and the names of those that hold benchmarks and cannot be.

    Args:
        venue: has the suite's folder, and the recorder's name.
        base: the tree.
        values: see `rewritten`.
    """
    sources: dict[bytes, bytes] = {}
    unchanged = []
    for path, real in sorted(real_files(base).items()):
        inside = path.startswith(f"{venue.folder}/".encode()) and path.endswith(b".py")
        # A suite may have a link to the very code that is measured.
        if not inside or (real != path and not matches(venue.guarded, real)):
            continue
        source = (base.root / os.fsdecode(real)).read_bytes()
        changed = rewritten(source, venue.name, values=values)
        if changed is not None:
            sources[real] = changed
        elif re.search(rb"def +time_", source):
            unchanged.append(path.decode("utf-8", "replace"))
    return sources, tuple(unchanged)
