"""Runs go beside each other by default: base's with base's, the candidate's with the candidate's, and to the same end."""

import threading
from contextlib import contextmanager

import pytest

from truelap.checks.tests import bench
from truelap.checks.tests.turns import Turns

WRONG = "def double(x):\n    return 3 * x\n"
HONEST = "def double(x):\n    return x + x\n"


class Noted(Turns):
    """Turns that note who runs."""

    seen: list[tuple[object, ...]] = []  # noqa: RUF012
    lock = threading.Lock()

    @contextmanager
    def of(self, side):
        with super().of(side):
            with self.lock:
                self.seen.append(tuple(self._running))
            yield


@pytest.fixture
def noted(monkeypatch):
    Noted.seen = []
    monkeypatch.setattr(bench, "Turns", Noted)
    monkeypatch.setattr("os.sched_getaffinity", lambda _: {0, 1})
    return Noted


def test_runs_of_one_side_go_beside_each_other_and_never_those_of_both(lap, shipped, noted):
    found = lap({"pkg/core.py": HONEST}, policy=shipped)
    assert found.findings == ()
    assert max(map(len, noted.seen)) == 2
    assert all(len({*sides}) == 1 for sides in noted.seen)


@pytest.mark.parametrize("jobs", [1, 2])
def test_who_says_how_many_files_run_at_a_time_has_no_runs_beside_each_other(lap, shipped, noted, jobs):
    assert lap({"pkg/core.py": HONEST}, policy=shipped, jobs=jobs).findings == ()
    assert set(map(len, noted.seen)) == {1}


def test_in_one_and_the_same_copy_runs_follow_each_other(lap, shipped, noted, project):
    # The copies stay with the world, so these trees are no other test's.
    base = {**project, "pkg/apart.py": ""}
    lap({"pkg/core.py": HONEST}, base=base, policy=shipped.without(["fresh_tree"]))
    assert set(map(len, noted.seen)) == {1}


def test_what_is_found_does_not_depend_on_what_runs_beside_what(lap, shipped, noted):
    apart, together = (lap({"pkg/core.py": WRONG}, policy=shipped, jobs=jobs) for jobs in (1, None))
    assert together.findings == apart.findings
    assert together.regressed == apart.regressed
