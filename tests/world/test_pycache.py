"""Bytecode: the environment's own is used, the tree's is made anew, and neither is written outside of scratch."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from truelap.world.interpreter import inspect
from truelap.world.pycache import mirrored, with_bytecode
from truelap.world.sandbox import MOUNT
from truelap.world.view import PYCACHE

ASK = """
import importlib.util, json, os, sys
sys.path.insert(0, os.getcwd())
import pkg.mod
def cached(module):
    path = importlib.util.cache_from_source(module.__file__)
    return path, os.path.exists(path)
print(json.dumps([sys.pycache_prefix, cached(json), cached(pkg.mod), json.__cached__]))
"""


def test_the_environments_bytecode_is_used_and_the_trees_is_made(bubblewrap, step, interpreter):
    asked = step("")
    python = str(interpreter.executable)
    asked = type(asked)(asked.name, (python, "-s", "-c", ASK), asked.tree, asked.limits, channel=False)
    with bubblewrap.start(asked) as session:
        ending = session.wait(20)
    import json

    prefix, environments, trees, known = json.loads(ending.output)
    assert prefix == str(PYCACHE)
    assert environments == [known, True]
    assert environments[0].startswith(str(PYCACHE))
    assert trees == [f"{PYCACHE}{MOUNT}/pkg/mod.{sys.implementation.cache_tag}.pyc", True]
    assert not (asked.tree / "pkg" / "__pycache__").exists()


OURS = """
import importlib.util, os, struct
source = "/truelap/probes/run_tests.py"
with open(importlib.util.cache_from_source(source), "rb") as file:
    magic, flags, mtime, size = struct.unpack("<4sIII", file.read(16))
found = os.stat(source)
print(magic == importlib.util.MAGIC_NUMBER, flags, mtime == int(found.st_mtime), size == found.st_size)
"""


def test_our_own_programs_are_not_compiled_in_every_sandbox(bubblewrap, step, interpreter):
    asked = step("")
    python = str(interpreter.executable)
    asked = type(asked)(asked.name, (python, "-s", "-c", OURS), asked.tree, asked.limits, channel=False)
    with bubblewrap.start(asked) as session:
        ending = session.wait(20)
    assert ending.output.split() == [b"True", b"0", b"True", b"True"]


def test_links_point_at_the_environment(tmp_path):
    found = inspect(Path(sys.executable))
    before = os.umask(0o077)
    try:
        shown = with_bytecode(found, tmp_path)
    finally:
        os.umask(before)
    mirrors = [bind for bind in shown.binds if bind not in found.binds]
    assert mirrors
    assert all(bind.target.is_relative_to(PYCACHE) for bind in mirrors)
    links = [path for bind in mirrors for path in bind.source.rglob("*") if path.is_symlink()]
    assert len(links) > 50
    assert all(path.readlink().exists() for path in links)
    folders = [place for bind in mirrors for place, _, _ in os.walk(bind.source)]
    assert {Path(place).stat().st_mode & 0o777 for place in folders} == {0o755}


def test_no_folder_is_left(tmp_path):
    with mirrored(inspect(Path(sys.executable)), tmp_path) as shown:
        source = next(bind.source for bind in shown.binds if bind.target.is_relative_to(PYCACHE))
        assert source.is_dir()
    assert not source.exists() or source.is_relative_to(tmp_path)
