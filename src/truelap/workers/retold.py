"""Base's suite with its benchmarks rewritten, for workers of both sides."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from truelap.policy import matches
from truelap.scripts import unclocked
from truelap.workers.rewriting import rewritten
from truelap.world.tree_links import real_files

if TYPE_CHECKING:
    from truelap.workers.venue import Venue
    from truelap.world.files import TreeOnDisk


def retold(venue: Venue, base: TreeOnDisk, *, values: bool) -> tuple[dict[bytes, bytes], tuple[str, ...]]:
    """The files that are rewritten, and the names of those that hold benchmarks and cannot be.

    Args:
        venue: has the suite, what is changed in it already, and the recorder's name.
        base: the tree.
        values: see `rewritten`.
    """
    sources = dict(venue.sources)
    unchanged = []
    for path, real in sorted(real_files(base).items()):
        # A suite may have a link to the very code that is measured.
        if not venue.holds(path) or (real != path and not matches(venue.guarded, real)):
            continue
        source = venue.sources.get(real) or (base.root / os.fsdecode(real)).read_bytes()
        changed = rewritten(source, venue.name, values=values, style=venue.style)
        if changed is not None:
            sources[real] = changed
        elif venue.style == "scripts" or (venue.style == "asv" and re.search(rb"def +time_", source)):
            unchanged.append(path.decode("utf-8", "replace"))
    return sources, tuple(unchanged)


def unclocked_scripts(venue: Venue, base: TreeOnDisk) -> dict[bytes, bytes]:
    """The scripts that would measure themselves, without that."""
    found: dict[bytes, bytes] = {}
    for path, real in real_files(base).items():
        if venue.style == "scripts" and venue.holds(path) and (real == path or matches(venue.guarded, real)):
            changed = unclocked((base.root / os.fsdecode(real)).read_bytes())
            found |= {} if changed is None else {real: changed}
    return found
