"""The backend `none`: no protection, but no litter, and not slower than it must be."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from truelap.world.unsandboxed import Unsandboxed

ASK = "import json, os; print(json.dumps([json.__cached__, os.path.realpath(json.__cached__)]))"


@pytest.fixture
def asked(step, interpreter):
    return replace(step(""), argv=(str(interpreter.executable), "-s", "-c", ASK))


def test_its_folders_lie_beside_the_tree_where_the_judge_removes_them(
    asked, interpreter, tmp_path, monkeypatch
):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    before = set(asked.tree.parent.iterdir())
    with Unsandboxed(interpreter).start(asked) as session:
        assert len(set(asked.tree.parent.iterdir()) - before) == 1
        ending = session.wait(20)
    assert ending.code == 0, ending.output
    assert set(asked.tree.parent.iterdir()) == before
    assert list(tmp_path.iterdir()) == []


def test_the_environments_bytecode_is_used(asked, interpreter):
    with Unsandboxed(interpreter).start(asked) as session:
        ending = session.wait(20)
    cached, real = map(Path, json.loads(ending.output))
    assert "pycache" in cached.parts
    assert "__pycache__" not in cached.parts
    assert real.parent.name == "__pycache__"
    assert real.exists()
