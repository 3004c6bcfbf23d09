"""Control characters in a path forge lines of logs and reports, move a terminal's cursor, and break listings by line.

Line separators and direction marks do the same to whoever reads the name on a screen.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from truelap.policy import matches
from truelap.rules import Ruling

if TYPE_CHECKING:
    from truelap.rules import Change, Scene

# Bytes that are not UTF-8 come as U+DC80..U+DCFF; those of the C1 range are control characters to some terminals.
_CONTROLS = re.compile(
    "[\x00-\x1f\x7f-\x9f\udc80-\udc9f\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]"
)


def judge(change: Change, scene: Scene) -> Ruling | None:
    """Refuse such a path unless base already has it, or it is protected and therefore discarded and recorded."""
    if not _CONTROLS.search(change.path.decode("utf-8", "surrogateescape")):
        return None
    if change.path in scene.base_modes or matches(scene.protected, change.path):
        return None
    return Ruling("refuse", "control characters in a path")
