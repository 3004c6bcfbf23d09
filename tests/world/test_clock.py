"""Clocks of other processes, read from outside. Bounds are one-sided or generous: the machine may be busy."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from truelap.world.clock import SandboxClock, Waiting, cpu_ns_of, running_on

BURN = "import sys\nwhile sys.stdin.read(1):\n    for _ in range(2_000_000): pass\n    print('x', end='', flush=True)"
MS = 1_000_000


@pytest.fixture
def burner():
    with subprocess.Popen(
        [sys.executable, "-c", BURN], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0
    ) as process:
        yield process
        process.kill()


def burn(process):
    process.stdin.write(b"x")
    process.stdout.read(1)


def test_another_process_s_cpu_is_seen_and_our_own_is_not(burner):
    burn(burner)
    clock = SandboxClock(lambda: [burner.pid])
    before = clock.read_ns()
    deadline = time.process_time() + 0.1
    while time.process_time() < deadline:
        pass
    clock.settle()
    assert clock.read_ns() - before < 20 * MS
    burn(burner)
    clock.settle()
    assert clock.read_ns() - before > 20 * MS


def test_a_process_that_is_gone_is_an_error():
    with subprocess.Popen([sys.executable, "-c", ""]) as process:
        process.wait()
    with pytest.raises(OSError, match="Invalid argument"):
        cpu_ns_of(process.pid)


def test_a_process_found_later_counts_from_its_birth(burner):
    pids = []
    clock = SandboxClock(lambda: pids)
    before = clock.read_ns()
    burn(burner)
    pids.append(burner.pid)
    clock.refresh()
    assert clock.read_ns() - before > 20 * MS


def test_what_a_process_used_stays_when_it_ends(burner):
    pids = [burner.pid]
    clock = SandboxClock(lambda: pids)
    burn(burner)
    clock.settle()
    used = clock.read_ns()
    pids.clear()
    clock.refresh()
    assert clock.read_ns() == used > 20 * MS


def test_settle_waits_for_a_moment_only():
    clock = SandboxClock(lambda: [os.getpid()])
    before = time.monotonic()
    clock.settle()
    assert 0.001 < time.monotonic() - before < 1.0


def test_waiting_is_wall_time():
    waiting = Waiting()
    waiting.asked()
    time.sleep(0.05)
    assert 40 * MS < waiting.elapsed_ns() < 10_000 * MS


@pytest.mark.skipif(not Path("/proc/self/schedstat").exists(), reason="the kernel keeps no such record")
def test_standing_in_line_for_a_core_is_not_waiting():
    # Four of us on one core: three quarters of the time belong to the others.
    core = {min(os.sched_getaffinity(0))}
    loop = f"import os\nos.sched_setaffinity(0, {core})\nprint('x', flush=True)\nwhile True: pass"
    others = [subprocess.Popen([sys.executable, "-c", loop], stdout=subprocess.PIPE) for _ in range(3)]
    try:
        for other in others:
            other.stdout.read(1)
        with running_on(frozenset(core)):
            began, waiting = time.monotonic_ns(), Waiting()
            waiting.asked()
            while time.monotonic_ns() - began < 400 * MS:
                pass
            elapsed = waiting.elapsed_ns()
    finally:
        for other in others:
            other.kill()
            other.stdout.close()
            other.wait()
    assert elapsed < 300 * MS


def test_the_judge_gets_its_cores_back():
    before = os.sched_getaffinity(0)
    with running_on(frozenset({min(before)})):
        assert os.sched_getaffinity(0) == {min(before)}
    assert os.sched_getaffinity(0) == before
