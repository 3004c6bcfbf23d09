"""A policy's patterns for a verifier's script in bash."""

from __future__ import annotations

import re
import shlex
from typing import TYPE_CHECKING

from truelap.errors import UsageError

if TYPE_CHECKING:
    from truelap.policy import Policy

_ATOM = r"[^\x00-\x1f\x7f-\U0010ffff\\\[\](){}*+?|^$]|\\[.^$*+?()\[\]{}|\\]|\[\^?[^\x00-\x1f\x7f-\U0010ffff\\\[\]]+\]|\)"
_COUNT = r"(?:[*+?]|\{\d+(?:,\d*)?\})?(?![*+?{])"
_COMMON = re.compile(rf"(?:(?:{_ATOM}){_COUNT}|[(|^$])+")
"""Patterns that mean the same to Python and to `grep -E`: no `(?...)`, no lazy counts, no escapes but those of signs."""


def as_shell(policy: Policy) -> str:
    """The patterns as shell assignments, for `eval` in a verifier's script (arrays of bash).

    Each array holds extended regular expressions as `grep -E` reads them.

    Raises:
        UsageError: a pattern may mean something else to `grep -E` than to Python.
    """

    def array(name: str, key: str, patterns: tuple[str, ...]) -> str:
        for pattern in patterns:
            if not _COMMON.fullmatch(pattern):
                raise UsageError(
                    f"policy {policy.name}: {key}: grep -E does not read {pattern!r} as Python does;"
                    " write it without that syntax, or take --as json and Python"
                )
        return f"{name}=({' '.join(shlex.quote(p) for p in patterns)})"

    tests = policy.test_code
    return "\n".join(
        (
            array("TRUELAP_PROTECTED_PATTERNS", "protected.patterns", policy.protected.patterns),
            array("TRUELAP_TEST_PATTERNS", "test_code.patterns", tests.patterns),
            array("TRUELAP_CONFIG_PATTERNS", "test_code.config_patterns", tests.config_patterns),
            f"TRUELAP_POLICY_DIGEST={shlex.quote(policy.digest)}",
        )
    )
