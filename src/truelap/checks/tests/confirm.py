"""Looks again at tests that regressed: chance may have had its part, but only base's own runs can say so.

Both sides run once more in fresh processes. A test that base then fails, or whose values base does not reproduce, is
unsteady, and asks nothing of the candidate. A test that the candidate fails every time has regressed. One that it fails only
sometimes has regressed as well, unless one of a few more runs of base shows that base does so too: that it passes on a second
try is no excuse, or a patch that is wrong now and then would pass.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from truelap.checks.tests.attest_plan import file_of
from truelap.checks.tests.steadiness import function_of
from truelap.checks.tests.value_evidence import truths, weigh

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from truelap.checks.tests.attest_plan import Sources
    from truelap.checks.tests.bench import Bench
    from truelap.checks.tests.sessions import Plan
    from truelap.checks.tests.sides import Side
    from truelap.checks.tests.value_evidence import Ruled

_ASKED = 20
"""Tests that are looked at again together: where one of them has regressed, no more need be."""
_LOOKS = 8
"""How often base runs alone, for tests that the candidate fails only sometimes."""
_LONGEST_S = 60.0
"""Tests that take longer together at base are not run so often."""


def confirmed(
    bench: Bench, sources: Sources, base: Sequence[Side], candidate: Side, suspects: Sequence[str]
) -> tuple[frozenset[str], dict[str, Ruled]]:
    """Which of the tests that regressed did so by chance.

    Args:
        bench: of this verification.
        sources: the rewritten files.
        base: its runs: first that of the tests as they are, then those of `sources`.
        candidate: its run.
        suspects: ids that pass in all of base's runs, and in the candidate not, or with other values.

    Returns:
        Ids that base itself passes only sometimes, and what the values of the others say by all runs together.

    Raises:
        WorldError: the machine or the sandbox failed.
    """
    chance: set[str] = set()
    rulings: dict[str, Ruled] = {}
    quick = sorted(suspects, key=lambda name: base[0].nodes[name].seconds)
    for start in range(0, len(quick), _ASKED):
        doubt = _Doubt(bench, sources, base, candidate, quick[start : start + _ASKED])
        standing = doubt.settled()
        chance.update(doubt.unsteady)
        rulings |= doubt.rulings()
        if standing:
            break
    return frozenset(chance), rulings


class _Doubt:
    """Some tests, and all runs of both sides that tell of them."""

    def __init__(
        self, bench: Bench, sources: Sources, base: Sequence[Side], candidate: Side, names: Sequence[str]
    ) -> None:
        self._bench = bench
        self._sources = sources
        self._names = names
        self._seconds = sum(base[0].nodes[name].seconds for name in names)
        self._plain = _Looks([base[0]], names)
        self._base = _Looks(base[1:], names)
        self._candidate = _Looks([candidate], names)
        self._valued = [name for name in names if sources.speaks(name)]

    @property
    def unsteady(self) -> list[str]:
        """Ids that base does not pass in each run."""
        runs = self._base.failing() | self._plain.failing()
        return [name for name in self._names if name in runs]

    def settled(self) -> dict[str, int]:
        """Ids that have regressed, after as many looks as it takes."""
        self._look("base", self._base, self._names)
        self._look("candidate", self._candidate, self._names)
        standing = self._standing()
        for _ in range(_LOOKS if self._seconds < _LONGEST_S else 0):
            doubtful = [name for name, times in standing.items() if times < len(self._candidate)]
            if not doubtful:
                break
            self._look("base", self._base, doubtful)
            standing = self._standing()
        return standing

    def rulings(self) -> dict[str, Ruled]:
        """What values say: the worst that any run of the candidate comes to."""
        found: dict[str, Ruled] = {}
        for ruled in self._ruled():
            found |= {
                name: one for name, one in ruled.items() if one.status == "differs" or name not in found
            }
        return found

    def _standing(self) -> dict[str, int]:
        """How many runs of the candidate each id fails, for those that base passes in all of its own."""
        times = dict.fromkeys((name for name in self._names if name not in self.unsteady), 0)
        for run, ruled in zip(self._candidate, self._ruled(), strict=True):
            passed = {*run.passed} - {name for name, one in ruled.items() if one.status == "differs"}
            for name in times.keys() - passed:
                times[name] += 1
        return {name: count for name, count in times.items() if count}

    def _ruled(self) -> list[dict[str, Ruled]]:
        # An id is told of by the runs that it was part of, and only these say what its values are.
        known = {
            name: truth for name in self._valued for truth in truths(self._base.of(name), [name]).values()
        }
        return [weigh(known, run, self._sources, ()).tests for run in self._candidate]

    def _look(self, side: str, looks: _Looks, names: Sequence[str]) -> None:
        plan: Plan = (tuple(dict.fromkeys(map(file_of, names))),)
        run = self._bench.run(side, self._sources, again=len(self._base) if side == "base" else 0, plan=plan)
        asked = () if len(names) == len(self._names) or self._counted(names) else tuple(names)
        made = self._bench.made(
            replace(run, name=f"{run.name}-look-{len(looks)}", only=asked, keep=False), apart=True
        )
        # Base must come to its end to be an excuse.
        if side == "candidate" or not made.faults:
            looks.add(made, names)

    def _counted(self, names: Iterable[str]) -> bool:
        return any(function_of(name) in self._bench.wandering for name in names)


class _Looks(list["Side"]):
    """Runs of one side, each cut down to the ids that it was asked for."""

    def __init__(self, runs: Iterable[Side], names: Collection[str]) -> None:
        super().__init__()
        self._asked: list[Collection[str]] = []
        for run in runs:
            self.add(run, names)

    def add(self, run: Side, names: Collection[str]) -> None:
        self.append(run.only(names))
        self._asked.append(names)

    def of(self, name: str) -> list[Side]:
        """The runs that were asked for an id."""
        return [run for run, names in zip(self, self._asked, strict=True) if name in names]

    def failing(self) -> set[str]:
        """Ids that do not pass in each run that was asked for them."""
        return {
            name for run, names in zip(self, self._asked, strict=True) for name in {*names} - {*run.passed}
        }
