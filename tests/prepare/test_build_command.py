"""Which words of a build command mean the project's interpreter."""

from __future__ import annotations

from pathlib import Path

import pytest

from truelap.errors import UsageError
from truelap.prepare.build_command import from_the_root, with_interpreter

INSIDE = Path("/inside/python")


@pytest.fixture
def venv(tmp_path, monkeypatch) -> Path:
    """Two environments of one Python, and the folder that commands are typed in."""
    (tmp_path / "real").write_text("")
    for name in ("venv", "other"):
        (tmp_path / name / "bin").mkdir(parents=True)
        (tmp_path / name / "bin/python").symlink_to(tmp_path / "real")
    (tmp_path / "venv/bin/python3").symlink_to("python")
    (tmp_path / "link").symlink_to("venv")
    (tmp_path / "src").mkdir()
    monkeypatch.chdir(tmp_path / "src")
    return tmp_path / "venv"


@pytest.mark.parametrize(
    "word",
    [
        "python",
        "python3",
        "@/bin/python",
        "@/bin/python3",
        "@/../venv/bin/../bin/python",
        "@/../link/bin/python",
        "/inside/python",
    ],
)
def test_it_is_the_interpreter(venv, word):
    command = (word.replace("@", str(venv)), "setup.py")
    assert with_interpreter(command, INSIDE, venv / "bin/python") == ("/inside/python", "setup.py")


@pytest.mark.parametrize(
    "word",
    ["make", "@/../other/bin/python", "../venv/bin/python", "./python", "build/python", "/usr/bin/env"],
)
def test_it_is_something_else(venv, word):
    word = word.replace("@", str(venv))
    assert with_interpreter((word, "x"), INSIDE, venv / "bin/python") == (word, "x")


@pytest.mark.parametrize(
    "word",
    ["../venv/bin/python", "../link/bin/python3", "no/../../venv/bin/python", "./../venv/bin/../bin/python"],
)
def test_a_relative_path_is_read_from_the_root_wherever_the_judge_stands(venv, monkeypatch, word):
    monkeypatch.chdir("/")
    build = ((word, "setup.py"), ("make",))
    assert from_the_root(build, venv.parent / "src", venv / "bin/python") == (
        ("python", "setup.py"),
        ("make",),
    )


def test_so_is_an_interpreter_that_lies_in_the_root(venv):
    build = (("venv/bin/python", "setup.py"),)
    assert from_the_root(build, venv.parent, venv / "bin/python") == (("python", "setup.py"),)


@pytest.mark.parametrize(
    "word", ["make", "./configure", "tools/../build.sh", "/usr/bin/env", "venv/bin/python"]
)
def test_what_stays_in_the_root_is_left_as_it_is(venv, word):
    assert from_the_root(((word, "x"),), venv.parent / "src", venv / "bin/python") == ((word, "x"),)


@pytest.mark.parametrize(
    "word", ["../other/bin/python", "../make.sh", "a/../../b", "../../nowhere/python", ""]
)
def test_what_leads_nowhere_inside_is_an_error_of_usage_in_one_line(venv, word):
    with pytest.raises(UsageError, match=r"^task file: environment\.build: .*") as caught:
        from_the_root(((word, "x"),), venv.parent / "src", venv / "bin/python")
    assert word in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_command_without_words_is_an_error_of_usage(venv):
    with pytest.raises(UsageError, match="without a program"):
        from_the_root(((),), venv.parent, venv / "bin/python")
