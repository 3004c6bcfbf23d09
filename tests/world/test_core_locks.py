"""One holder a core, whoever asks, and nobody after its death."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from truelap.errors import UsageError, WorldError
from truelap.world import core_locks
from truelap.world.core_locks import lock_folder, try_core
from truelap.world.topology import Core

CORE = Core((0, 4), (0, 4))
HOLD = """
import sys
from pathlib import Path
from truelap.world.core_locks import try_core
from truelap.world.topology import Core
lock = try_core(Path(sys.argv[1]), Core((0, 4), (4,)))
print(lock is not None, flush=True)
sys.stdin.read()
"""


@pytest.fixture
def folder(tmp_path):
    tmp_path.chmod(0o1777)
    return tmp_path


def other(folder, **more):
    return subprocess.Popen(
        [sys.executable, "-c", HOLD, folder], stdin=subprocess.PIPE, stdout=subprocess.PIPE, **more
    )


def test_two_processes_never_have_the_same_core_and_a_killed_one_has_none(folder):
    with other(folder) as first:
        try:
            assert first.stdout.readline() == b"True\n"
            assert try_core(folder, CORE) is None
            assert try_core(folder, Core((1, 5), (1,))) is not None
        finally:
            first.kill()
    lock = try_core(folder, CORE)
    assert lock.held()
    with other(folder) as second:
        assert second.communicate()[0] == b"False\n"
    lock.release()
    lock.release()
    assert try_core(folder, CORE) is not None


def test_another_user_s_lock_counts_and_can_be_taken(folder, is_root):
    if not is_root:
        pytest.skip("only root has another user at hand")
    code = (
        "import fcntl,os,sys;os.umask(0o077);os.chdir(sys.argv[1]);os.setuid(65534);"
        "f=os.open('truelap-core-0',os.O_RDONLY|os.O_CREAT,0o444);os.fchmod(f,0o444);"
        "fcntl.flock(f,fcntl.LOCK_EX);print('held',flush=True);sys.stdin.read()"
    )
    argv = [sys.executable, "-Ic", code, folder]
    with subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as first:
        assert first.stdout.readline() == b"held\n"
        assert try_core(folder, CORE) is None
        first.communicate()
    assert try_core(folder, CORE) is not None


def test_a_lock_that_was_replaced_is_not_held(folder):
    lock = try_core(folder, CORE)
    path = folder / "truelap-core-0"
    path.unlink()
    assert not lock.held()
    assert try_core(folder, CORE) is not None
    assert not lock.held()


@pytest.mark.parametrize("make", [os.mkdir, os.mkfifo, lambda path: path.symlink_to("elsewhere")])
def test_what_is_no_file_is_no_lock(folder, make):
    make(folder / "truelap-core-0")
    with pytest.raises(WorldError, match="truelap-core-0"):
        try_core(folder, CORE)
    assert not (folder / "elsewhere").exists()


def test_the_system_s_folder_is_the_same_for_everybody(folder, monkeypatch, is_root):
    plain = folder / "plain"
    plain.mkdir()
    monkeypatch.setattr(core_locks, "_PLACES", (folder / "none", plain, folder))
    if is_root:
        assert lock_folder() == folder
    monkeypatch.setattr(core_locks, "_PLACES", (plain,))
    with pytest.raises(WorldError, match="--slots"):
        lock_folder()


def test_a_named_folder_must_be_one_where_nobody_replaces_locks(tmp_path):
    assert lock_folder(tmp_path) == tmp_path
    with pytest.raises(UsageError, match="No such file"):
        lock_folder(tmp_path / "none")
    with pytest.raises(UsageError, match="is not a folder"):
        lock_folder(tmp_path / "truelap-core-0" if try_core(tmp_path, CORE) else tmp_path)
    tmp_path.chmod(0o777)
    with pytest.raises(UsageError, match="chmod 1777"):
        lock_folder(tmp_path)
