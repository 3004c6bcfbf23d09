"""How much of a suite is judged by values at all."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from truelap.checks.tests.attest_known import UNRELIABLE, Place, Truth, tells, untold
from truelap.values import canonical

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True)
class Shares:
    """How much of a suite is judged by values.

    Attributes:
        tests: that passed at base.
        with_values: of these, tests with at least one telling, reproducible value, and no assertion that is `untold`.
        with_secret: of these, tests whose values changed when the judge changed the literals.
        sites: assertions that were reached.
        sites_with_values: of these, assertions with a telling, reproducible value.
        silent: ids of tests without.
        untold: of these, tests with an assertion of a value that could not be told: what others compare does not speak for it.
    """

    tests: int
    with_values: int
    with_secret: int
    sites: int
    sites_with_values: int
    silent: tuple[str, ...]
    untold: tuple[str, ...] = ()


def shares(truths: Mapping[str, Truth], perturbed: Mapping[str, Truth]) -> Shares:
    """Count what base's values cover.

    Args:
        truths: by id, for all tests that passed at base.
        perturbed: by id, of the same tests with changed literals.
    """
    untold_sites = {test: _untold_sites(truth) for test, truth in truths.items()}
    sites = {test: _telling_sites(truth) - untold_sites[test] for test, truth in truths.items()}
    telling = {test: found if not untold_sites[test] else set() for test, found in sites.items()}
    functions = {test.partition("[")[0] for test in perturbed}
    secret = [test for test in truths if _changed(test, truths, perturbed, functions)]
    reached = {place[0] for truth in truths.values() for place in truth}
    return Shares(
        tests=len(truths),
        with_values=sum(map(bool, telling.values())),
        with_secret=sum(1 for test in secret if telling[test]),
        sites=len(reached),
        sites_with_values=len(set().union(*sites.values())),
        silent=tuple(test for test, found in telling.items() if not found),
        untold=tuple(test for test, found in untold_sites.items() if found),
    )


def _changed(
    test: str, truths: Mapping[str, Truth], perturbed: Mapping[str, Truth], functions: set[str]
) -> bool:
    if test in perturbed:
        return _told(truths[test]) != _told(perturbed[test])
    # Its parameters were changed, and with them its id.
    return "[" in test and test.partition("[")[0] in functions


def _telling_sites(truth: Truth) -> set[int]:
    stable = ((place[0], known) for place, known in truth.items() if known.stability not in UNRELIABLE)
    return {site for site, known in stable if any(map(tells, known.values))}


def _untold_sites(truth: Truth) -> set[int]:
    blind = {place[0] for place, known in truth.items() if any(map(_is_blind, known.values))}
    # An iterator is told by what is taken from it: it counts where nothing else of its assertion is.
    return blind | {
        place[0] for place, known in truth.items() if any(map(untold, known.values))
    } - _telling_sites(truth)


def _is_blind(value: Any) -> bool:
    return untold(value) and not str(value[1]).startswith("an iterator")


def _told(truth: Truth) -> dict[Place, str]:
    stable = ((place, known) for place, known in truth.items() if known.stability not in UNRELIABLE)
    return {place: canonical(list(known.values)) for place, known in stable if any(map(tells, known.values))}
