"""Which public attributes base's objects show, so that the candidate's can be asked for them by name.

A patch may compute an attribute when it is asked for (a property, `functools.cached_property`, `__getattr__`) that base
computes beforehand. The encoder in the sandbox asks an object nothing of itself: properties may be dear, have effects, or never
end. So only what base's objects of the same type hold is asked for, and only where the candidate's does not hold it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

    from truelap.checks.tests.attest_known import Values

_STATE = {"o": 2, "sub": 3}
"""Where in an encoding the attributes stand; the type's name comes second."""


def attributes(tests: Iterable[Values]) -> dict[str, list[str]]:
    """Names of public attributes, by the type's name.

    Args:
        tests: what base sent.
    """
    found: dict[str, dict[str, None]] = {}
    pending: list[Any] = [value for values in tests for sent in values.values() for value in sent]
    while pending:
        value = pending.pop()
        if not isinstance(value, list) or not value:
            continue
        pending += [part for part in value if isinstance(part, list)]
        place = _STATE.get(value[0], 0) if isinstance(value[0], str) else 0
        if place and len(value) > place and isinstance(value[1], str) and isinstance(value[place], list):
            found.setdefault(value[1], {}).update(dict.fromkeys(_names(value[place])))
    return {kind: sorted(names) for kind, names in found.items() if names}


def _names(state: list[Any]) -> Iterable[str]:
    for pair in state:
        if isinstance(pair, list) and pair and isinstance(pair[0], str) and not pair[0].startswith("_"):
            yield pair[0]
