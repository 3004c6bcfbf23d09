"""A base of each test file's own `FILES`, and what becomes of a submission on it."""

from __future__ import annotations

from functools import partial
from types import SimpleNamespace

import pytest

from truelap.model import Case
from truelap.policy import load_policy
from truelap.prepare.admit import admit
from truelap.prepare.base import base_of_revision
from truelap.prepare.collect import collect
from truelap.task import Task

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
