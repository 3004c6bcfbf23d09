"""Files that Git LFS keeps elsewhere: a tree holds a pointer, a checkout may hold the content that it names."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from truelap.world.disk import Item

LONGEST_POINTER = 1024
"""Bytes; git-lfs itself reads no further."""

_POINTER = re.compile(
    rb"version https://git-lfs\.github\.com/spec/v1\n(?:ext-[^\n]*\n)*oid sha256:([0-9a-f]{64})\nsize ([0-9]{1,18})\n"
)


class Pointer(NamedTuple):
    """The content that a pointer names, and its size in bytes."""

    sha256: str
    size: int

    def names(self, item: Item) -> bool:
        """Whether a file of a working tree is that very content."""
        return item.size == self.size and item.sha256() == self.sha256


def pointer(content: bytes) -> Pointer | None:
    """What a file of a tree points to; None for one that is no pointer."""
    found = _POINTER.fullmatch(content)
    return Pointer(found[1].decode(), int(found[2])) if found else None
