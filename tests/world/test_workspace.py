"""The private working folder: made, locked, cleaned up after the dead, and removed whatever is in it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from truelap.errors import UsageError, WorldError
from truelap.world.removal import remove_folder
from truelap.world.workspace import open_workspace


def names(folder: Path) -> list[str]:
    return sorted(entry.name for entry in folder.iterdir())


def test_it_is_private_and_gone_afterwards(tmp_path):
    with open_workspace(tmp_path) as workspace:
        assert workspace.root.parent == tmp_path
        assert workspace.root.stat().st_mode & 0o7777 == 0o711
        (workspace.folder("x") / "file").write_text("x")
    assert names(tmp_path) == []
    workspace.close()


def test_names_of_folders_say_nothing(tmp_path):
    with open_workspace(tmp_path) as workspace:
        first, second = workspace.folder("base"), workspace.folder("candidate")
        assert {len(first.name), len(second.name)} == {16}
        assert first != second
        assert not any(word in f"{first}{second}" for word in ("base", "candidate"))


def dead_workspace(parent: Path) -> Path:
    code = "import os,sys,pathlib;from truelap.world.workspace import open_workspace as o;w=o(pathlib.Path(sys.argv[1]));(w.folder('a')/'f').write_text('x');print(w.root,flush=True);os._exit(9)"
    done = subprocess.run([sys.executable, "-c", code, str(parent)], capture_output=True, text=True)
    return Path(done.stdout.strip())


def test_what_a_dead_judge_left_is_removed_and_a_live_one_is_not(tmp_path):
    dead = dead_workspace(tmp_path)
    assert dead.is_dir()
    with open_workspace(tmp_path) as first:
        assert not dead.exists()
        with open_workspace(tmp_path) as second:
            assert first.root.is_dir()
            assert second.root.is_dir()


def test_a_removal_that_was_cut_short_is_finished_by_the_next(tmp_path):
    dead = dead_workspace(tmp_path)
    dead.chmod(0o700)
    with open_workspace(tmp_path):
        assert not dead.exists()


@pytest.mark.parametrize(
    "name", ["truelap-out", "truelap-0123456789ab", "truelap-0123456789ag", ".truelap-unborn-0123456789ab"]
)
def test_other_folders_stay(tmp_path, name):
    folder = tmp_path / name
    folder.mkdir(mode=0o755)
    with open_workspace(tmp_path):
        assert folder.is_dir()


def test_a_link_with_such_a_name_is_not_followed(tmp_path):
    precious = tmp_path / "precious"
    precious.mkdir()
    precious.chmod(0o711)
    (tmp_path / "truelap-0123456789ab").symlink_to(precious)
    with open_workspace(tmp_path):
        assert precious.is_dir()


def test_somebody_elses_folder_stays(tmp_path, is_root):
    if not is_root:
        pytest.skip("only root can give a folder away")
    folder = tmp_path / "truelap-0123456789ab"
    folder.mkdir()
    folder.chmod(0o711)
    os.chown(folder, 12345, 12345)
    with open_workspace(tmp_path):
        assert folder.is_dir()


def test_a_newborn_is_removed_only_when_it_is_old(tmp_path, monkeypatch):
    newborn = tmp_path / ".truelap-unborn-0123456789ab"
    newborn.mkdir()
    now = time.time()
    with open_workspace(tmp_path):
        assert newborn.is_dir()
    monkeypatch.setattr(time, "time", lambda: now + 3600)
    with open_workspace(tmp_path):
        assert not newborn.exists()


def test_a_parent_that_is_no_folder(tmp_path):
    with pytest.raises(UsageError, match="--work"):
        open_workspace(tmp_path / "missing")


def test_a_parent_that_cannot_be_written():
    with pytest.raises(WorldError, match="--work") as caught:
        open_workspace(Path("/proc/self/fdinfo"))
    assert "\n" not in str(caught.value)


def test_a_full_disk_is_one_clear_line(tmp_path, is_root):
    if not is_root or shutil.which("unshare") is None:
        pytest.skip("needs root and unshare for a small disk of its own")
    code = """
import sys, pathlib
from truelap.errors import WorldError
from truelap.world.workspace import open_workspace
try:
    with open_workspace(pathlib.Path(sys.argv[1])) as workspace:
        for _ in range(99): workspace.folder("x")
except WorldError as error:
    print(error)
"""
    # The mount lives in a mount namespace of its own and ends with it.
    script = (
        f'mount -t tmpfs -o size=64k,nr_inodes=8 truelap-test "{tmp_path}" && exec "$0" -c "$1" "{tmp_path}"'
    )
    argv = ["unshare", "--mount", "--propagation", "private", "sh", "-c", script, sys.executable, code]
    done = subprocess.run(argv, capture_output=True, text=True)
    assert "No space left on device; make room there" in done.stdout, done.stderr
    assert done.stdout.count("\n") == 1
    assert names(tmp_path) == []


# Removal.


def test_removal_survives_depth_names_modes_and_links(tmp_path):
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "kept").write_text("x")
    root = tmp_path / "root"
    (root / "closed").mkdir(parents=True)
    (root / "closed" / "inner").mkdir()
    (root / "closed" / "inner" / "file").write_text("x")
    (root / "link").symlink_to(outside)
    for name in (b"\xff\xfe", b"new\nline", b"-rf", b" ", b"a" * 255):
        Path(os.fsdecode(os.fsencode(root) + b"/" + name)).mkdir()
    os.mkfifo(root / "pipe")
    place = os.open(root, os.O_RDONLY)
    for _ in range(3000):
        os.mkdir("d", dir_fd=place)
        inner = os.open("d", os.O_RDONLY, dir_fd=place)
        os.close(place)
        place = inner
    os.close(place)
    (root / "closed" / "inner").chmod(0)
    (root / "closed").chmod(0)
    assert remove_folder(root)
    assert names(tmp_path) == ["outside"]
    assert (outside / "kept").exists()


def test_removal_of_a_link_or_a_file_is_refused(tmp_path):
    (tmp_path / "file").write_text("x")
    (tmp_path / "link").symlink_to(tmp_path)
    for name in ("file", "link"):
        with pytest.raises(NotADirectoryError):
            remove_folder(tmp_path / name)
    assert names(tmp_path) == ["file", "link"]


def test_removal_is_bounded_in_time_and_can_go_on(tmp_path):
    root = tmp_path / "root"
    for number in range(20):
        (root / str(number) / "x").mkdir(parents=True)
    assert not remove_folder(root, timeout_s=0)
    assert root.exists()
    assert remove_folder(root)
    assert remove_folder(root)
    assert not root.exists()
