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
    assert len(pairs(words, "--bind")) == 1
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

    assert covered(repo)[2:] == ["/one/repo", "/two/repo"]
    assert covered(tmp_path / "link")[2:] == ["/one/repo", "/two/repo"]
    assert covered(tmp_path, tmp_path / "missing")[2:] == []
    assert covered(Path("/usr/share"))[2:] == ["/usr/share"]


def test_limits_never_exceed_what_the_judge_may_have(limits, monkeypatch):
    monkeypatch.setattr(resource, "getrlimit", lambda _: (100, 1000))
    assert all(hard <= 1000 and soft <= hard for _, soft, hard in view.resource_limits(limits))
    monkeypatch.setattr(resource, "getrlimit", lambda _: (100, resource.RLIM_INFINITY))
    assert (resource.RLIMIT_FSIZE, limits.file_bytes, limits.file_bytes) in view.resource_limits(limits)


@pytest.mark.parametrize("name", ["OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"])
def test_numeric_libraries_get_one_thread(interpreter, name):
    assert view.fixed_environment(interpreter)[name] == "1"


def test_the_steps_variables_win(step, interpreter):
    words = view.arguments(replace(step(""), env={"PYTHONHASHSEED": "7"}), interpreter, (), str)
    assert [value for name, value in pairs(words, "--setenv") if name == "PYTHONHASHSEED"] == ["7"]
