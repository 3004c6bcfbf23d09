"""A candidate that leaves a module to a copy in the environment fails; whatever the tree still brings is its own affair."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import pytest

from truelap.model import Base, Case
from truelap.policy import load_policy
from truelap.prepare.installed import given_up
from truelap.prepare.rebuild import rebuild
from truelap.settings import Settings
from truelap.task import Task
from truelap.world import World
from truelap.world.bubblewrap import Bubblewrap
from truelap.world.events import Events
from truelap.world.git import Store
from truelap.world.installed import installed
from truelap.world.interpreter import inspect
from truelap.world.trees import Trees
from truelap.world.workspace import open_workspace

POLICY = load_policy()
FILES = {
    "pkg/__init__.py": "",
    "pkg/core.py": "x = 1\n",
    "single.py": "",
    "space/part/__init__.py": "",
    "old.py": "",
    "tests/test_core.py": "",
}


@pytest.fixture(scope="module")
def interpreter():
    return inspect(Path(sys.executable))


@pytest.fixture
def judge(tmp_path, interpreter):
    """What the station says of a submission's deletions and additions, where these modules are installed."""
    site = tmp_path / "lib/python3/site-packages"
    for name in (
        "pkg/__init__.py",
        "pkg/core.py",
        "single.cpython-311-x86_64-linux-gnu.so",
        "space/part/__init__.py",
    ):
        (site / name).parent.mkdir(parents=True, exist_ok=True)
        (site / name).write_text("")
    (site / "pkg-1.dist-info").mkdir()
    with open_workspace(tmp_path) as workspace:
        store = Store.create(workspace.folder("store"))
        world = World(
            store=store,
            trees=Trees(store, workspace),
            workspace=workspace,
            sandbox=Bubblewrap(interpreter),
            interpreter=replace(interpreter, path=(*interpreter.path, site)),
            events=Events(),
        )

        def judged(gone=(), added=(), policy=POLICY):
            kept = {
                **{name: text for name, text in FILES.items() if name not in gone},
                **dict.fromkeys(added, ""),
            }
            trees = [
                store.replace(
                    None, [(n.encode(), 0o100644, store.add_blob(t.encode())) for n, t in files.items()]
                )
                for files in (FILES, kept)
            ]
            case = Case(name="t", base=Base(given="b", commit=None, tree=trees[0]), candidate_tree=trees[1])
            after = rebuild(case, world, policy, Task(), Settings(python=Path(sys.executable), seed=1))
            return [(f.code, f.level, f.path) for f in after.findings]

        yield judged


def missing(*names):
    return [("tests:installed_copy", "fail", name) for name in names]


@pytest.mark.parametrize(
    ("gone", "named"),
    [
        (["pkg/__init__.py", "pkg/core.py"], ["pkg"]),
        (["pkg/__init__.py"], ["pkg"]),  # a folder without it gives way to a package elsewhere
        (["single.py"], ["single"]),
        (["space/part/__init__.py"], ["space/part"]),
    ],
)
def test_what_an_installed_copy_would_stand_in_for_is_a_failure(judge, gone, named):
    assert judge(gone) == missing(*named)


@pytest.mark.parametrize(
    ("gone", "added"),
    [
        ([], []),
        (["old.py"], []),  # nobody has a copy
        (["pkg/core.py"], []),  # Python looks for it in the tree's own package and nowhere else
        (["pkg/__init__.py", "pkg/core.py"], ["pkg.py"]),
        (["single.py"], ["single/__init__.py"]),
        (["single.py"], ["single.cpython-311-x86_64-linux-gnu.so"]),
    ],
)
def test_what_the_tree_still_brings_or_nobody_has_is_fine(judge, gone, added):
    assert judge(gone, added) == []


def test_without_the_defence_the_copy_goes_unnoticed(judge):
    assert judge(["pkg/__init__.py", "pkg/core.py"], policy=POLICY.without(["installed_copy"])) == []


def test_the_standard_library_is_no_copy(interpreter):
    assert installed(interpreter, [b"queue", b"json", b"_json"]) == ()
    assert installed(interpreter, [b"pytest", b"nobody_has_this"]) == (b"pytest",)


def test_each_root_stands_for_itself():
    base = [b"src/pkg/__init__.py", b"tools.py"]
    assert given_up(base, [b"pkg/__init__.py", b"tools.py"], [b"src/", b""]) >= {b"pkg"}
    assert given_up(base, base, [b"src/", b""]) == frozenset()
    flat = [b"pkg/__init__.py"]
    assert given_up(flat, [b"src/pkg/__init__.py"], [b""], [b"src/"]) == frozenset()
