"""Users for sandboxes: never two at a time, never one that is in use."""

from __future__ import annotations

import os
import subprocess
import sys
import time

import pytest

from truelap.errors import WorldError
from truelap.world import leases, procfs
from truelap.world.leases import _usable_range, lease_user


@pytest.fixture(autouse=True)
def _as_root(is_root):
    if not is_root:
        pytest.skip("only a root judge leases users")


def test_leases_differ_until_they_are_given_back(monkeypatch):
    monkeypatch.setattr(leases, "_RANGES", ((620_000, 3),))
    held = [lease_user() for _ in range(3)]
    try:
        assert {lease.uid for lease in held} == {620_000, 620_001, 620_002}
        with pytest.raises(WorldError, match="no free user among 620000"):
            lease_user()
        held[1].release()
        held[1].release()
        again = lease_user()
        assert again.uid == held[1].uid
        again.release()
    finally:
        for lease in held:
            lease.release()


def test_a_user_with_a_process_is_passed_over(monkeypatch):
    monkeypatch.setattr(leases, "_RANGES", ((620_010, 2),))
    with subprocess.Popen(["/bin/sleep", "30"], user=620_010) as busy:
        try:
            assert procfs.of_user(620_010) == [busy.pid]
            for _ in range(4):
                lease = lease_user()
                assert lease.uid == 620_011
                lease.release()
        finally:
            busy.kill()


def test_a_lease_ends_with_its_holder(monkeypatch):
    monkeypatch.setattr(leases, "_RANGES", ((620_020, 1),))
    code = "import os;from truelap.world import leases;leases._RANGES=((620020,1),);leases.lease_user();os.kill(os.getpid(),9)"
    assert subprocess.run([sys.executable, "-c", code]).returncode == -9
    lease_user().release()


def test_a_lock_is_not_inherited(monkeypatch):
    monkeypatch.setattr(leases, "_RANGES", ((620_030, 1),))
    lease = lease_user()
    with subprocess.Popen(["/bin/sleep", "30"], close_fds=False) as child:
        time.sleep(0.2)  # the kernel closes descriptors a little after the start
        lease.release()
        try:
            lease_user().release()
        finally:
            child.kill()


def test_a_folder_that_others_can_write_is_not_used(tmp_path, monkeypatch):
    loose, link, good = tmp_path / "loose", tmp_path / "link", tmp_path / "good"
    loose.mkdir()
    loose.chmod(0o777)
    link.symlink_to(loose)
    monkeypatch.setattr(leases, "_FOLDERS", (loose, link, good))
    lease_user().release()
    assert list(loose.iterdir()) == []
    assert len(list(good.iterdir())) == 1
    monkeypatch.setattr(leases, "_FOLDERS", (loose, link))
    with pytest.raises(WorldError, match="no folder for the locks"):
        lease_user()


@pytest.mark.parametrize(
    ("uid_map", "expected"),
    [
        ("         0          0 4294967295\n", (600_000, 4096)),
        ("0 100000 65536\n", (60_000, 1024)),
        ("0 0 1\n1 100000 65536\n", (60_000, 1024)),
    ],
)
def test_the_range_fits_the_user_namespace(uid_map, expected):
    assert _usable_range(uid_map) == expected


def test_a_container_with_one_user_has_none_to_give():
    with pytest.raises(WorldError, match="too few users"):
        _usable_range("0 1000 1\n")


def test_nothing_is_leased_to_the_judge_itself():
    assert os.geteuid() not in range(600_000, 604_096)
