"""When a side has used up its time for all benchmarks."""

from types import SimpleNamespace

import pytest

from truelap.checks.timing.rounds import Rounds
from truelap.world.slots import anywhere


def late(*, base, candidate, without=()):
    track = SimpleNamespace(spent={"base": base, "candidate": candidate}.get)
    return Rounds(SimpleNamespace(without=frozenset(without), slot=anywhere()), {}, 10.0).late(track)


@pytest.mark.parametrize(
    ("base", "candidate", "said"),
    [(5, 10, None), (5.1, 0, "base"), (5.1, 11, "base"), (0, 10.1, "candidate")],
)
def test_base_has_half_of_what_the_candidate_has(base, candidate, said):
    assert late(base=base, candidate=candidate) == said


def test_the_slot_is_looked_after_before_each_visit():
    told = []
    track = SimpleNamespace(spent={"base": 1.0, "candidate": 2.0}.get)
    slot = SimpleNamespace(keep=lambda *spent: told.append(spent))
    Rounds(SimpleNamespace(without=frozenset(), slot=slot), {}, 10.0).late(track)
    assert told == [(1.0, 2.0)]


def test_without_the_bound_nobody_is_late():
    assert late(base=99, candidate=99, without=["station_bound"]) is None
