"""Which cores a measurement may have, on recorded machines."""

import os

import pytest

from truelap.world.topology import cores_among, cores_here, eligible, read_list, turn

HYPERTHREADED = {cpu: (cpu % 4, cpu % 4 + 4) for cpu in range(8)}
"""Four cores of two threads, numbered as Intel's are."""
NEIGHBOURS = {cpu: (cpu // 2 * 2, cpu // 2 * 2 + 1) for cpu in range(8)}
"""Four cores of two threads, numbered as cloud machines have them."""
PLAIN = {cpu: (cpu,) for cpu in range(2)}


def threads(cores):
    return [core.threads for core in cores]


def test_threads_of_a_core_belong_together():
    assert threads(cores_among(range(8), HYPERTHREADED)) == [(3, 7), (2, 6), (1, 5), (0, 4)]
    assert threads(cores_among(range(8), NEIGHBOURS)) == [(6, 7), (4, 5), (2, 3), (0, 1)]
    assert threads(cores_among({0, 1}, PLAIN)) == [(1,), (0,)]
    assert threads(cores_among({5, 9}, {})) == [(9,), (5,)]


def test_a_core_of_which_somebody_else_has_a_thread_comes_last_or_not_at_all():
    found = cores_among({0, 1, 4, 5, 7}, HYPERTHREADED)
    assert [(core.threads, core.usable, core.whole) for core in found] == [
        ((1, 5), (1, 5), True),
        ((0, 4), (0, 4), True),
        ((3, 7), (7,), False),
    ]
    assert threads(eligible(found)) == [(1, 5), (0, 4)]
    assert threads(eligible(found[1:])) == [(0, 4), (3, 7)]


@pytest.mark.parametrize("number", range(4))
def test_siblings_of_the_workers_stay_idle(number):
    cores = cores_among({0, 1, 4, 5}, HYPERTHREADED)
    workers, judge = turn(cores, number)
    core = next(core for core in cores if workers <= set(core.threads))
    assert len(workers) == 1
    assert judge == {0, 1, 4, 5} - set(core.threads)


def test_each_core_has_its_turn():
    cores = cores_among({0, 1}, PLAIN)
    assert [turn(cores, number) for number in range(3)] == [({1}, {0}), ({0}, {1}), ({1}, {0})]


def test_one_core_is_shared():
    assert turn(cores_among({3}, {}), 5) == ({3}, {3})
    assert turn(cores_among({0, 4}, HYPERTHREADED), 0) == ({0}, {4})


def test_lists_of_the_kernel():
    assert read_list("0\n") == (0,)
    assert read_list("0,64\n") == (0, 64)
    assert read_list("") == ()


def test_this_machine_s_cores_are_those_that_this_process_may_use():
    usable = [cpu for core in cores_here() for cpu in core.usable]
    assert sorted(usable) == sorted(os.sched_getaffinity(0))
