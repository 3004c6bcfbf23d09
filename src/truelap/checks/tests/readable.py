"""What pytest says of a rewritten test, as if it had run as base wrote it. Pure."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from truelap.checks.tests.sides import Side

_OPEN, _CLOSE = "([{", ")]}"
_SAME = re.compile(r"where (?P<what>.+) = (?P=what)$")


def written_by_base(side: Side, name: str, lines: Mapping[str, str]) -> Side:
    """The same run, with messages that hold base's own lines. Whatever cannot be read stays as it came.

    Args:
        side: a run of rewritten tests.
        name: of the recorder; nothing is changed where it is "".
        lines: base's line for each rewritten one, both without their indentation.
    """
    if not name:
        return side
    sessions = tuple(
        session.model_copy(
            update={
                "nodes": {
                    test: node.model_copy(update={"message": as_written(node.message, name, lines)})
                    if name in node.message
                    else node
                    for test, node in session.nodes.items()
                }
            }
        )
        for session in side.sessions
    )
    return side.model_copy(update={"sessions": sessions})


def changed_lines(before: bytes, after: bytes) -> dict[str, str]:
    """Lines that rewriting changed, and what stood there: lines keep their numbers."""
    pairs = zip(_lines(before), _lines(after), strict=False)
    return {new: old for old, new in pairs if old != new}


def as_written(message: str, name: str, lines: Mapping[str, str]) -> str:
    """One message without the recorder."""
    made = (_line(line, name, lines) for line in message.split("\n"))
    return "\n".join(line for line in made if line is not None)


def _lines(source: bytes) -> list[str]:
    return [line.strip() for line in source.decode("utf-8", "replace").split("\n")]


def _line(line: str, name: str, lines: Mapping[str, str]) -> str | None:
    """None for a line that told of the recorder alone."""
    if name not in line:
        return line
    for lead in ("", ">", "E"):
        rest = line.removeprefix(lead).strip()
        if line.startswith(lead) and rest in lines:
            return line[: len(line.rstrip()) - len(rest)] + lines[rest]
    plain = _unwrapped(line, name)
    return None if _SAME.search(plain) else plain


def _unwrapped(text: str, name: str) -> str:
    """Every call of the recorder, replaced by its last argument."""
    start = text.rfind(name)
    while start >= 0:
        parts = _arguments(text, text.find("(", start))
        if parts is None:
            break
        last, end = parts
        text = text[:start] + last + text[end:]
        start = text.rfind(name, 0, start)
    return text


def _arguments(text: str, start: int) -> tuple[str, int] | None:
    """The last argument of a call whose parenthesis opens at `start`, without its own parentheses, and where the call ends."""
    depth, comma = 0, start + 1
    for at in range(start, len(text)) if start >= 0 else ():
        depth += (text[at] in _OPEN) - (text[at] in _CLOSE)
        if text[at] == "," and depth == 1:
            comma = at + 1
        if depth == 0:
            last = text[comma:at].strip()
            return (last[1:-1] if last.startswith("(") and last.endswith(")") else last), at + 1
    return None
