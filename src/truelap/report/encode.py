"""JSON that every reader accepts, and text of a submission that no terminal obeys. Pure."""

from __future__ import annotations

import json
import math
from typing import Any


def json_bytes(value: Any) -> bytes:
    """Indented ASCII JSON; a number that is not finite becomes null."""
    return json.dumps(finite(value), indent=2, allow_nan=False).encode() + b"\n"


def finite(value: Any) -> Any:
    """The same JSON value with null for every number that JSON cannot hold.

    >>> finite({"interval": [0.5, float("inf")]})
    {'interval': [0.5, None]}
    """
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {str(key): finite(item) for key, item in value.items()}
    return [finite(item) for item in value] if isinstance(value, list | tuple) else value


def visible(text: str) -> str:
    r"""Text of a submission made safe to show: control and direction characters are spelled out.

    >>> visible("a\nb\u202ec é")
    'a\\nb\\u202ec é'
    """
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
