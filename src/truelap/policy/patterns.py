"""Patterns of paths: what a policy file may hold, and how they are searched."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator


def _compiles(pattern: str) -> str:
    try:
        re.compile(pattern)
    except re.error as error:
        raise ValueError(f"is no regular expression ({error})") from error
    return pattern


def as_tuple(value: Any) -> Any:
    """A list of TOML as the tuple that a frozen value holds."""
    return tuple(value) if isinstance(value, list) else value


Patterns = Annotated[tuple[Annotated[str, AfterValidator(_compiles)], ...], BeforeValidator(as_tuple)]
Names = Annotated[tuple[str, ...], BeforeValidator(as_tuple)]


@lru_cache(maxsize=64)
def _joined(patterns: tuple[str, ...]) -> re.Pattern[bytes]:
    # Bytes, and DOTALL-free on purpose: `$` must not match before a trailing newline of a hostile name,
    # so every `$` is read as `\Z`.
    strict = (re.sub(r"(?<!\\)\$", r"\\Z", p) for p in patterns)
    return re.compile("|".join(f"(?:{p})" for p in strict).encode() or b"(?!)")


def matches(patterns: tuple[str, ...], path: bytes) -> bool:
    r"""Whether any of the regular expressions is found in a `/`-separated path of bytes.

    >>> matches((r"(^|/)noxfile\.py$",), b"a/noxfile.py"), matches((r"(^|/)noxfile\.py$",), b"noxfile.py\n")
    (True, False)
    """
    return _joined(patterns).search(path) is not None
