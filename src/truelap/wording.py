"""How numbers are said, and how long lines are broken. Pure."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_NAMED = 5
_KILO = 1000


def counted(count: int, what: str) -> str:
    """A number and its noun.

    >>> counted(1, "test"), counted(2, "test")
    ('1 test', '2 tests')
    """
    return f"{count} {what}" if count == 1 else f"{count} {what}s"


def measured_bytes(size: int) -> str:
    """A size in bytes, as people read it.

    >>> measured_bytes(164), measured_bytes(1640), measured_bytes(2_500_000), measured_bytes(999_999)
    ('164 B', '1.6 kB', '2.5 MB', '1.0 MB')
    """
    for power, unit in enumerate(("B", "kB", "MB")):
        if round(size / _KILO**power, 1) < _KILO:
            return f"{size / _KILO**power:.{min(power, 1)}f} {unit}"
    return f"{size / _KILO**3:.1f} GB"


def ago(seconds: float) -> str:
    """How long ago, in the largest unit that has passed once.

    >>> ago(-1), ago(200), ago(3700), ago(200_000)
    ('just now', '3 min ago', '1 h ago', '2 days ago')
    """
    for unit, length in (("day", 86400), ("h", 3600), ("min", 60)):
        if (whole := int(seconds // length)) > 0:
            return f"{counted(whole, unit) if unit == 'day' else f'{whole} {unit}'} ago"
    return "just now"


def wrapped(text: str, width: int, start: str = "", beneath: str | None = None) -> list[str]:
    """The text behind its start; what does not fit goes on below itself, or below `beneath`. Names and ids stay whole.

    >>> wrapped("one two three", 10, "  a ")
    ['  a one', '    two', '    three']
    """
    return textwrap.wrap(
        text,
        width,
        initial_indent=start,
        subsequent_indent=" " * len(start) if beneath is None else beneath,
        break_long_words=False,
        break_on_hyphens=False,
    )


def grouped(told: Iterable[tuple[str, str]]) -> Iterator[str]:
    """Names and what is to say of each: those of which the same is to be said together.

    >>> list(grouped([("a", "gone"), ("b", "slow"), ("c", "gone")]))
    ['2 benchmarks (a, c): gone', 'b: slow']
    """
    by_reason: dict[str, list[str]] = {}
    for name, reason in told:
        by_reason.setdefault(reason, []).append(name)
    for reason, names in by_reason.items():
        hidden = len(names) - _NAMED
        some = ", ".join(names[:_NAMED]) + (f" and {hidden} more" if hidden > 0 else "")
        yield f"{some if len(names) == 1 else f'{len(names)} benchmarks ({some})'}: {reason}"
