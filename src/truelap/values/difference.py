"""What a comparison of two values tolerates, and what it tells."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

Kind = Literal[
    "type",
    "value",
    "number",
    "shape",
    "missing",
    "extra",
    "text",
    "digest",
    "malformed",
    "private",
    "not_comparable",
]


@dataclass(frozen=True)
class Tolerance:
    """What still counts as the same value. Exact types are compared exactly whatever stands here.

    Attributes:
        rtol: of floats, relative to base's number.
        atol: of floats, absolute.
        single: `rtol` for numbers of 32 or fewer bits, when larger.
        signed_zero: 0.0 and -0.0 are different.
        dict_order: dictionaries with another order are different.
        array_order: arrays with another memory order are different.
        messages: exceptions with other arguments are different.
        private: objects with other private attributes are different.
        files: names of files whose numbers of lines, where texts tell them, are no difference, nor which of them a warning
            is shown for.
    """

    rtol: float = 1e-6
    atol: float = 1e-12
    single: float = 1e-5
    signed_zero: bool = False
    dict_order: bool = False
    array_order: bool = False
    messages: bool = True
    private: bool = True
    files: frozenset[str] = frozenset()

    def error(self, base: float, candidate: float, *, single: bool = False) -> tuple[bool, float]:
        """Whether two floats are the same, and how far apart they are relative to base (infinite for NaN and infinity).

        >>> Tolerance(rtol=1e-3).error(2.0, 2.001)[0], Tolerance().error(math.nan, math.nan)
        (True, (True, 0.0))
        """
        if base == candidate or (math.isnan(base) and math.isnan(candidate)):
            signs = base != 0 or math.copysign(1, base) == math.copysign(1, candidate)
            return signs or not self.signed_zero, 0.0
        if not (math.isfinite(base) and math.isfinite(candidate)):
            return False, math.inf
        away = abs(base - candidate)
        rtol = max(self.rtol, self.single) if single and self.rtol else self.rtol
        return away <= self.atol + rtol * abs(base), away / abs(base) if base else math.inf


@dataclass(frozen=True)
class Difference:
    """Where two values part.

    Attributes:
        where: a path such as `[3].name`, empty for the whole value.
        kind: what sort of difference; `private`: only of what objects hold for themselves; `not_comparable` says only that
            equality could not be shown.
        base: base's part there, shortened.
        candidate: the candidate's.
        error: relative distance of two numbers, None for other kinds.
    """

    where: str
    kind: Kind
    base: str
    candidate: str
    error: float | None = None

    def __str__(self) -> str:
        away = "" if self.error is None else f", off by {self.error:.3g}"
        return f"{self.where or 'value'}: {self.base} became {self.candidate} ({self.kind}{away})"
