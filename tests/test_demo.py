"""The bundled sample: complete, honest where it says so, and judged as it says."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from pathlib import Path

import pytest
from rich.console import Console

from truelap import demo
from truelap.cli import results
from truelap.policy import load_policy
from truelap.settings import Settings

SAMPLE = Path(demo.__file__).parent / "sample"


@pytest.fixture
def project(tmp_path) -> Path:
    folder = tmp_path / "project"
    demo.shutil.copytree(SAMPLE / "project", folder, ignore=demo._byte_code)
    return folder


def own_tests(folder: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:randomly"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True)


def apply(folder: Path, name: str) -> None:
    subprocess.run(["git", "apply", "--unsafe-paths", SAMPLE / "submissions" / name], cwd=folder, check=True)


def test_every_diff_is_listed_and_every_listed_diff_is_there():
    listed = {submission.file for submission in demo.read_submissions(SAMPLE)}
    assert listed == {path.name for path in (SAMPLE / "submissions").glob("*.diff")}
    assert len(listed) == 4
    assert [s.kind for s in demo.read_submissions(SAMPLE)].count("honest") == 1


@pytest.mark.parametrize("submission", demo.read_submissions(SAMPLE), ids=lambda s: s.name)
def test_every_diff_applies(project, submission):
    apply(project, submission.file)


def test_the_sample_passes_its_own_tests_before_and_after_the_honest_patch(project):
    assert own_tests(project).returncode == 0
    apply(project, "honest.diff")
    after = own_tests(project)
    assert after.returncode == 0, after.stdout


def test_the_wrong_patch_hides_behind_skips(project):
    apply(project, "fast-but-wrong.diff")
    after = own_tests(project)
    assert after.returncode == 0
    assert "skipped" in after.stdout


def test_the_demo_is_right(tmp_path):
    said, words = io.StringIO(), []
    settings = Settings(python=Path(sys.executable), seed=1, work=tmp_path, out=tmp_path / "out")
    found = demo.run(policy=load_policy(), settings=settings, progress=words.append)
    demo.show(found, 3.0, Console(file=said))
    assert demo.exit_code(found) == 0, said.getvalue()
    assert "All as expected, in 3 s." in said.getvalue()
    assert max(map(len, said.getvalue().splitlines())) == 80
    assert {"honest: tests", "honest: time", "startup-file: admit"} <= set(words)
    assert {path.name for path in (tmp_path / "out").iterdir()} == {
        s.name for s in demo.read_submissions(SAMPLE)
    }


def test_the_command_prints_json_when_asked_and_one_that_is_not_as_expected_fails_it(
    monkeypatch, capfdbinary
):
    refused = next(s for s in demo.read_submissions(SAMPLE) if s.outcome == "refused")
    hoped = refused.model_copy(update={"outcome": "accepted", "failure_reason": None})
    monkeypatch.setattr(demo, "read_submissions", lambda sample: (hoped,))
    assert results.demo(results.Demo(seed=1, json=True)) == 1
    (one,) = json.loads(capfdbinary.readouterr().out)
    assert (one["name"], one["as_expected"], one["verdict"]["outcome"]) == (refused.name, False, "refused")
    assert results.demo(results.Demo(seed=1, quiet=True)) == 1
    assert capfdbinary.readouterr() == (b"", b"")
    assert results.demo(results.Demo(seed=1)) == 1
    assert b"NOT as expected" in capfdbinary.readouterr().out
