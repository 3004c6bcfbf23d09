"""A slot is leased for a measurement: processes take turns, or take other cores."""

from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import Path

import pytest

from truelap.errors import WorldError
from truelap.settings import Settings
from truelap.world import procfs, slots
from truelap.world.core_locks import try_core
from truelap.world.events import Events
from truelap.world.slots import aside, leased, take
from truelap.world.topology import cores_among, cores_here

FOUR = cores_among(range(8), {cpu: (cpu % 4, cpu % 4 + 4) for cpu in range(8)})
HOLD = """
import sys, threading
from pathlib import Path
from truelap.settings import Settings
from truelap.world.events import Events
from truelap.world.slots import leased
with leased(Settings(python=Path("p"), seed=1, slots=Path(sys.argv[1])), Events(None, print)) as slot:
    print("held", flush=True)
    sys.stdin.read()
"""


def settings(folder, **more):
    return Settings(python=Path("python"), seed=1, slots=folder, **more)


def numbers(taken):
    return [core.number for core in taken[0]]


def test_measurements_take_other_cores_while_there_are_some(tmp_path):
    first, second = take(tmp_path, FOUR), take(tmp_path, FOUR)
    assert (numbers(first), numbers(second)) == ([3, 2], [1, 0])
    assert take(tmp_path, FOUR) is None
    second[1][0].release()
    assert take(tmp_path, FOUR) is None, "one core is not enough"
    lock = try_core(tmp_path, FOUR[2])
    assert lock is not None, "and nothing is kept of an attempt that failed"
    lock.release()
    second[1][1].release()
    assert numbers(take(tmp_path, FOUR)) == [1, 0]
    first[1][0].release()


def test_one_core_is_a_slot(tmp_path):
    taken = take(tmp_path, FOUR[:1])
    assert numbers(taken) == [3]
    assert take(tmp_path, FOUR[:1]) is None


def test_two_processes_take_turns_and_a_killed_one_makes_room(tmp_path):
    here = {core.number for core in cores_here()}
    told = []
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, tmp_path], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as other:
        try:
            assert other.stdout.readline() == b"held\n"
            if len(here) < 2 * slots.CORES:
                with (
                    pytest.raises(WorldError, match="no slot within"),
                    leased(settings(tmp_path, wait_s=0.2), Events()),
                ):
                    pass
            else:
                told.append("waiting")
            threading.Timer(0.3, other.kill).start()
            with leased(settings(tmp_path, wait_s=30.0), Events(None, told.append)) as slot:
                assert {core.number for core in slot.cores} <= here
                data = slot.as_data()
        finally:
            other.kill()
    assert any("waiting" in text for text in told)
    assert data["gate"] is None
    assert len(here) >= 2 * slots.CORES or data["waited_s"] > 0.1
    with leased(settings(tmp_path, wait_s=0.0), Events()):
        pass


def test_a_lock_that_goes_while_it_is_used_spoils_the_measurement(tmp_path):
    def spoil():
        with leased(settings(tmp_path), Events()) as slot:
            slot.keep(0.0, 0.0)
            for path in tmp_path.iterdir():
                path.unlink()
            with pytest.raises(WorldError, match="was replaced"):
                slot.keep(0.0, 0.0)

    with pytest.raises(WorldError, match="was replaced"):
        spoil()


def test_without_the_gate_s_leave_nothing_begins_and_no_core_is_kept(tmp_path):
    closed = settings(tmp_path, gate="http://127.0.0.1:9", wait_s=1.0)
    with pytest.raises(WorldError, match="measure gate"), leased(closed, Events()):
        pytest.fail("it was let in")
    with leased(settings(tmp_path, wait_s=0.0), Events()):
        pass


def test_what_is_not_measured_keeps_off_cores_that_are(tmp_path, monkeypatch):
    monkeypatch.setattr(slots, "cores_here", lambda: FOUR)
    assert aside(tmp_path).turn(0).workers == {0}
    lock = try_core(tmp_path, FOUR[3])
    assert aside(tmp_path).turn(0).workers == {1}
    assert try_core(tmp_path, FOUR[2]) is not None, "it only looked"
    lock.release()


def test_locks_are_not_inherited(tmp_path):
    with leased(settings(tmp_path), Events()) as slot:
        assert slot.locks
        with subprocess.Popen(["/bin/sleep", "30"], close_fds=False) as child:
            open_files = {(facts.st_dev, facts.st_ino) for facts in procfs.open_files(child.pid)}
            child.kill()
    locks = {(facts.st_dev, facts.st_ino) for facts in map(Path.stat, tmp_path.iterdir())}
    assert len(locks) == len(slot.locks)
    assert open_files
    assert not locks & open_files
