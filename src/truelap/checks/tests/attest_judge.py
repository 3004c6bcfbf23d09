"""Judges tests by the values that their assertions compared; what a worker says of its own success has no part in it.

`attest_known` learns from runs of base which values each test produces, and which of them can be relied on; here is told what
the candidate's values of one test are worth against that.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

from truelap.checks.tests.attest_choice import same_choices
from truelap.checks.tests.attest_close import is_far
from truelap.checks.tests.attest_known import UNRELIABLE, tells
from truelap.checks.tests.attest_truth import holds_at_both, is_witness, same_truth
from truelap.checks.tests.doctest_output import Printed, computes_alike, meets, unwanted
from truelap.values import Difference, Tolerance, canonical, compare_public, holds, is_data, public

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from truelap.checks.tests.attest_close import Closeness
    from truelap.checks.tests.attest_known import Known, Place, Truth, Values
    from truelap.checks.tests.attest_marks import Site
    from truelap.values.difference import Kind

Status = Literal["agrees", "weak", "differs", "silent"]

_NOTHING = Difference("", "missing", "a value", "nothing")
NO_VALUE = str(_NOTHING)
"""How a deviation ends where base sends a value and the candidate none: mostly it raised something there."""
_MORE = Difference("", "extra", "nothing", "a value")
_UNWANTED = Difference("", "text", "what is wanted", "something else")


@dataclass(frozen=True)
class Deviation:
    """A value of the candidate that is not base's.

    Attributes:
        site: id of the site; -1 for a message that names none.
        slot: of the operand.
        occurrence: of the place in this test, from 0.
        weak: the assertion itself comes out as at base by the judge's own comparison, or does not look at this value, or is
            reached as often as chance will have it, or only what an object holds for itself is another.
        difference: where and how much.
    """

    site: int
    slot: int
    occurrence: int
    weak: bool
    difference: Difference


@dataclass(frozen=True)
class Ruling:
    """What the values of one test say.

    Attributes:
        status: `agrees`: all that base can reproduce is there and equal, and something of it tells; `weak`: values differ,
            but no assertion would notice; `differs`; `silent`: nothing was there to be compared.
        compared: values compared.
        telling: of these, values that are more than a truth, None or a bare type, at places that are not `private`.
        unstable: places left out because base itself does not reproduce them.
        deviations: the first few.
        private: places where values agree only without what objects hold for themselves: they are no evidence.
    """

    status: Status
    compared: int
    telling: int
    unstable: int
    deviations: tuple[Deviation, ...] = ()
    private: frozenset[Place] = frozenset()


def judge_test(
    truth: Truth,
    candidate: Values,
    sites: Mapping[int, Site],
    *,
    tolerance: Tolerance | None = None,
    perturbed: bool = False,
    keep: int = 5,
) -> Ruling:
    """Hold the candidate's values of one test against base's.

    Args:
        truth: of `attest_known.learn`.
        candidate: what the candidate sent.
        sites: of the rewritten file, by id.
        tolerance: of floats.
        perturbed: the literals were changed, so that no assertion need hold: only the values themselves count.
        keep: deviations kept at most, the strong ones first.
    """
    bench = _Bench(truth, candidate, sites, perturbed)
    stable = {place: known for place, known in truth.items() if known.stability not in UNRELIABLE}
    found = [
        Deviation(*place, occurrence, bench.weak(place, occurrence, difference), difference)
        for place, known in stable.items()
        for occurrence, difference in _differences(known, candidate.get(place, []), tolerance or Tolerance())
        if difference in (_NOTHING, _MORE) or not bench.elsewhere(place, occurrence)
    ]
    found += [
        Deviation(*place, 0, bench.weak(place, 0, _MORE), _MORE) for place in candidate if place not in truth
    ]
    found += [
        Deviation(*place, 0, False, _UNWANTED)
        for place, known in truth.items()
        if isinstance(site := sites.get(place[0]), Printed)
        and known.stability == "unstable"
        and not perturbed
        if any(map(partial(unwanted, site), known.values, candidate.get(place, [])))
    ]
    found.sort(key=lambda deviation: deviation.weak)
    private = frozenset((one.site, one.slot) for one in found if one.difference.kind == "private")
    compared = sum(len(known.values) for known in stable.values())
    telling = sum(sum(map(tells, known.values)) for place, known in stable.items() if place not in private)
    unstable = len(truth) - len(stable)
    return Ruling(_status(found, telling), compared, telling, unstable, tuple(found[:keep]), private)


def _status(deviations: Sequence[Deviation], telling: int) -> Status:
    if deviations:
        return "weak" if deviations[0].weak else "differs"
    return "agrees" if telling else "silent"


class _Bench:
    """Both sides of one test, for the question how much a deviation weighs."""

    def __init__(self, truth: Truth, candidate: Values, sites: Mapping[int, Site], perturbed: bool) -> None:
        self._sides = {place: list(known.values) for place, known in truth.items()}, candidate
        self._sites = sites
        self._perturbed = perturbed
        self._free: dict[int, bool] = {}
        base, other = (sum(map(len, side.values())) for side in self._sides)
        uncounted = any(known.stability == "uncounted" for known in truth.values())
        # Where base itself does not reach its assertions equally often, the candidate need not either.
        self.chance = uncounted and other * 2 >= base

    def weak(self, place: Place, occurrence: int, difference: Difference) -> bool:
        site = self._sites.get(place[0])
        if difference.kind == "private":
            return True
        return self._is_free(site) or self._is_weak(site, place, occurrence, difference)

    def _is_weak(self, site: Site | None, place: Place, occurrence: int, difference: Difference) -> bool:
        if difference in (_NOTHING, _MORE):
            return self.chance or (site is not None and site.back)
        if site is None:
            return False
        if site.close is not None and is_witness(site, place[1]):
            return self._both(place, occurrence, partial(_alike, site.close))
        if is_witness(site, place[1]) or (site.kind == "handed" and not self._is_data(place, occurrence)):
            return True
        if isinstance(site, Printed):
            return self._both(place, occurrence, computes_alike if self._perturbed else partial(meets, site))
        loosely = self._perturbed and site.kind != "raises" and not _asks_identity(site)
        # No assertion need hold, but 0 in place of 0.0 is a difference that no `==` would show.
        alike = self._perturbed and self._both(place, occurrence, partial(holds, "=="))
        asked = holds_at_both if loosely else same_truth
        return alike or asked(site, place[1], occurrence, self._sides)

    def _is_free(self, site: Site | None) -> bool:
        """Whether it is a part of a condition that comes out as at base; with other literals it must also hold."""
        if site is None or site.choice is None:
            return False
        if id(site.choice) not in self._free:
            same = same_choices(site.choice, self._sites, *self._sides)
            self._free[id(site.choice)] = same is not None and (all(same) or not self._perturbed)
        return self._free[id(site.choice)]

    def elsewhere(self, place: Place, occurrence: int) -> bool:
        """Whether base sends a value as well, at another time: in which order code is called back is the package's affair."""
        site = self._sites.get(place[0])
        if site is None or not site.back:
            return False
        base, candidate = (side.get(place, []) for side in self._sides)
        return canonical(candidate[occurrence]) in map(canonical, base)

    def _is_data(self, place: Place, occurrence: int) -> bool:
        """Whether base hands a helper plain data: which parts of an object the helper looks at is not known."""
        return all(map(is_data, self._sides[0][place][occurrence : occurrence + 1]))

    def _both(self, place: Place, occurrence: int, alike: Callable[[Any, Any], bool | None]) -> bool:
        base, candidate = (side.get(place, [])[occurrence:] for side in self._sides)
        return bool(base and candidate) and alike(base[0], candidate[0]) is True


def _alike(close: Closeness, base: Any, candidate: Any) -> bool:
    return not is_far(base, candidate, close)


def _asks_identity(site: Site) -> bool:
    """Whether an assertion asks of its values only whether they are one object."""
    return bool(site.operators) and set(site.operators) <= {"is", "is not"}


def _differences(
    known: Known, values: Sequence[Any], tolerance: Tolerance
) -> Iterable[tuple[int, Difference]]:
    if len(values) != len(known.values):
        yield min(len(values), len(known.values)), _NOTHING if len(values) < len(known.values) else _MORE
    if known.stability == "unordered":
        yield from _unordered(known.values, values)
        return
    for occurrence, (base, candidate) in enumerate(zip(known.values, values, strict=False)):
        difference = compare_public(base, candidate, tolerance=tolerance)
        if difference is not None and difference.kind != "not_comparable":
            yield occurrence, difference


def _unordered(base: Sequence[Any], candidate: Sequence[Any]) -> Iterable[tuple[int, Difference]]:
    gone = _gone(base, candidate)
    if gone:
        kind: Kind = "value" if _gone(map(public, base), map(public, candidate)) else "private"
        yield 0, Difference("", kind, next(iter(gone))[:120], "other values, in any order")


def _gone(base: Iterable[Any], candidate: Iterable[Any]) -> Counter[str]:
    return Counter(map(canonical, base)) - Counter(map(canonical, candidate))
