"""How numbers are said. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_NAMED = 5


def counted(count: int, what: str) -> str:
    """A number and its noun.

    >>> counted(1, "test"), counted(2, "test")
    ('1 test', '2 tests')
    """
    return f"{count} {what}" if count == 1 else f"{count} {what}s"


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
