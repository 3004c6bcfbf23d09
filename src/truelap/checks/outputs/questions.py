"""What the judge draws for one case: seeds, parts of long values, and how many calls stand between two looks. Pure.

The choices for a case hang on no other case, and on nothing that a candidate does: base can be asked the same again.
"""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from truelap.policy import Outputs


class Asked(NamedTuple):
    """What a case is asked for.

    Attributes:
        seed: of the setup.
        call_seed: of the calls.
        other_seed: of the calls of base's second run.
        sample: draws the parts of long values.
        between: draws the number of calls between two looks, from 0 to 1.
        first: whether it is asked for the first time.
    """

    seed: int
    call_seed: int
    other_seed: int
    sample: int
    between: float
    first: bool

    @classmethod
    def drawn(cls, seed: int, name: str, attempt: int) -> Asked:
        """What a case of this name is asked for, the first time (0) or the second (1)."""
        draw = chance(seed, name, attempt)
        one, two, three, four = (draw.randrange(2**32) for _ in range(4))
        return cls(one, two, three, four, draw.random(), not attempt)

    def calls(self, policy: Outputs, first_s: float, number: int) -> int | None:
        """How many calls stand between the two that are looked at: a number that nobody can know before, and that costs little.

        Args:
            policy: the numbers.
            first_s: seconds that a call takes.
            number: calls that a setup is good for, 0 for any.
        """
        most = min(policy.max_calls, int(policy.repeat_s / max(first_s, 1e-6)))
        if number:
            most = min(most, number - 2)
        if most < 1:
            return None
        return most - int(self.between * (most // 2 + 1))


def chance(seed: int, name: str, attempt: int = 0) -> Random:
    """Choices of a name's own."""
    return Random(f"{seed} {attempt} {name}")  # noqa: S311 - must be repeatable; no secret hangs on it
