"""When a side has used up its time for all benchmarks."""

from types import SimpleNamespace

import pytest

from truelap.checks.timing.rounds import Rounds


def late(*, base, candidate, without=()):
    track = SimpleNamespace(spent={"base": base, "candidate": candidate}.get)
    return Rounds(SimpleNamespace(without=frozenset(without)), {}, 10.0).late(track)


@pytest.mark.parametrize(
    ("base", "candidate", "said"),
    [(5, 10, None), (5.1, 0, "base"), (5.1, 11, "base"), (0, 10.1, "candidate")],
)
def test_base_has_half_of_what_the_candidate_has(base, candidate, said):
    assert late(base=base, candidate=candidate) == said


def test_without_the_bound_nobody_is_late():
    assert late(base=99, candidate=99, without=["station_bound"]) is None
