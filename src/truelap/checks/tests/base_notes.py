"""What base's own suite leaves unasked: files that cannot be collected, and tests that fail. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from truelap.checks.tests.results import last_line
from truelap.model import Finding
from truelap.wording import counted

if TYPE_CHECKING:
    from collections.abc import Iterable

    from truelap.checks.tests.sides import Side

_NAMED = 5


def base_notes(base: Side) -> Iterable[Finding]:
    """A finding each: neither accuses anybody, but a reader must know what was not asked.

    Args:
        base: its run of its own tests.
    """
    if names := tuple(base.uncollected):
        reason = _reason(next(iter(base.uncollected.values())))
        text = (
            f"{counted(base.n_uncollected, 'file')} of tests cannot be collected at base,"
            f" so {'it is' if base.n_uncollected == 1 else 'they are'} not judged: {_some(names, base.n_uncollected)}"
        )
        yield Finding(code="tests:base_uncollected", level="info", message=text + (reason and f" ({reason})"))
    if ids := base.failing:
        verb = "fails at base, so it is" if len(ids) == 1 else "fail at base, so they are"
        text = f"{counted(len(ids), 'test')} {verb} not judged: {_some(ids, len(ids))}"
        yield Finding(code="tests:base_failing", level="info", message=text)


def newly_uncollected(base: Side, candidate: Side) -> str:
    """Why the first file that base collects and the candidate does not could not be, to go behind a sentence; "" for none."""
    fresh = ((n, text) for n, text in candidate.uncollected.items() if n not in {*base.uncollected, "..."})
    name, text = next(fresh, ("", ""))
    return f"; {name} cannot be collected ({_reason(text)})" if name else ""


def _reason(text: str) -> str:
    return last_line(text).removeprefix("E ").strip()


def _some(names: tuple[str, ...], count: int) -> str:
    shown = [name for name in names if name != "..."][:_NAMED]
    hidden = count - len(shown)
    return ", ".join(shown) + (f" and {hidden} more" if hidden > 0 else "")
