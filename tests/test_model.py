"""Values that are not changed, but copied with changes."""

from functools import cached_property

from truelap.model import Frozen


class Sum(Frozen):
    parts: tuple[int, ...]

    @cached_property
    def total(self) -> int:
        return sum(self.parts)


def test_a_copy_works_out_anew_what_depends_on_its_fields():
    first = Sum(parts=(1, 2))
    assert first.total == 3
    assert first.model_copy(update={"parts": (4,)}).total == 4
    assert first.model_copy(update={"parts": (4,)}) == Sum(parts=(4,))
