"""Direction marks make source read otherwise than it runs (CVE-2021-42574), to people and to models that review it."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from truelap.rules import Ruling, is_file

if TYPE_CHECKING:
    from truelap.rules import Change, Scene

_SOURCES = re.compile(
    r"\.(?:py[wix]?|px[di]|c|cc|cpp|cxx|h|hh|hpp|cu|f|f90|rs|go|js|sh|toml|cfg|ini|cmake|build)(?:\.(?:in|src|tp))?$"
    r"|^(?:makefile|cmakelists\.txt|meson\.options)$"
)
# In UTF-8: U+061C, U+200E, U+200F, U+202A..U+202E, U+2066..U+2069.
_MARKS = re.compile(rb"\xd8\x9c|\xe2\x80[\x8e\x8f\xaa-\xae]|\xe2\x81[\xa6-\xa9]")


def judge(change: Change, scene: Scene) -> Ruling | None:
    """Refuse source that holds more of any direction mark than base's file at that path."""
    content = change.content
    if not is_file(change) or not content or content.isascii():
        return None
    if not _SOURCES.search(change.folded[-1]) and not content.startswith(b"#!"):
        return None
    marks = Counter(_MARKS.findall(content))
    if marks and marks - Counter(_MARKS.findall(scene.base_content(change.path) or b"")):
        return Ruling("refuse", "direction marks in source: it reads otherwise than it runs")
    return None
