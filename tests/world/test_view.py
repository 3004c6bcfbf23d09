"""What a sandbox shows, as bubblewrap's arguments: worked out without starting anything."""

from __future__ import annotations

import resource
from dataclasses import replace
from pathlib import Path, PurePosixPath

import pytest

from truelap.world import view
from truelap.world.sandbox import PROBES, Bind


def pairs(words: list[str], option: str) -> list[tuple[str, str]]:
    return [(words[at + 1], words[at + 2]) for at, word in enumerate(words) if word == option]


def test_sources_go_through_the_stage(step, interpreter):
    asked = step("")
    words = view.arguments(asked, interpreter, (), lambda path: f"staged:{path.name}")
    assert (f"staged:{asked.tree.name}", str(asked.mount)) in pairs(words, "--bind")
    shown = {target: source for source, target in pairs(words, "--ro-bind")}
    assert shown[str(PROBES)] == "staged:probes"
    assert all(shown[str(bind.target)].startswith("staged:") for bind in interpreter.binds)
    assert not any(str(asked.tree) in word for word in words)


def test_only_the_tree_is_shown_writable(step, interpreter):
    words = view.arguments(step(""), interpreter, (), str)
    assert {target for _, target in pairs(words, "--bind")} == {"/workspace/repo", "/tmp", "/dev/shm"}
    assert not {"--dev-bind", "--bind-try", "--share-net", "--cap-add", "--bind-data"} & set(words)
    assert words[-4:] == ["--remount-ro", "/", "--chdir", "/workspace/repo"]


def test_inner_binds_come_after_the_folders_that_hold_them(step, interpreter, tmp_path):
    inner = Bind(tmp_path, PurePosixPath("/a/b"))
    outer = Bind(tmp_path, PurePosixPath("/a"))
    words = view.arguments(replace(step(""), binds=(inner, outer)), interpreter, (), str)
    targets = [target for _, target in pairs(words, "--ro-bind")]
    assert targets.index("/a") < targets.index("/a/b")


def test_hidden_folders_are_covered_wherever_they_show(step, interpreter, tmp_path):
    repo = tmp_path / "shown" / "repo"
    repo.mkdir(parents=True)
    (tmp_path / "link").symlink_to(repo)
    bind = Bind(tmp_path / "shown", PurePosixPath("/one"))
    asked = replace(step(""), binds=(bind, replace(bind, target=PurePosixPath("/two"))))

    def covered(*hidden: Path) -> list[str]:
        words = view.arguments(asked, interpreter, hidden, str)
        return [words[at + 1] for at, word in enumerate(words) if word == "--tmpfs"]

    assert covered(repo) == ["/one/repo", "/two/repo"]
    assert covered(tmp_path / "link") == ["/one/repo", "/two/repo"]
    assert covered(tmp_path, tmp_path / "missing") == []
    assert covered(Path("/usr/share")) == ["/usr/share"]


def test_rooms_have_a_quota_of_bytes_and_of_files(limits):
    small = limits.model_copy(update={"scratch_bytes": 5, "files": 7})
    assert set(view.rooms(small).values()) == {"mode=1777,size=5,nr_inodes=7"}
    words = view._ROOMS
    assert set(words.values()) == {"/tmp", "/dev/shm"}


def test_threads_beside_the_step_are_not_taken_from_its_number(limits):
    found = {kind: hard for kind, _, hard in view.resource_limits(limits, beside=100)}
    assert found[resource.RLIMIT_NPROC] == limits.processes + 100
    assert found[resource.RLIMIT_NICE] == 0


def test_limits_never_exceed_what_the_judge_may_have(limits, monkeypatch):
    monkeypatch.setattr(resource, "getrlimit", lambda _: (100, 1000))
    assert all(hard <= 1000 and soft <= hard for _, soft, hard in view.resource_limits(limits))
    monkeypatch.setattr(resource, "getrlimit", lambda _: (100, resource.RLIM_INFINITY))
    assert (resource.RLIMIT_FSIZE, limits.file_bytes, limits.file_bytes) in view.resource_limits(limits)


@pytest.mark.parametrize("name", ["OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"])
def test_numeric_libraries_get_one_thread(interpreter, name):
    assert view.fixed_environment(interpreter)[name] == "1"


def test_pools_of_threads_are_as_large_as_what_the_step_is_kept_on(step, interpreter):
    for cores, size in ((None, "1"), (frozenset({0}), "1"), (frozenset({0, 1}), "2")):
        words = view.arguments(replace(step(""), cores=cores), interpreter, (), str)
        told = dict(pairs(words, "--setenv"))
        assert {told[name] for name in view._POOLS} == {size}


def test_the_steps_variables_win(step, interpreter):
    words = view.arguments(replace(step(""), env={"PYTHONHASHSEED": "7"}), interpreter, (), str)
    assert [value for name, value in pairs(words, "--setenv") if name == "PYTHONHASHSEED"] == ["7"]
