"""The commands of the tutorial, as a newcomer would type them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


def block(heading: str, first_word: str) -> str:
    """The first block of commands below a heading that begins with a word."""
    page = (ROOT / "docs/tutorial/first-verdict.md").read_text("utf-8")
    section = page.split(f"## {heading}", 1)[1].split("\n## ", 1)[0]
    blocks = [
        "\n".join(line[4:] for line in part.splitlines())
        for part in section.split("\n\n")
        if part.startswith("    ")
    ]
    return next(commands for commands in blocks if commands.startswith(first_word))


def typed(commands: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run commands with the folder in the place of /tmp."""
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    script = commands.replace("/tmp/", f"{folder}/").replace(". .venv/bin/activate\n", "")
    environment = {**os.environ, "PATH": path}
    return subprocess.run(["bash", "-c", script], cwd=ROOT, env=environment, capture_output=True, text=True)


@pytest.mark.slow
def test_the_tutorial_does_what_it_says(tmp_path):
    first = typed(block("2.", ". .venv"), tmp_path)
    assert first.returncode == 0, first.stderr
    verdict = json.loads((tmp_path / "first" / "verdict.json").read_text())
    assert (verdict["outcome"], verdict["speed"]) == ("accepted", "faster")
    assert verdict["discarded"] == ["tests/test_counts.py"]
    second = typed(block("4.", "cp -r"), tmp_path)
    assert second.stdout.splitlines()[-1] == "1", second.stderr
    assert (
        json.loads((tmp_path / "second" / "verdict.json").read_text())["failure_reason"] == "tests_regressed"
    )
