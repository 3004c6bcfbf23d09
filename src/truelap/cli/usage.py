"""What the parser of the command line has against it, in one line of ours."""

from __future__ import annotations

import re
from typing import Any

_BOXES = (
    (re.compile(r"Value error, "), ""),
    (re.compile(r"Input should be greater than or equal to (\S+)"), r"give \1 or more"),
    (re.compile(r"^Invalid value for '([^']+)':"), r"\1:"),
    (
        re.compile(r"(--most: )Input should be a valid integer.*"),
        r"\1give a whole number of bytes: 1000000000 is 1 GB",
    ),
    (re.compile(r"Input should be a valid integer.*"), "give a whole number"),
    (re.compile(r"^No such (option|command):? '?([^'\s.]+)'?\.?"), r"there is no \1 \2"),
)
"""Wordings of the parser's versions, and ours."""


def is_usage(error: Exception) -> bool:
    """Whether the parser raised it. Its classes have moved between versions; what they can do has not."""
    return hasattr(error, "format_message") and hasattr(error, "exit_code")


def is_help(error: Exception) -> bool:
    """Whether it is no complaint but the help page, for a command line that names no command."""
    return said(error).startswith("Usage:")


def said(error: Any) -> str:
    """What it says, as the parser has it."""
    return str(error.format_message())


def in_a_line(error: Any) -> str:
    """Command, what is wrong, and where the help is."""
    text = said(error).strip()
    for pattern, ours in _BOXES:
        text = pattern.sub(ours, text)
    context = getattr(error, "ctx", None)
    path = context.command_path if context is not None else "truelap"
    command = path.removeprefix("truelap").strip()
    text = text.replace(" Did you mean", ". Did you mean") if text.startswith("there is no") else text
    text = text.rstrip(".")
    text = text if text.startswith("-") else text[:1].lower() + text[1:]
    return (
        f"{command}{': ' if command else ''}{text}{' See' if text.endswith('?') else '; see'} `{path} --help`"
    )
