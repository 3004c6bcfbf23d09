"""Result folders: whole or nothing, links refused, older results gone."""

import os
import subprocess
from pathlib import Path

import pytest

from truelap.errors import UsageError, WorldError
from truelap.world.output import Output


def _names(folder: Path) -> list[str]:
    return sorted(p.name for p in folder.iterdir())


def test_writes_every_file_and_the_verdict_last(tmp_path, monkeypatch):
    order = []
    rename = os.rename
    monkeypatch.setattr(os, "rename", lambda a, b, **fds: (order.append(b), rename(a, b, **fds)))
    with Output(tmp_path / "a" / "out") as out:
        out.write({"verdict.json": b"{}", "tests.json": b"[]", "zzz.txt": b"z"})
    assert order == ["tests.json", "zzz.txt", "verdict.json"]
    assert (tmp_path / "a/out/tests.json").read_bytes() == b"[]"
    assert _names(tmp_path / "a/out") == ["tests.json", "verdict.json", "zzz.txt"]


def test_older_results_go_first_and_other_files_stay(tmp_path):
    for name in ("verdict.json", "reward.json", "tree_diff_refused.txt", ".truelap-0123", "mine.txt"):
        (tmp_path / name).write_text("old")
    with Output(tmp_path) as out:
        out.clear()
    assert _names(tmp_path) == ["mine.txt"]


def test_folders_are_made_for_other_layouts_and_cleared_again(tmp_path):
    with Output(tmp_path) as out:
        out.write({"verdict.json": b"{}", "formulacode/lsv/lsv_results.json": b"[]"})
        assert (tmp_path / "formulacode/lsv/lsv_results.json").read_bytes() == b"[]"
        out.clear()
    assert [p for p in tmp_path.rglob("*") if p.is_file()] == []


def test_a_linked_folder_inside_is_refused(tmp_path):
    (tmp_path / "elsewhere").mkdir()
    out = tmp_path / "out"
    out.mkdir()
    (out / "formulacode").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(UsageError, match="formulacode"):
        Output(out)


def test_a_linked_folder_is_refused_and_the_folder_itself_is_not(tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    with pytest.raises(UsageError, match="is a link or not a folder"):
        Output(tmp_path / "link")
    Output(tmp_path / "real").close()


def test_a_dangling_link_and_a_file_are_refused(tmp_path):
    (tmp_path / "gone").symlink_to("nowhere")
    (tmp_path / "file").write_text("")
    for name in ("gone", "file"):
        with pytest.raises(UsageError, match="not a folder"):
            Output(tmp_path / name)


@pytest.mark.parametrize("name", ["verdict.json", "reward.txt", "events.jsonl"])
def test_a_link_under_a_results_name_is_refused(tmp_path, name):
    victim = tmp_path / "victim"
    victim.write_text("precious")
    out = tmp_path / "out"
    out.mkdir()
    (out / name).symlink_to(victim)
    with pytest.raises(UsageError, match=name):
        Output(out)
    assert victim.read_text() == "precious"


def test_a_link_planted_after_the_check_is_replaced_not_followed(tmp_path):
    victim = tmp_path / "victim"
    victim.write_text("precious")
    with Output(tmp_path / "out") as out:
        (tmp_path / "out/verdict.json").symlink_to(victim)
        out.write({"verdict.json": b"{}"})
    assert victim.read_text() == "precious"
    assert not (tmp_path / "out/verdict.json").is_symlink()


def test_a_folder_swapped_after_the_check_changes_nothing(tmp_path):
    out_path, elsewhere = tmp_path / "out", tmp_path / "elsewhere"
    elsewhere.mkdir()
    with Output(out_path) as out:
        out_path.rename(tmp_path / "moved")
        out_path.symlink_to(elsewhere)
        out.write({"verdict.json": b"{}"})
    assert _names(elsewhere) == []
    assert _names(tmp_path / "moved") == ["verdict.json"]


@pytest.mark.skipif(os.geteuid() != 0, reason="mounting a small disk needs root")
def test_a_full_disk_leaves_no_result(tmp_path):
    disk = tmp_path / "disk"
    disk.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", disk], check=True)
    try:
        with Output(disk / "out") as out, pytest.raises(WorldError, match="No space left on device"):
            out.write({"verdict.json": b"{}", "patch.diff": b"x" * 200_000, "reward.json": b"{}"})
        assert _names(disk) == []
        with Output(disk / "out") as out:
            out.write({"verdict.json": b"{}"})
        assert _names(disk / "out") == ["verdict.json"]
    finally:
        subprocess.run(["umount", disk], check=True)


@pytest.mark.parametrize("name", ["patch.diff", "report.html"])
def test_a_file_of_the_users_own_is_never_taken_for_an_older_result(tmp_path, name):
    (tmp_path / name).write_text("mine")
    with pytest.raises(UsageError, match="no run of truelap wrote it"):
        Output(tmp_path)
    assert (tmp_path / name).read_text() == "mine"


def test_an_older_run_is_replaced(tmp_path):
    for content in (b"old", b"new"):
        with Output(tmp_path) as out:
            out.clear()
            out.write({"events.jsonl": b"", "patch.diff": content, "verdict.json": b"{}"})
    assert (tmp_path / "patch.diff").read_bytes() == b"new"
