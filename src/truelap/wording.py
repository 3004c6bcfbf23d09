"""How numbers are said. Pure."""

from __future__ import annotations


def counted(count: int, what: str) -> str:
    """A number and its noun.

    >>> counted(1, "test"), counted(2, "test")
    ('1 test', '2 tests')
    """
    return f"{count} {what}" if count == 1 else f"{count} {what}s"
