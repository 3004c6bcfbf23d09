"""A base of each test file's own `FILES`, and what becomes of a submission on it."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import pytest

from truelap.model import Case
from truelap.policy import load_policy
from truelap.prepare.admit import admit
from truelap.prepare.base import base_of_revision
from truelap.prepare.collect import collect
from truelap.task import Task
from truelap.world import World
from truelap.world.bubblewrap import Bubblewrap
from truelap.world.events import Events
from truelap.world.git import Store
from truelap.world.interpreter import inspect
from truelap.world.trees import Trees
from truelap.world.workspace import open_workspace

POLICY = load_policy()


@pytest.fixture
def base(store, repo, request):
    return base_of_revision(store, repo.folder, repo.commit(request.module.FILES))


@pytest.fixture
def prepared(store):
    """Sends a submission along the first stations: collect, admit, and more that are named."""

    def run(submission, base, policy=POLICY, more=()) -> Case:
        world, case = SimpleNamespace(store=store, interpreter=None), Case(name="t", base=base)
        for station in (partial(collect, submission), admit, *more):
            case = station(case, world, policy, Task(), None)
        return case

    return run


@pytest.fixture(scope="module")
def interpreter():
    return inspect(Path(sys.executable))


@pytest.fixture
def world(tmp_path, interpreter):
    """A whole one, with the real sandbox."""
    with open_workspace(tmp_path) as workspace:
        store = Store.create(workspace.folder("store"))
        yield World(
            store=store,
            trees=Trees(store, workspace),
            workspace=workspace,
            sandbox=Bubblewrap(interpreter),
            interpreter=interpreter,
            events=Events(),
        )
