"""truelap ended at any moment, asked to or not: no result or a right one, nothing left running, mounted or locked."""

from __future__ import annotations

import ctypes
import json
import os
import random
import signal
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import pytest

from truelap.world import procfs

_SUBREAPER = 36
_PATIENCE_S = 20.0
_RANDOM_MOMENTS = 20


@dataclass
class Track:
    """One library, one command, and the folders that it may use."""

    folder: Path
    others: frozenset[int]
    """Children that other tests left to the session: launchers that wait for a plan."""

    @property
    def out(self) -> Path:
        return self.folder / "out"

    @property
    def work(self) -> Path:
        return self.folder / "work"

    def start(self, command: str = "verify") -> subprocess.Popen[str]:
        argv = (command, self.folder / "tiny", "--base", "HEAD", "--patch", self.folder / "faster.diff")
        options = ("--out", self.out, "--work", self.work, "--effort", "quick", "--seed", "1", "--quiet")
        program = [sys.executable, "-m", "truelap", *map(str, (*argv, *options))]
        return subprocess.Popen(program, stderr=subprocess.PIPE, text=True)

    def check_nothing_runs(self) -> None:
        deadline = time.monotonic() + _PATIENCE_S
        while left := self._living():
            assert time.monotonic() < deadline, f"still running: {left}"
            time.sleep(0.02)
        assert str(self.work) not in Path("/proc/self/mountinfo").read_text()

    def _living(self) -> list[str]:
        found = []
        for pid in set(procfs.descendants(os.getpid())) - self.others:
            if procfs.state(pid) not in {"Z", "X", ""}:
                found.append(f"{pid} {procfs.name(pid)}")
                continue
            with suppress(ChildProcessError):  # somebody else's child
                os.waitpid(pid, os.WNOHANG)
        return found

    def check_result(self) -> None:
        """No verdict, or a right one."""
        verdict = self.out / "verdict.json"
        if verdict.exists():
            assert json.loads(verdict.read_text())["outcome"] == "accepted"
            assert (self.out / "reward.json").exists()

    def check_second_run(self) -> None:
        again = self.start("test")
        _, said = again.communicate(timeout=120)
        assert (again.returncode, said) == (0, "")
        assert list(self.work.iterdir()) == []
        assert not (self.out / "verdict.json").exists()
        assert not [path.name for path in self.out.iterdir() if path.name.startswith(".")]


@pytest.fixture(scope="module")
def track(tmp_path_factory, make_tiny):
    """Whatever outlives its judge becomes a child of the test meanwhile, so nothing can be left unseen."""
    track = Track(tmp_path_factory.mktemp("kill"), frozenset(procfs.descendants(os.getpid())))
    make_tiny(track.folder / "tiny")
    track.work.mkdir()
    libc = ctypes.CDLL(None)
    assert libc.prctl(_SUBREAPER, 1, 0, 0, 0) == 0
    yield track
    libc.prctl(_SUBREAPER, 0, 0, 0, 0)


@pytest.fixture(scope="module")
def lap_s(track) -> float:
    """How long an undisturbed run takes."""
    began = time.monotonic()
    process = track.start()
    assert (process.communicate(timeout=120)[1], process.returncode) == ("", 0)
    return time.monotonic() - began


def _kill_after(track: Track, seconds: float) -> None:
    process = track.start()
    time.sleep(seconds)
    process.kill()
    process.communicate()
    track.check_nothing_runs()
    track.check_result()


@pytest.mark.parametrize("part", [0.1, 0.45, 0.8])
def test_killed_on_the_way(track, lap_s, part):
    _kill_after(track, part * lap_s)
    track.check_second_run()


def test_killed_while_it_writes(track):
    process = track.start()
    while process.poll() is None:
        if any(path.name.startswith(".truelap-") for path in track.out.iterdir()):
            process.kill()
            break
    process.communicate()
    track.check_nothing_runs()
    track.check_result()
    track.check_second_run()


@pytest.mark.slow
@pytest.mark.parametrize("moment", range(_RANDOM_MOMENTS))
def test_killed_at_a_random_moment(track, lap_s, moment, record_property):
    seconds = random.uniform(0, 1.05 * lap_s)
    record_property("killed_after_s", seconds)
    _kill_after(track, seconds)
    track.check_second_run()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
@pytest.mark.parametrize("part", [0.4, 0.8])
def test_asked_to_stop(track, lap_s, number, part):
    process = track.start()
    time.sleep(part * lap_s)
    process.send_signal(number)
    _, said = process.communicate(timeout=60)
    done = process.returncode == 0
    assert process.returncode in {0, 128 + number}
    assert said == ("" if done else f"truelap: stopped by {number.name} before it was done\n")
    assert (track.out / "verdict.json").exists() == done
    assert list(track.work.iterdir()) == []
    track.check_nothing_runs()


def test_asked_twice_it_still_tidies_up(track):
    process = track.start()
    while not list(track.work.iterdir()):
        assert process.poll() is None
        time.sleep(0.01)
    for _ in range(5):
        process.send_signal(signal.SIGTERM)
        time.sleep(0.01)
    process.communicate(timeout=60)
    assert process.returncode == 128 + signal.SIGTERM
    assert list(track.work.iterdir()) == []
    track.check_nothing_runs()
