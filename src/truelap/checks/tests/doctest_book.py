"""Base's doctests, told where the submission never was: they are what runs on the candidate, whatever its docstrings say.

A docstring is product and test at once. The product's part stays the candidate's; the examples and what they should print
are base's.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from truelap.checks.tests.attest_others import other_text
from truelap.checks.tests.attest_perturb import perturb_example
from truelap.checks.tests.doctest_output import Printed

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from truelap.checks.tests.attest_marks import Site
    from truelap.checks.tests.messages import DocTest, Doctest

_FIRST_SITE = 1 << 30
"""Beyond those of rewritten files, so that a doctest's sites are the same in every pass."""

_NOTHING = {"want": "", "exc": "?\n"}
"""In a pass where no example need hold nothing is wanted: the answer is not there to be read."""


@dataclass(frozen=True)
class Placed:
    """A doctest where it was asked for.

    Attributes:
        home: the file that was being collected, or the test that ran.
        call: number of the request there.
        site: of its first example; the others follow.
        test: base's.
    """

    home: str
    call: int
    site: int
    test: DocTest

    @property
    def id(self) -> str:
        """The test that its examples belong to, as pytest calls it."""
        return self.home if "::" in self.home else f"{self.home}::{self.test.name}"


@dataclass(frozen=True)
class Book:
    """Doctests of base, in the order in which they were found."""

    tests: tuple[Placed, ...] = ()

    @cached_property
    def ids(self) -> frozenset[str]:
        """The tests that examples belong to, as pytest calls them."""
        return frozenset(placed.id for placed in self.tests if placed.test.examples)

    @cached_property
    def sites(self) -> dict[int, Site]:
        """A site for each example."""
        return {
            placed.site + place: Printed(
                id=placed.site + place,
                line=(placed.test.line or 0) + example.line + 1,
                scope=placed.test.name,
                kind="prints",
                want=example.want,
                exc=example.exc,
            )
            for placed in self.tests
            for place, example in enumerate(placed.test.examples)
        }

    @cached_property
    def homes(self) -> dict[int, str]:
        """The file of each site."""
        return {
            placed.site + place: placed.home.partition("::")[0]
            for placed in self.tests
            for place in range(len(placed.test.examples))
        }

    def sent(self, *, soft: bool) -> list[list[Any]]:
        """As the worker gets it.

        Args:
            soft: no example need hold.
        """
        return [[placed.home, placed.call, placed.site, _plain(placed.test, soft)] for placed in self.tests]

    def perturbed(self, secret: bytes) -> Book:
        """The same with literals of the examples changed by a secret."""
        return Book(tuple(replace(placed, test=_changed(placed.test, secret)) for placed in self.tests))

    def spoilt(self, drawn: Mapping[str, int]) -> Book:
        """Of the tests named, those that can be made to want something else than they print.

        Args:
            drawn: a number for each id, which decides what is wanted instead.
        """
        made = (_spoilt(placed, drawn[placed.id]) for placed in self.tests if placed.id in drawn)
        return Book(tuple(placed for placed in made if placed is not None))


def learnt(sessions: Iterable[Iterable[Doctest]]) -> Book:
    """What base's sessions told; a file that several of them look at is known from the first."""
    tests: list[Placed] = []
    site = _FIRST_SITE
    known: set[tuple[str, int]] = set()
    for told in map(tuple, sessions):
        known |= {(one.home, one.call) for one in told if one.test is None}
        for one in told:
            if one.test is not None and (one.home, one.call) not in known:
                tests.append(Placed(one.home, one.call, site, one.test))
                site += len(one.test.examples)
        known |= {(one.home, one.call) for one in told}
    return Book(tuple(tests))


def _plain(test: DocTest, soft: bool) -> dict[str, Any]:
    plain = test.model_dump(mode="json")
    if soft:
        plain["examples"] = [{**example, **_NOTHING} for example in plain["examples"]]
        plain["doc"] = ""
    return plain


def _spoilt(placed: Placed, drawn: int) -> Placed | None:
    examples = list(placed.test.examples)
    for at, example in enumerate(examples):
        wanted = other_text(example.want, drawn)
        if example.exc is None and wanted != example.want and not example.options.get("SKIP"):
            examples[at] = example.model_copy(update={"want": wanted})
            return replace(placed, test=placed.test.model_copy(update={"examples": tuple(examples)}))
    return None


def _changed(test: DocTest, secret: bytes) -> DocTest:
    examples = tuple(
        example.model_copy(update={"source": perturb_example(example.source, secret, test.name)})
        for example in test.examples
    )
    return test.model_copy(update={"examples": examples})
