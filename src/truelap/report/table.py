"""The benchmarks that verdict.json names, a line each: outcome, both times, their ratio, and the name last. Pure."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Any

from truelap.report.encode import visible
from truelap.wording import counted

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_UNITS = ((1.0, "s"), (1e-3, "ms"), (1e-6, "us"), (1e-9, "ns"))
_COUNTS = ("n_faster", "n_slower", "n_same", "n_missing", "n_invalid")
_CHANGES = ("higher", "lower", "changed")
_KIND = re.compile(r"not timed: benchmarks of kind (\w+)")
_LEAST_PARAMS = len(" (1...)")
_LEAST_ID = 20
"""With less room than that, what comes after the name is cut instead."""
_BELOW = " " * 12
_HEAD = f"  {'':<8}{'base':>9}{'candidate':>11}{'speed-up':>10}  benchmark"


def benchmark_lines(timing: Mapping[str, Any], width: int | None) -> Iterator[str]:
    """The table, and how many benchmarks it leaves out.

    Args:
        timing: of verdict.json. It may come from a folder that others wrote: nothing in it is taken for granted.
        width: columns; None where nothing need be cut.
    """
    rows = _rows(timing, "benchmarks")
    if not rows:
        return
    yield _HEAD
    kinds = [match and match[1] for match in (_KIND.match(str(row.get("reason"))) for row in rows)]
    for row, kind in zip(rows, kinds, strict=True):
        if kind is None:
            yield from _lines(row, width)
    if untimed := [visible(kind) for kind in kinds if kind]:
        of = ", ".join(dict.fromkeys(untimed))
        yield _ended(
            f"  untimed   {counted(len(untimed), 'benchmark')} of kind {of}: not measured yet", width
        )
    every = sum(count for key in _COUNTS if isinstance(count := timing.get(key), int))
    others = sum(row.get("decision") in {"missing", "invalid"} for row in _rows(timing, "values"))
    if (hidden := every - len(rows) - others) > 0:
        yield f"  and {hidden} more in timing.json"


def value_lines(timing: Mapping[str, Any], width: int | None) -> Iterator[str]:
    """What benchmarks say that is no time, where both sides do not say the same.

    Args:
        timing: of verdict.json, as for `benchmark_lines`.
        width: columns.
    """
    for row in _rows(timing, "values"):
        decision = visible(str(row.get("decision")))
        if decision in _CHANGES:
            told = f"{_number(row.get('base'))} became {_number(row.get('candidate'))}"
            unit = visible(str(row.get("unit") or ""))
            yield _ended(f"  {decision:<8}  {_name(row)}: {told} {unit}".rstrip(), width)
        elif decision == "missing":
            yield _ended(f"  {decision:<8}  {_name(row)}: {visible(str(row.get('reason')))}", width)


def number_counts(timing: Mapping[str, Any]) -> str:
    """How many benchmarks say a number that is no time (`mem_`, `track_`), and what became of it; "" for none.

    Args:
        timing: of verdict.json, as for `benchmark_lines`. Those that are missing or cannot be asked are among its other counts.
    """
    every = timing.get("n_values")
    if not isinstance(every, int) or every <= 0:
        return ""
    told = [row.get("decision") for row in _rows(timing, "values")]
    counts = {change: told.count(change) for change in _CHANGES if change in told}
    same = every - sum(counts.values())
    shown = [f"{count} {change}" for change, count in (*counts.items(), ("same", same)) if count > 0]
    return f"{', '.join(shown)} (memory and other values that are no times)"


def _rows(timing: Mapping[str, Any], key: str) -> list[dict[str, Any]]:
    listed = timing.get(key)
    return [row for row in listed if isinstance(row, dict)] if isinstance(listed, list | tuple) else []


def _number(values: Any) -> str:
    """The middle one of several numbers.

    >>> _number([3.0, 1.0, 2.0]), _number([]), _number("x")
    ('2', '-', '-')
    """
    known = sorted(filter(_is_number, values)) if isinstance(values, list | tuple) else []
    return f"{known[len(known) // 2]:.6g}" if known else "-"


def shown_seconds(value: Any) -> str:
    """A time with three digits and its unit.

    >>> shown_seconds(0.0012345), shown_seconds(75.2), shown_seconds(None)
    ('1.23 ms', '75.2 s', '-')
    """
    if not _is_number(value) or value < 0:
        return "-"
    factor, unit = next((pair for pair in _UNITS if value >= pair[0]), _UNITS[-1])
    scaled = float(f"{value / factor:.3g}")
    digits = 2 if scaled < 10 else 1 if scaled < 100 else 0  # noqa: PLR2004 - three digits
    return f"{scaled:.{digits}f} {unit}"


def _lines(row: Mapping[str, Any], width: int | None) -> Iterator[str]:
    """The row; a name that does not fit behind the numbers stands below them."""
    decision = "untimed" if row.get("decision") == "invalid" else visible(str(row.get("decision")))[:7]
    start = f"  {decision:<8}"
    speed = row.get("speedup")
    if not _is_number(speed):
        reason = f": {visible(str(row['reason'])).removeprefix('not timed: ')}" if row.get("reason") else ""
        yield _ended(f"{start}  {_name(row, width and width - len(start) - 2 - len(reason))}{reason}", width)
        return
    times = f"{shown_seconds(row.get('base_s')):>9}{shown_seconds(row.get('candidate_s')):>11}"
    start += f"{times}{f'x{speed:.2f}':>10}  "
    room = width and width - len(start)
    if room is None or len(visible(str(row.get("id")))) <= room:
        yield start + _name(row, room)
    else:
        yield start.rstrip()
        yield _BELOW + _name(row, width and width - len(_BELOW))


def _name(row: Mapping[str, Any], room: int | None = None) -> str:
    """Id and parameters. Where there is no room, parameters go first, then the id's beginning: its end has class and method."""
    known, params = visible(str(row.get("id"))), row.get("params")
    shown = f" ({', '.join(map(str, params))})" if isinstance(params, list | tuple) and params else ""
    whole = known + visible(shown)
    if room is None or len(whole) <= room:
        return whole
    left = room - len(known)
    if left >= _LEAST_PARAMS:
        return f"{whole[: room - 4]}...)"
    return known if left >= 0 or room < _LEAST_ID else f"...{known[3 - room :]}"


def _ended(text: str, room: int | None) -> str:
    return text if room is None or len(text) <= room else f"{text[: room - 3]}..."


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
