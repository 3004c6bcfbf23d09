"""Which words of a build command mean the project's interpreter."""

from __future__ import annotations

from pathlib import Path

import pytest

from truelap.prepare.build_command import with_interpreter

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
        "../venv/bin/python",
        "../link/bin/python",
        "/inside/python",
    ],
)
def test_it_is_the_interpreter(venv, word):
    command = (word.replace("@", str(venv)), "setup.py")
    assert with_interpreter(command, INSIDE, venv / "bin/python") == ("/inside/python", "setup.py")


@pytest.mark.parametrize("word", ["make", "../other/bin/python", "./python", "build/python", "/usr/bin/env"])
def test_it_is_something_else(venv, word):
    assert with_interpreter((word, "x"), INSIDE, venv / "bin/python") == (word, "x")
