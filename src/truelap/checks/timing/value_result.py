"""What benchmarks say that is no time, on both sides, and what it means. Pure.

Such a number is compared and reported. It is never part of the speed-up: what is tracked is a claim of the candidate's own process.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from truelap.model import Frozen

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

ValueDecision = Literal["lower", "higher", "changed", "same", "missing", "invalid"]

_MOST = 16
_GRAVE: tuple[ValueDecision, ...] = ("missing", "higher", "changed", "lower", "same", "invalid")


class ValueResult(Frozen):
    """One benchmark of memory, or of a number of its own, with one set of parameters."""

    id: str
    params: tuple[str, ...] = ()
    kind: str
    """asv's: peakmem, mem or track."""
    unit: str | None = None
    """As base's suite says."""
    decision: ValueDecision
    """Of memory `lower` or `higher`; of anything else, of which nobody knows what is better, `changed`."""
    reason: str | None = None
    base: tuple[float, ...] = ()
    """One number from each process."""
    candidate: tuple[float, ...] = ()
    candidate_runs_skipped: bool = False
    """Base skips it, the candidate does not."""

    @property
    def ratio(self) -> float | None:
        """Candidate's number over base's, of the middle ones; None where there is none."""
        if not self.base or not self.candidate or _middle(self.base) == 0:
            return None
        return _middle(self.candidate) / _middle(self.base)

    @property
    def shown(self) -> str:
        """Both numbers in words."""
        unit = f" {self.unit}" if self.unit else ""
        return f"{_middle(self.base):.6g} became {_middle(self.candidate):.6g}{unit}"

    def as_data(self) -> dict[str, Any]:
        """One entry of timing.json."""
        return {**self.model_dump(mode="json", exclude={"id"}), "ratio": self.ratio}


def decide_value(
    kind: str, base: Sequence[float], candidate: Sequence[float], margin: float
) -> ValueDecision:
    """What the readings of both sides say: a change where all of one side lie beyond all of the other, by more than the margin.

    Args:
        kind: asv's.
        base: at least one reading.
        candidate: likewise.
        margin: share of the largest reading.

    >>> decide_value("peakmem", [100, 101], [80, 81], 0.03), decide_value("peakmem", [100, 101], [102, 130], 0.03)
    ('lower', 'same')
    >>> decide_value("mem", [100], [110], 0.03), decide_value("track", [3], [4], 0.03), decide_value("track", [0], [0], 0.03)
    ('higher', 'changed', 'same')
    """
    edge = margin * max(map(abs, (*base, *candidate)))
    if min(candidate) - max(base) > edge:
        return "changed" if kind == "track" else "higher"
    if min(base) - max(candidate) > edge:
        return "changed" if kind == "track" else "lower"
    return "same"


def notable_values(values: Iterable[ValueResult]) -> list[dict[str, Any]]:
    """The few that verdict.json names, those that say most first; timing.json holds all."""
    ranked = sorted(values, key=lambda one: (_GRAVE.index(one.decision), one.id))
    return [{"id": one.id, **one.as_data()} for one in ranked[:_MOST]]


def _middle(values: Sequence[float]) -> float:
    return sorted(values)[len(values) // 2]
