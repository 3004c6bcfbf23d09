"""Turns: runs of one side together, base never beside the candidate."""

import threading
import time
from concurrent.futures import CancelledError, ThreadPoolExecutor

import pytest

from truelap.checks.tests.turns import Turns, alone


class Track:
    """Notes which sides run at once."""

    def __init__(self, turns):
        self.turns = turns
        self.running = []
        self.seen = []
        self._lock = threading.Lock()

    def run(self, side):
        with self.turns.of(side):
            with self._lock:
                self.running.append(side)
                self.seen.append(list(self.running))
            time.sleep(0.01)
            with self._lock:
                self.running.remove(side)


def tracked(most, sides):
    track = Track(Turns(most))
    with ThreadPoolExecutor(len(sides)) as pool:
        list(pool.map(track.run, sides))
    return track.seen


def test_base_never_runs_beside_the_candidate_and_no_more_than_asked_for_run():
    seen = tracked(2, ["base", "candidate"] * 6)
    assert all(len({*sides}) == 1 for sides in seen)
    assert max(map(len, seen)) == 2


def test_with_one_at_a_time_each_runs_alone():
    assert set(map(len, tracked(1, ["base"] * 4))) == {1}


def test_nothing_runs_beside_one_that_runs_alone():
    assert set(map(len, tracked(3, [alone() for _ in range(4)]))) == {1}


def test_once_the_block_has_failed_no_run_begins():
    turns, began = Turns(2), threading.Event()
    waiting = []

    def wait():
        began.set()
        with turns.of("base"):
            pass

    def fail():
        with turns.aside() as threads, turns.of("candidate"):
            waiting.append(threads.submit(wait))
            began.wait(10)
            raise RuntimeError("no room")

    with pytest.raises(RuntimeError, match="no room"):
        fail()
    assert isinstance(waiting[0].exception(), CancelledError)


def test_what_goes_on_beside_the_block_has_ended_with_it():
    done = []
    with Turns(2).aside() as threads:
        threads.submit(lambda: (time.sleep(0.05), done.append(1)))
    assert done == [1]
