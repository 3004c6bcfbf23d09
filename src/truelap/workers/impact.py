"""Which benchmarks a change can reach, by what base runs in each of them. Saves time, decides nothing. Pure.

Of those that it cannot reach a share is run all the same. When one of these changes, the map is wrong, and all are run.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from truelap.model import Frozen

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from random import Random

    from truelap.workers.cases import Timed
    from truelap.workers.changes import Function

NOT_RUN = "not run: base runs none of the changed functions in it"
NONE_MEASURED = "all: none of the benchmarks that the change can reach was measured"
_NAMED = 16

Places = tuple[tuple[str, int], ...]
"""Code of base that ran: file, and the line where it begins."""


class Chart(Frozen):
    """What of base ran.

    Attributes:
        imported: while the suite was imported; None where that could not all be seen.
        cases: by id, in setup and a few calls; None likewise.
    """

    imported: Places | None
    cases: dict[str, Places | None]


class Choice(Frozen):
    """Which cases are run, and why.

    Attributes:
        why: in a sentence.
        n_selected: reached, or of unknown reach.
        screened: not reached, and run all the same, by chance.
        left: ids that are not run.
    """

    why: str
    n_selected: int
    screened: tuple[str, ...] = ()
    left: tuple[str, ...] = ()

    def as_data(self) -> dict[str, Any]:
        """For a verdict: of what is not run only a few are named."""
        return {
            "why": self.why,
            "n_selected": self.n_selected,
            "n_screened": len(self.screened),
            "n_not_run": len(self.left),
            "not_run": list(self.left[:_NAMED]),
        }

    def widened(self, name: str) -> Choice:
        """All of them: a case that cannot be reached has changed."""
        n_all = self.n_selected + len(self.screened) + len(self.left)
        return Choice(why=f"all: {name} changes, which the change should not reach", n_selected=n_all)


def everything(cases: Sequence[Timed], why: str) -> Choice:
    """All cases."""
    return Choice(why=why, n_selected=len(cases))


def choose(
    cases: Sequence[Timed], chart: Chart, changed: Sequence[Function], share: float, draw: Random
) -> Choice:
    """The cases that run a changed function, and a share of the others.

    Args:
        cases: all of them.
        chart: of base.
        changed: functions.
        share: of the others that is run all the same, from 0 to 1.
        draw: the judge's chance.
    """
    if chart.imported is None:
        return everything(cases, "all: what base runs while the suite is imported cannot all be seen")
    at_import = _reached(changed, chart.imported)
    if at_import:
        return everything(cases, f"all: base runs {_named(at_import)} while the suite is imported")
    users: set[Function] = set()
    reached: list[str] = []
    other: list[str] = []
    for case in cases:
        places = chart.cases.get(case.id)
        hit = _reached(changed, places or ())
        users.update(hit)
        (reached if hit or places is None else other).append(case.id)
    if unused := [one for one in changed if one not in users]:
        return everything(cases, f"all: no benchmark is seen to run {_named(unused)}")
    screened = sorted(one for one in other if draw.random() < share)
    why = f"{len(reached)} of {len(cases)} run changed functions ({_named(changed)}), or cannot be followed"
    return Choice(
        why=why,
        n_selected=len(reached),
        screened=tuple(screened),
        left=tuple(sorted({*other} - {*screened})),
    )


def _reached(changed: Iterable[Function], places: Places) -> list[Function]:
    return [one for one in changed if any(one.holds(path, line) for path, line in places)]


def _named(functions: Sequence[Function]) -> str:
    some = ", ".join(f"{one.path}: {one.name}" for one in functions[:3])
    return some + (f" and {len(functions) - 3} more" if len(functions) > 3 else "")  # noqa: PLR2004
