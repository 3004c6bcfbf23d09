"""Which paths of base are tests and measurement setup, by patterns: the policy's, base's own, and what base's links make of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from truelap.links import escaped
from truelap.policy.patterns import matches

if TYPE_CHECKING:
    from collections.abc import Collection

    from truelap.links import Leads
    from truelap.model import Base
    from truelap.policy.model import Policy


def measuring(base: Base, policy: Policy) -> tuple[str, ...]:
    """Patterns of all tests and measurement setup; the switches of single kinds do not count."""
    named = (*policy.protected.patterns, *policy.test_code.patterns, *base.protected_paths, *base.test_code)
    return (*followed(base, policy, named), *base.helpers)


def measurement_setup(base: Base, policy: Policy) -> tuple[str, ...]:
    """Patterns of what is put back because it decides what is measured: the policy's, and what base's own suite resolves to."""
    own = base.protected_paths if policy.keeps("suite") else ()
    return followed(base, policy, (*policy.protected.patterns, *own) if policy.keeps("protected") else own)


def followed(base: Base, policy: Policy, patterns: tuple[str, ...]) -> tuple[str, ...]:
    """Patterns, and what base's own links that they match lead to."""
    return with_targets(patterns, base.links) if policy.keeps("links") else patterns


def with_targets(patterns: tuple[str, ...], links: Collection[Leads]) -> tuple[str, ...]:
    """Patterns, the links that they match, and what these lead to: next links, a file, or a folder and all that lies below it.

    Args:
        patterns: regular expressions over paths.
        links: each link, and what it leads to.
    """
    found: tuple[str, ...] = patterns
    waiting = list(links)
    while more := [one for one in waiting if matches(found, one[0]) or matches(found, one[0] + b"/")]:
        waiting = [one for one in waiting if one not in more]
        # A link that stands for a folder is matched as that, and is theirs itself.
        targets = dict.fromkeys(path for link, leads in more for path in (link, *leads))
        found = (*found, *(f"^{escaped(target)}(/|$)" for target in targets))
    return found
