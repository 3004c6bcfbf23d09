"""Judges tests by the values that their assertions compared, base's against the candidate's. What a worker says of its
own success has no part in it.

- `learn`: from runs of base, which values each test produces, and which of them can be relied on
- `judge_test`: what the candidate's values of one test are worth against that
- `shares`: how much of the suite has values at all
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from truelap.checks.tests.attest_truth import same_truth
from truelap.values import Difference, Tolerance, canonical, compare

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from truelap.checks.tests.attest_sites import Site

Place = tuple[int, int]
"""Id of a site, and slot of an operand."""
Values = dict[Place, list[Any]]
"""What one test sent: for each place its values, in order."""
Stability = Literal["exact", "unordered", "unstable"]
Status = Literal["agrees", "weak", "differs", "silent"]

_EVENT_PARTS = 3
_EMPTY_TAGS = ("no", "again", "up")
_NOTHING = Difference("", "missing", "a value", "nothing")
_MORE = Difference("", "extra", "nothing", "a value")


@dataclass(frozen=True)
class Known:
    """What base sends from one place of one test.

    Attributes:
        stability: `exact`: every run the same in the same order; `unordered`: the same values in any order; `unstable`: no
            two runs need to agree, so nothing can be asked of the candidate.
        values: of base's first run.
    """

    stability: Stability
    values: tuple[Any, ...]


Truth = dict[Place, Known]


@dataclass(frozen=True)
class Deviation:
    """A value of the candidate that is not base's.

    Attributes:
        site: id of the site; -1 for a message that names none.
        slot: of the operand.
        occurrence: of the place in this test, from 0.
        weak: the assertion itself comes out as at base by the judge's own comparison, or does not look at this value.
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
        telling: of these, values that are more than a truth, None or a bare type.
        unstable: places left out because base itself does not reproduce them.
        deviations: the first few.
    """

    status: Status
    compared: int
    telling: int
    unstable: int
    deviations: tuple[Deviation, ...] = ()


def read(events: Iterable[Any]) -> Values:
    """Sort the events of one test by place.

    Raises:
        ValueError: an event is not `[site, slot, value]`.
    """
    found: Values = {}
    for event in events:
        if not isinstance(event, list) or len(event) != _EVENT_PARTS:
            raise ValueError("an event that is none")
        site, slot, value = event
        if type(site) is not int or type(slot) is not int:
            raise ValueError("an event without a place")
        found.setdefault((site, slot), []).append(value)
    return found


def learn(runs: Sequence[Values], *, tolerance: Tolerance | None = None) -> Truth:
    """What base sends for one test, and how far it can be relied on.

    Args:
        runs: of the same test on base, at least two, under different hash seeds; the candidate runs under the first's.
        tolerance: of floats.
    """
    used = tolerance or Tolerance()
    places = {place for run in runs for place in run}
    return {place: _known([run.get(place, []) for run in runs], used) for place in sorted(places)}


def _known(sent: Sequence[list[Any]], tolerance: Tolerance) -> Known:
    first, others = sent[0], sent[1:]
    if any(len(other) != len(first) for other in others):
        return Known("unstable", tuple(first))
    if all(_same(one, two, tolerance) for other in others for one, two in zip(first, other, strict=True)):
        return Known("exact", tuple(first))
    texts = [Counter(map(canonical, values)) for values in sent]
    return Known("unordered" if all(text == texts[0] for text in texts) else "unstable", tuple(first))


def _same(base: Any, candidate: Any, tolerance: Tolerance) -> bool:
    found = compare(base, candidate, tolerance=tolerance)
    return found is None or found.kind == "not_comparable"


def tells(value: Any) -> bool:
    """Whether a value is evidence: more than a truth, None, a bare name, or something that cannot be compared.

    >>> tells(True), tells(["o", "m:C", [], None]), tells(0), tells(["x", "builtins:ValueError", []])
    (False, False, True, True)
    """
    if isinstance(value, list) and value:
        bare = value[0] == "o" and not value[2] and value[3] is None
        return value[0] not in _EMPTY_TAGS and not bare
    return value is not None and not isinstance(value, bool)


@dataclass
class _Tally:
    compared: int = 0
    telling: int = 0
    unstable: int = 0
    deviations: list[Deviation] = field(default_factory=list)


def judge_test(
    truth: Truth,
    candidate: Values,
    sites: Mapping[int, Site],
    *,
    tolerance: Tolerance | None = None,
    keep: int = 5,
) -> Ruling:
    """Hold the candidate's values of one test against base's.

    Args:
        truth: of `learn`.
        candidate: what the candidate sent.
        sites: of the rewritten file, by id.
        tolerance: of floats.
        keep: deviations kept at most, the strong ones first.
    """
    used, tally = tolerance or Tolerance(), _Tally()
    base = {place: list(known.values) for place, known in truth.items()}
    for place, known in truth.items():
        if known.stability == "unstable":
            tally.unstable += 1
            continue
        values = candidate.get(place, [])
        tally.compared += len(known.values)
        tally.telling += sum(map(tells, known.values))
        for occurrence, difference in _differences(known, values, used):
            site = sites.get(place[0])
            weak = site is not None and same_truth(site, place[1], occurrence, (base, candidate))
            tally.deviations.append(Deviation(*place, occurrence, weak, difference))
    extra = [Deviation(*place, 0, weak=False, difference=_MORE) for place in candidate if place not in truth]
    return _ruling(tally, extra, keep)


def _ruling(tally: _Tally, extra: list[Deviation], keep: int) -> Ruling:
    deviations = sorted(tally.deviations + extra, key=lambda deviation: deviation.weak)
    status: Status = "agrees" if tally.telling else "silent"
    if deviations:
        status = "weak" if deviations[0].weak else "differs"
    return Ruling(status, tally.compared, tally.telling, tally.unstable, tuple(deviations[:keep]))


def _differences(
    known: Known, values: Sequence[Any], tolerance: Tolerance
) -> Iterable[tuple[int, Difference]]:
    if len(values) != len(known.values):
        yield min(len(values), len(known.values)), _NOTHING if len(values) < len(known.values) else _MORE
    if known.stability == "unordered":
        yield from _unordered(known.values, values)
        return
    for occurrence, (base, candidate) in enumerate(zip(known.values, values, strict=False)):
        difference = _tail(base, candidate, tolerance) or compare(base, candidate, tolerance=tolerance)
        if difference is not None and difference.kind != "not_comparable":
            yield occurrence, difference


def _unordered(base: Sequence[Any], candidate: Sequence[Any]) -> Iterable[tuple[int, Difference]]:
    gone = Counter(map(canonical, base)) - Counter(map(canonical, candidate))
    if gone:
        yield 0, Difference("", "value", next(iter(gone))[:120], "other values, in any order")


def _tail(base: Any, candidate: Any, tolerance: Tolerance) -> Difference | None:
    """Tails are digests of many values; they are compared like one long value."""
    if not (isinstance(base, list) and base[:1] == ["tail"]):
        return None
    return None


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
    secret = [test for test in truths if test in perturbed and _told(truths[test]) != _told(perturbed[test])]
    reached = {place[0] for truth in truths.values() for place in truth}
    return Shares(
        tests=len(truths),
        with_values=sum(map(bool, telling.values())),
        with_secret=sum(1 for test in secret if telling[test]),
        sites=len(reached),
        sites_with_values=len(set().union(*telling.values())),
        silent=tuple(test for test, sites in telling.items() if not sites),
    )


def _telling_sites(truth: Truth) -> set[int]:
    stable = ((place[0], known) for place, known in truth.items() if known.stability != "unstable")
    return {site for site, known in stable if any(map(tells, known.values))}


def _told(truth: Truth) -> dict[Place, str]:
    stable = ((place, known) for place, known in truth.items() if known.stability != "unstable")
    return {place: canonical(list(known.values)) for place, known in stable if any(map(tells, known.values))}
