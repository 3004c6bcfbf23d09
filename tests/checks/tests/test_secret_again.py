"""How often base runs before a difference under the secret stands; the runs are made up."""

from types import SimpleNamespace

import pytest

from truelap.checks.tests.secret_again import settled


def side(names):
    return SimpleNamespace(nodes={name: SimpleNamespace(seconds=0.01) for name in names}, faults=())


def runs_of_base(names, parts=None):
    """How often base runs in all; from run `parts` on it parts from itself."""
    made = []

    def weighed(runs, odd):
        status = "differs" if parts is None or len(runs) < parts else "unsteady"
        return {name: SimpleNamespace(status=status) for name in odd}

    def look(odd, before):
        made.append(before)
        return side(odd)

    found = settled([side(names), side(names)], names, weighed, look)
    return 2 + len(made), {ruled.status for ruled in found.values()}


@pytest.mark.parametrize(("tests", "runs"), [(1, 8), (2, 5), (3, 4), (4, 3), (7, 2), (19, 2)])
def test_several_tests_that_differ_need_fewer_runs(tests, runs):
    assert runs_of_base([f"t{number}" for number in range(tests)]) == (runs, {"differs"})


def test_base_that_parts_from_itself_is_an_excuse_at_once():
    assert runs_of_base(["t"], parts=4) == (4, {"unsteady"})
