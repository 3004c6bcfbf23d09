"""What pytest says of a rewritten test, as if it had run as base wrote it. Pure."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from truelap.world.sandbox import PROBES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from truelap.checks.tests.results import Node
    from truelap.checks.tests.sides import Side

_OPEN, _CLOSE = "([{", ")]}"
_PROBES = str(PROBES)
_FRAME = re.compile(rf'(\s*File ")?{re.escape(_PROBES)}/')
"""The head of a frame of a probe, as Python shows it, or pytest."""
_OURS = "<the judge's>"
"""What is left of the recorder's name where no more can be made of the text."""
_SAME = re.compile(r"where (?P<what>.+) = (?P=what)$")


def written_by_base(side: Side, name: str, lines: Mapping[str, str]) -> Side:
    """The same run, with messages that hold base's own lines. Whatever cannot be read stays as it came, but for the name.

    Args:
        side: a run of rewritten tests.
        name: of the recorder; nothing is changed where it is "".
        lines: base's line for each rewritten one, both without their indentation.
    """
    if not name:
        return side

    def plain(text: str) -> str:
        return as_written(text, name, lines)

    sessions = tuple(
        session.model_copy(
            update={
                "nodes": {test: _reread(node, plain) for test, node in session.nodes.items()},
                "uncollected": {place: plain(text) for place, text in session.uncollected.items()},
                "fault": session.fault
                and session.fault.model_copy(update={"detail": plain(session.fault.detail)}),
            }
        )
        for session in side.sessions
    )
    return side.model_copy(update={"sessions": sessions})


def _reread(node: Node, plain: Callable[[str], str]) -> Node:
    message = plain(node.message)
    return node if message == node.message else node.model_copy(update={"message": message})


def changed_lines(before: bytes, after: bytes) -> dict[str, str]:
    """Lines that rewriting changed, and what stood there: lines keep their numbers."""
    pairs = zip(_lines(before), _lines(after), strict=False)
    return {new: old for old, new in pairs if old != new}


def as_written(text: str, name: str, lines: Mapping[str, str]) -> str:
    """A text without the recorder, and without the judge's own frames in a traceback."""
    if name not in text and _PROBES not in text:
        return text
    made = (_line(line, name, lines) for line in _without_frames(text.split("\n")))
    return "\n".join(line for line in made if line is not None).replace(name, _OURS)


def _without_frames(lines: Iterable[str]) -> Iterator[str]:
    """What a frame shows stands below its head, and deeper."""
    depth = None
    for line in lines:
        indent = len(line) - len(line.lstrip())
        if _FRAME.match(line):
            depth = indent
        elif depth is None or indent <= depth:
            depth = None
            yield line


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
