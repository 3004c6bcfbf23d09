"""How much of a suite is judged by values at all."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from truelap.checks.tests.attest_known import UNRELIABLE, Place, Truth, tells
from truelap.values import canonical

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True)
class Shares:
    """How much of a suite is judged by values.

    Attributes:
        tests: that passed at base.
        with_values: of these, tests with at least one telling, reproducible value.
        with_secret: of these, tests whose values changed when the judge changed the literals.
        sites: assertions that were reached.
        sites_with_values: of these, assertions with a telling, reproducible value.
        silent: ids of tests without.
    """

    tests: int
    with_values: int
    with_secret: int
    sites: int
    sites_with_values: int
    silent: tuple[str, ...]


def shares(truths: Mapping[str, Truth], perturbed: Mapping[str, Truth]) -> Shares:
    """Count what base's values cover.

    Args:
        truths: by id, for all tests that passed at base.
        perturbed: by id, of the same tests with changed literals.
    """
    telling = {test: _telling_sites(truth) for test, truth in truths.items()}
    functions = {test.partition("[")[0] for test in perturbed}
    secret = [test for test in truths if _changed(test, truths, perturbed, functions)]
    reached = {place[0] for truth in truths.values() for place in truth}
    return Shares(
        tests=len(truths),
        with_values=sum(map(bool, telling.values())),
        with_secret=sum(1 for test in secret if telling[test]),
        sites=len(reached),
        sites_with_values=len(set().union(*telling.values())),
        silent=tuple(test for test, sites in telling.items() if not sites),
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


def _told(truth: Truth) -> dict[Place, str]:
    stable = ((place, known) for place, known in truth.items() if known.stability not in UNRELIABLE)
    return {place: canonical(list(known.values)) for place, known in stable if any(map(tells, known.values))}
