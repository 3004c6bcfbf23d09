"""What recorded values say of each test, as the verdict tells it. Pure."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

from pydantic import Field

from truelap.checks.tests.attest_judge import judge_test
from truelap.checks.tests.attest_known import UNRELIABLE, Values, learn, read
from truelap.checks.tests.attest_shares import Shares, shares
from truelap.checks.tests.results import unpacked
from truelap.checks.tests.steadiness import function_of
from truelap.model import Frozen
from truelap.values import Tolerance

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from truelap.checks.tests.attest_judge import Ruling
    from truelap.checks.tests.attest_known import Stability, Truth
    from truelap.checks.tests.attest_marks import Site
    from truelap.checks.tests.attest_plan import Sources
    from truelap.checks.tests.sides import Side

Status = Literal["agrees", "weak", "differs", "silent", "plain"]

_NAMED_SILENT = 50


class Ruled(Frozen):
    """What the values of one test say."""

    status: Status
    """As `attest_judge.Ruling`'s; "plain" for a test whose file was not rewritten."""
    compared: int = 0
    """Values that were compared."""
    why: str = ""
    """Where the candidate's values leave base's."""


class ValueEvidence(Frozen):
    """What was compared beyond the outcomes that the worker claims."""

    tests: dict[str, Ruled]
    """By id, for tests that passed at base."""
    n_with: int = 0
    """Of these, tests with at least one value that tells something and that base reproduces."""
    n_sites: int = 0
    """Assertions that were reached."""
    n_sites_with: int = 0
    """Of these, assertions with such a value."""
    silent: tuple[str, ...] = ()
    """Ids without: for these the worker's word is all there is."""
    untold: tuple[str, ...] = ()
    """Of these, ids with an assertion that compares what could not be told."""
    plain: dict[str, str] = Field(default_factory=dict)
    """Test files that ran as they are, with the reason."""

    @classmethod
    def none(cls, names: Iterable[str], plain: dict[str, str]) -> ValueEvidence:
        """No test could be rewritten."""
        tests = dict.fromkeys(names, Ruled(status="plain"))
        return cls(tests=tests, silent=tuple(tests), plain=plain)

    @property
    def differing(self) -> tuple[str, ...]:
        """Ids whose values are not base's."""
        return tuple(name for name, ruled in self.tests.items() if ruled.status == "differs")

    def told(self) -> dict[str, Any]:
        """`value_evidence` of the verdict."""
        tests = len(self.tests)
        return {
            "tests_passing": tests,
            "tests_with": self.n_with,
            "share": self.n_with / tests if tests else 0.0,
            "assertions": self.n_sites,
            "assertions_with": self.n_sites_with,
            "differing": list(self.differing),
            "weak": [name for name, ruled in self.tests.items() if ruled.status == "weak"][:_NAMED_SILENT],
            "without": list(self.silent[:_NAMED_SILENT]),
            "untold": list(self.untold[:_NAMED_SILENT]),
            "plain_files": self.plain,
        }


class SecretEvidence(Frozen):
    """What passes with the judge's secret showed."""

    tests: dict[str, Ruled] = Field(default_factory=dict)
    """By id, as it is with other literals."""
    late: tuple[str, ...] = ()
    """Ids that the candidate does not end in time, and base does: what they would have sent is not known."""
    left_out: tuple[str, ...] = ()
    """Ids that base does not end, or not soon."""
    n_asked: int = 0
    """Tests that passed at base and whose values are recorded."""
    unchanged: tuple[str, ...] = ()
    """Of these, ids whose values at base the secret does not change: to them nothing was put that the author could not know."""

    @property
    def n_changed(self) -> int:
        """Tests that passed at base, and whose values the secret changes."""
        return self.n_asked - len(self.unchanged)

    @property
    def differing(self) -> tuple[str, ...]:
        """Ids whose values are not base's, although they ended."""
        differs = (name for name, ruled in self.tests.items() if ruled.status == "differs")
        return tuple(name for name in differs if name not in self.late)

    def told(self) -> dict[str, Any]:
        """`perturbed` of the verdict."""
        return {
            "tests": len(self.tests),
            "tests_changed": self.n_changed,
            "tests_unchanged": len(self.unchanged),
            "unchanged": list(self.unchanged[:_NAMED_SILENT]),
            "differing": {name: self.tests[name].why for name in self.differing},
            "late": list(self.late),
            "left_out": list(self.left_out),
        }


class CanaryEvidence(Frozen):
    """Tests that must fail."""

    ran: int
    passed: tuple[str, ...] = ()
    """Ids that the candidate passed, although base fails them."""


class MutantEvidence(Frozen):
    """Tests of a package that the judge has changed."""

    ran: int = 0
    """Functions that were changed; none where no assertion calls one that both sides define."""
    killed: int = 0
    """Of these, functions whose tests the candidate fails."""
    survived: tuple[str, ...] = ()
    """Functions with a test that fails at base, and passes at the candidate with the same wrong values."""


def values_of(side: Side) -> dict[str, Values]:
    """Every test's values on one side, by id."""
    return {
        name: read(unpacked(parts)) for session in side.sessions for name, parts in session.values.items()
    }


def truths(runs: Sequence[Side], names: Iterable[str]) -> dict[str, Truth]:
    """What base sends, by id, learnt from several runs."""
    sent = [values_of(run) for run in runs]
    return {name: learn([one.get(name, {}) for one in sent]) for name in names}


def perturbed_truths(
    runs: Sequence[Side], names: Iterable[str], sources: Sources, changed: Sources, known: Mapping[str, Truth]
) -> dict[str, Truth]:
    """What base sends with other literals. What is unstable is also known from the tests as they are, by the same function.

    Not by other tests: a place in a helper that one of them cannot reproduce would excuse all of them.

    Args:
        runs: of base.
        names: ids that ended there.
        sources: the files as they are.
        changed: with other literals.
        known: base's values as they are.
    """
    sent = [values_of(run) for run in runs]
    same = {
        number
        for number, site in sources.sites.items()
        if number in changed.sites and _alike(site, changed.sites[number])
    }
    odd = {name: _with_assertions(sites, changed) for name, sites in _odd_sites(known, same).items()}
    return {
        name: _with_odd(learn([one.get(name, {}) for one in sent]), odd.get(function_of(name), {}))
        for name in names
    }


def _odd_sites(known: Mapping[str, Truth], same: Collection[int]) -> dict[str, dict[int, Stability]]:
    """Places that base does not reproduce, by function: parametrized tests have other ids with other literals."""
    found: dict[str, dict[int, Stability]] = {}
    for name, truth in known.items():
        odd = {
            place[0]: value.stability
            for place, value in truth.items()
            if value.stability != "exact" and place[0] in same
        }
        if odd:
            found.setdefault(function_of(name), {}).update(odd)
    return found


def _with_assertions(odd: Mapping[int, Stability], changed: Sources) -> dict[int, Stability]:
    """Whether an assertion holds is sent only with other literals: by chance, where what it compares is no better."""
    found, assertion = {**odd}, None
    for number, site in sorted(changed.sites.items()):
        if site.kind not in ("compare", "truth"):
            assertion = number if site.kind == "assert" else None
        elif assertion is not None and odd.get(number) in UNRELIABLE:
            found[assertion] = odd[number]
    return found


def _with_odd(truth: Truth, odd: Mapping[int, Stability]) -> Truth:
    return {
        place: replace(value, stability=odd[place[0]])
        if place[0] in odd and value.stability in ("exact", "unordered")
        else value
        for place, value in truth.items()
    }


def _alike(one: Site, other: Site) -> bool:
    return (one.line, one.scope, one.kind) == (other.line, other.scope, other.kind)


def weigh(
    known: Mapping[str, Truth],
    candidate: Side,
    sources: Sources,
    plain: Iterable[str],
    *,
    perturbed: bool = False,
) -> ValueEvidence:
    """Hold the candidate's values against base's.

    Args:
        known: base's values of the tests that passed there and whose files were rewritten.
        candidate: its run of the same files.
        sources: the rewritten files.
        plain: ids of the other tests that passed at base.
        perturbed: literals were changed.
    """
    sent = values_of(candidate)
    tolerance = Tolerance(files=sources.product | {name.rpartition("/")[2] for name in sources.shown})
    rulings = {
        name: judge_test(truth, sent.get(name, {}), sources.sites, tolerance=tolerance, perturbed=perturbed)
        for name, truth in known.items()
    }
    tests = {name: ruled(ruling, sources) for name, ruling in rulings.items()}
    counted = shares({name: _shown(truth, rulings[name]) for name, truth in known.items()}, {})
    rest = dict.fromkeys(plain, Ruled(status="plain"))
    return ValueEvidence(
        **_counts(counted), silent=(*counted.silent, *rest), tests=tests | rest, plain=dict(sources.plain)
    )


def _shown(truth: Truth, ruling: Ruling) -> Truth:
    """What counts as evidence: nothing of a place whose values agree only without what objects hold for themselves."""
    return {
        place: replace(known, stability="unstable") if place in ruling.private else known
        for place, known in truth.items()
    }


def _counts(counted: Shares) -> dict[str, Any]:
    return {
        "n_with": counted.with_values,
        "n_sites": counted.sites,
        "n_sites_with": counted.sites_with_values,
        "untold": counted.untold,
    }


def ruled(ruling: Ruling, sources: Sources) -> Ruled:
    """A ruling in words."""
    why = ""
    if ruling.deviations:
        first = ruling.deviations[0]
        site, home = sources.sites.get(first.site), sources.homes.get(first.site, "?")
        place = f"{home}:{site.line}" if site else home
        time = f", the {first.occurrence + 1}. time" if first.occurrence else ""
        why = f"{place}{time}: {first.difference}"
    return Ruled(status=ruling.status, compared=ruling.compared, why=why)
