"""Fixtures for everything that touches the machine, and the collection of the conformance suite."""

from __future__ import annotations

import os
import sys
import time
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest

from truelap.errors import WorldError
from truelap.policy import load_policy
from truelap.world import procfs
from truelap.world.bubblewrap import Bubblewrap
from truelap.world.interpreter import Interpreter, inspect
from truelap.world.landlock_view import demand_reach
from truelap.world.pycache import mirrored
from truelap.world.sandbox import Step
from truelap.world.workspace import open_workspace


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Module | None:
    if file_path.name == "conformance.py" and not parent.session.isinitpath(file_path):
        return pytest.Module.from_parent(parent, path=file_path)
    return None


@pytest.fixture(scope="session")
def interpreter(tmp_path_factory):
    with mirrored(inspect(Path(sys.executable)), tmp_path_factory.mktemp("bytecode")) as found:
        yield found


@pytest.fixture(scope="session")
def reachable(tmp_path_factory):
    """An interpreter that every user can run, of our own version if there is one."""
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    names = (
        sys.executable,
        f"/usr/bin/python{version}",
        f"/usr/local/bin/python{version}",
        "/usr/bin/python3",
    )
    for path in filter(Path.exists, map(Path, names)):
        found = inspect(path)
        with suppress(WorldError):
            demand_reach(found)
            with mirrored(found, tmp_path_factory.mktemp("bytecode")) as shown:
                yield shown
            return
    pytest.skip("no interpreter that every user can run")


@pytest.fixture(scope="session")
def grounds():
    """A folder whose subfolders the user of a sandbox can reach; those of `tmp_path` it cannot."""
    with open_workspace() as workspace:
        yield workspace


@pytest.fixture(scope="session")
def bubblewrap(interpreter: Interpreter) -> Bubblewrap:
    return Bubblewrap(interpreter)


@pytest.fixture(scope="session")
def limits():
    return load_policy().limits


@pytest.fixture
def step(interpreter, limits, grounds):
    """Makes a step that runs a piece of Python in a small tree of its own."""

    def make(code: str, **changes) -> Step:
        tree = grounds.folder("tree")
        (tree / "pkg").mkdir(parents=True)
        (tree / "pkg" / "mod.py").write_text("x = 1\n")
        bounds = {name: changes.pop(name) for name in list(changes) if hasattr(limits, name)}
        made = Step(
            "test",
            (str(interpreter.executable), "-I", "-S", "-c", code),
            tree,
            limits.model_copy(update={"wall_s": 60.0, **bounds}),
            channel=False,
        )
        return replace(made, **changes)

    return make


@pytest.fixture
def with_text():
    """Finds processes that have a text in their command line, this one not."""

    def find(text: str) -> list[int]:
        found = []
        for pid in procfs.all_pids():
            try:
                line = Path(f"/proc/{pid}/cmdline").read_bytes()
            except OSError:
                continue
            if text.encode() in line and pid != os.getpid():
                found.append(pid)
        return found

    return find


@pytest.fixture
def gone(with_text):
    """Waits until no process has one of these texts in its command line; whether that came true."""

    def wait(*texts: str, within_s: float = 15.0) -> bool:
        deadline = time.monotonic() + within_s
        while any(map(with_text, texts)):
            if time.monotonic() > deadline:
                return False
            time.sleep(0.02)
        return True

    return wait


@pytest.fixture
def is_root() -> bool:
    return os.geteuid() == 0
