"""What objects hold for themselves: a patch may rename it, leave it out, or hold it otherwise."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from truelap.values.compare import compare
from truelap.values.difference import Difference, Tolerance


def public(value: Any) -> Any:
    """An encoding without the private attributes of objects."""
    if not isinstance(value, list):
        return value
    parts = [public(part) for part in value]
    if value[:1] == ["o"] and len(parts) > 2 and isinstance(parts[2], list):  # noqa: PLR2004 - see probes/encode.py
        parts[2] = [
            pair for pair in parts[2] if not (isinstance(pair, list) and str(pair[:1]).startswith("['_"))
        ]
    return parts


def compare_public(base: Any, candidate: Any, *, tolerance: Tolerance | None = None) -> Difference | None:
    """The same as `compare`, but a difference that is gone without private attributes is one of kind `private`.

    >>> compare_public(["o", "m:C", [["_n", 3]], None], ["o", "m:C", [["_m", 3]], None]).kind
    'private'
    """
    used = tolerance or Tolerance()
    found = compare(base, candidate, tolerance=used)
    if found is None or found.kind == "not_comparable":
        return found
    shown = compare(base, candidate, tolerance=replace(used, private=False))
    return replace(found, kind="private") if shown is None or shown.kind == "not_comparable" else shown
