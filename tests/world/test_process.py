"""Trusted programs: bounded in time and size, and never blocked on a pipe."""

from __future__ import annotations

import sys
import time

import pytest

from truelap.errors import WorldError
from truelap.world import procfs
from truelap.world.process import run


def python(code: str, **options):
    return run([sys.executable, "-I", "-S", "-c", code], **({"env": {}} | options))


def test_streams_and_status():
    done = python(
        "import sys; print(sys.stdin.read()); sys.stderr.write('a\\n\\nlast words\\n\\n'); sys.exit(3)",
        stdin=b"given",
    )
    assert (done.code, done.stdout, done.complaint) == (3, b"given\n", "last words")
    assert python("import os; os.kill(os.getpid(), 9)").code == -9


def test_the_environment_is_the_given_one(monkeypatch):
    monkeypatch.setenv("SECRET", "1")
    done = python("import os; print(sorted(os.environ))", env={"A": "b"})
    assert b"SECRET" not in done.stdout
    assert b"'A'" in done.stdout


def test_large_streams_do_not_block_each_other():
    given = bytes(8 << 20)
    done = python(
        "import sys; d = sys.stdin.buffer.read(); sys.stderr.buffer.write(d); sys.stdout.buffer.write(d)",
        stdin=given,
    )
    assert done.stdout == done.stderr == given
    assert python("print(1)", stdin=given).stdout == b"1\n"


def test_a_late_program_and_its_session_are_killed():
    start = time.monotonic()
    with pytest.raises(WorldError, match=r"did not end within 0\.3 s"):
        python("import os, time\nos.fork()\ntime.sleep(77.125)", timeout_s=0.3)
    assert time.monotonic() - start < 10
    time.sleep(0.1)
    assert not [pid for pid in procfs.all_pids() if "77.125" in procfs._read(f"/proc/{pid}/cmdline")]


def test_a_program_that_writes_too_much():
    with pytest.raises(WorldError, match="more than 1000 bytes"):
        python("while True: print('x' * 100)", output_bytes=1000)


def test_a_missing_program():
    with pytest.raises(WorldError, match="/nonexistent cannot be started: No such file"):
        run(["/nonexistent"], env={})
