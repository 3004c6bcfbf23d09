"""What the code of a tree can tell its surroundings by: alike in tests, outputs and timing, but for what is listed here.

A new cue makes these tests fail: take it away, or list it here and in SECURITY.md.
"""

from __future__ import annotations

import json
import re
import sys
from dataclasses import replace
from importlib.metadata import entry_points
from pathlib import Path

import pytest

from truelap.checks import outputs, tests, timing
from truelap.model import Base, Case
from truelap.policy import load_policy
from truelap.settings import Settings
from truelap.task import Task
from truelap.world.opening import open_world

CUES = (Path(__file__).parent / "cues.py").read_text()
RUNNING = {
    *("module benchmarks", "module benchmarks.bench", "module test_total", "tests", "frames"),
    # The folder of the test, pytest's rewriting of assertions, and asv's way to the suite.
    *("search path", "finders"),
    # Standard output is captured; warnings, logging and errors in threads are collected.
    *("descriptors", "streams", "warnings", "logging", "hooks"),
    # Benchmarks have one core.
    "cores",
    "objects of the worker",
}
"""What a test finds otherwise than a benchmark does."""

IN_A_CASE = {
    "environment",  # PYTEST_CURRENT_TEST
    # A benchmark runs in a process and a folder of its own, without garbage collection.
    *("working folder", "temporary files", "process", "collector", "frozen objects"),
}
"""The same, when it is called."""

DEAR = ("perturb", "canaries", "mutants")
"""Defences that only repeat sessions."""


class Heard:
    """A session whose tree is read when it is over."""

    def __init__(self, session, step, heard):
        self.session, self.step, self.heard = session, step, heard

    def __enter__(self):
        return self.session.__enter__()

    def __exit__(self, *error):
        try:
            return self.session.__exit__(*error)
        finally:
            for file in sorted(self.step.tree.glob("cues-*.json")):
                station = self.step.name.partition("-")[0]
                side = "candidate" if "candidate" in self.step.name else "base"
                moment = file.name.split("-")[1]
                self.heard.append((station, side, moment, plain(json.loads(file.read_text()))))


class Listening:
    """The real sandbox, and what the trees' code wrote down in it."""

    def __init__(self, sandbox):
        self.sandbox, self.heard = sandbox, []

    def __getattr__(self, name):
        return getattr(self.sandbox, name)

    def start(self, step):
        return Heard(self.sandbox.start(step), step, self.heard)


def plain(seen):
    """Without what is drawn anew for each worker."""
    seen["environment"].pop("PYTHONHASHSEED")
    text = re.sub("_[0-9a-f]{16}", "NAME", json.dumps(seen))
    found = json.loads(re.sub(r"case-\w{8}", "case", text))
    return {**found, "builtins": sorted(found["builtins"])}


def listen(root, repo, stations, policy):
    """(station, side, moment) -> what was seen there last."""
    # The plugins of this environment are modules that only tests have.
    plugins = " ".join(f"-p no:{point.name}" for point in entry_points(group="pytest11"))
    repo.write({"pytest.ini": f"[pytest]\naddopts = {plugins}\n", "tiny/__init__.py": CUES})
    settings = Settings(python=Path(sys.executable), seed=7, work=root, effort="quick")
    with open_world(settings, repo.folder, ()) as world:
        listening = Listening(world.sandbox)
        trees = []
        for side in ("base", "candidate"):
            repo.write({"tiny/side.py": f"SIDE = '{side}'\n"})
            trees.append(world.store.import_directory(repo.folder, ()))
        case = Case(name="t", base=Base(given="base", commit=None, tree=trees[0]), candidate_tree=trees[1])
        for station in stations:
            station.gather(case, replace(world, sandbox=listening), policy, Task(), settings)
    return {(station, side, moment): seen for station, side, moment, seen in listening.heard}


@pytest.fixture(scope="module")
def heard(tmp_path_factory, make_tiny):
    root = tmp_path_factory.mktemp("blind")
    return listen(root, make_tiny(root / "base"), (tests, outputs, timing), load_policy().without(DEAR))


def different(one, other):
    """Names of the cues by which two moments can be told apart."""
    assert one.keys() == other.keys()
    return {cue for cue in one if cue != "modules" and one[cue] != other[cue]} | {
        f"module {name}" for name in set(one["modules"]) ^ set(other["modules"])
    }


@pytest.mark.parametrize("moment", ["imported", "called"])
@pytest.mark.parametrize("station", ["tests", "outputs", "time"])
def test_base_and_candidate_are_alike(heard, station, moment):
    assert different(heard[station, "base", moment], heard[station, "candidate", moment]) == set()


def test_timing_is_like_outputs_but_for_the_suite_that_tells(heard):
    imported, called = (
        different(heard["outputs", "candidate", moment], heard["time", "candidate", moment])
        for moment in ("imported", "called")
    )
    assert imported == {"suite"}
    assert called == {"suite", "objects of the worker"}


def test_tests_are_like_benchmarks_but_for_what_running_pytest_is(heard):
    imported, called = (
        different(heard["tests", "candidate", moment], heard["time", "candidate", moment])
        for moment in ("imported", "called")
    )
    assert imported - RUNNING == set()
    assert called - RUNNING - IN_A_CASE == set()


def test_without_the_defence_the_mode_is_seen(tmp_path, make_tiny):
    policy = load_policy().without((*DEAR, "values", "integrity", "mode_blind"))
    heard = listen(tmp_path, make_tiny(tmp_path / "base"), (tests, outputs), policy)
    found = different(heard["tests", "candidate", "imported"], heard["outputs", "candidate", "imported"])
    assert {"arguments", "module pytest", "module asv_runner"} <= found
