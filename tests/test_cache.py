"""What is kept of base: the second verification uses it, says so, and comes to the same."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest

from truelap.errors import UsageError
from truelap.settings import Settings
from truelap.verify import verify
from truelap.world.keep import Keep


def outputs(tiny, keep: Path, patch: str = "faster", **more):
    seen = []
    settings = Settings(
        **{"python": Path(sys.executable), "seed": 5, "keep": keep, "effort": "quick", **more}
    )
    diff = tiny.folder.parent / f"{patch}.diff"
    verdict = verify(
        tiny.folder, base="HEAD", patch=diff, settings=settings, only="outputs", progress=seen.append
    )
    return verdict, seen


def truncate(folder: Path, kind: str) -> None:
    for entry in Keep(folder).entries():
        if entry.kind == kind:
            entry.path.write_bytes(entry.path.read_bytes()[:-3])


def test_base_s_outputs_are_kept_and_judge_the_next_submission(tiny, tmp_path):
    keep = tmp_path / "keep"
    first, seen = outputs(tiny, keep)
    assert (first.outputs["n_equal"], first.outputs["n_base_kept"]) == (1, 0)
    assert any("listing the benchmarks" in text for text in seen)
    second, seen = outputs(tiny, keep, "wrong")
    assert (second.outputs["n_differs"], second.outputs["n_base_kept"]) == (1, 1)
    assert not any("listing the benchmarks" in text for text in seen)

    truncate(keep, "outputs")
    third, _ = outputs(tiny, keep)
    assert (third.outputs["n_equal"], third.outputs["n_base_kept"]) == (1, 0)
    assert [f.level for f in third.findings if f.code == "cache:damaged"] == ["info"]


def test_a_place_that_nobody_named_keeps_nobody_from_judging(tiny, tmp_path):
    keep = tmp_path / "open"
    keep.mkdir()
    keep.chmod(0o777)
    with pytest.raises(UsageError, match="others may write"):
        outputs(tiny, keep)
    verdict, _ = outputs(tiny, keep, keep_named=False)
    assert verdict.outputs["n_equal"] == 1
    (found,) = [f for f in verdict.findings if f.code == "cache:unused"]
    assert "others may write" in found.message
    assert list(keep.iterdir()) == []


def cache(*argv: object) -> str:
    command = [sys.executable, "-m", "truelap", "cache", *map(str, argv)]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def test_a_size_is_a_whole_number_of_bytes():
    command = [sys.executable, "-m", "truelap", "cache", "prune", "--most", "1GB"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 2
    assert "--most: give a whole number of bytes: 1000000000 is 1 GB; see" in done.stderr


def test_the_command_lists_and_removes(tmp_path):
    folder = tmp_path / "keep"
    keep = Keep(folder)
    for keep.task, kind, key in (("mine", "outputs", "aa"), ("mine", "outputs", "bb"), ("", "draws", "cc")):
        keep.put(kind, key, b"x")
    long_ago = time.time() - 200
    os.utime(folder / "cc" / "cc.draws", (long_ago, long_ago))
    told = json.loads(cache("list", "--keep", folder, "--json"))
    assert [(row["kind"], row["task"]) for row in told["entries"]] == [
        ("draws", ""),
        *[("outputs", "mine")] * 2,
    ]
    shown = cache("list", "--keep", folder).splitlines()
    assert [re.split(" {2,}", line) for line in shown[:-1]] == [
        ["task", "kind", "values", "size", "last used"],
        ["(no task)", "draws", "1", f"{told['entries'][0]['bytes']} B", "3 min ago"],
        ["mine", "outputs", "2", f"{2 * told['entries'][1]['bytes']} B", "just now"],
    ]
    assert (
        len({line.index(word) for line, word in zip(shown, ("kind", "draws", "outputs"), strict=False)}) == 1
    )
    one = told["entries"][-1]["bytes"]
    assert "2 removed" in cache("prune", "--keep", folder, "--most", one)
    assert len([path for path in folder.iterdir() if path.is_dir()]) == 1
    assert json.loads(cache("clear", "--keep", folder, "--json"))["removed"] == 1
    assert Keep(folder).entries() == ()


def test_the_default_place_is_the_users_own_and_can_be_left_alone(tiny, tmp_path):
    def run(*more: object) -> subprocess.CompletedProcess[str]:
        named = ("--base", "HEAD", "--patch", tiny.folder.parent / "faster.diff", "--effort", "quick")
        command = [sys.executable, "-m", "truelap", "outputs", tiny.folder, *named, *more]
        env = {**os.environ, "XDG_CACHE_HOME": str(tmp_path / "xdg")}
        return subprocess.run(list(map(str, command)), capture_output=True, text=True, env=env)

    assert run("--no-cache").returncode == 0
    assert not (tmp_path / "xdg").exists()
    done = run("--no-cache", "--keep", tmp_path / "keep")
    assert (done.returncode, "contradict" in done.stderr) == (2, True)
    assert run().returncode == 0
    place = tmp_path / "xdg" / "truelap"
    assert place.stat().st_mode & 0o777 == 0o700
    assert {"benchmarks", "outputs", "habits", "draws"} == {entry.kind for entry in Keep(place).entries()}
