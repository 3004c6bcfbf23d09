"""What a fresh sandbox costs: from the call until the program's first line runs, and the whole life of an empty step."""

from __future__ import annotations

import json
import statistics
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from truelap.errors import WorldError
from truelap.policy import load_policy
from truelap.settings import Settings
from truelap.world.interpreter import inspect
from truelap.world.landlock_view import demand_reach
from truelap.world.opening import open_world
from truelap.world.sandbox import Step

if TYPE_CHECKING:
    from truelap.settings import SandboxName

ROUNDS = 30
LIMIT_S = 0.05
HELLO = "import socket, sys; socket.socket(fileno=int(sys.argv[1])).sendall(b'\\0\\0\\0\\x02{}')"


def main() -> None:
    measured("bubblewrap", Path(sys.executable))
    try:
        measured("landlock", reachable())
    except WorldError as error:
        print(f"landlock: {error}", file=sys.stderr)


def reachable() -> Path:
    """The interpreter that runs this, or the system's, where other users cannot reach that one."""
    try:
        demand_reach(inspect(Path(sys.executable)))
    except WorldError:
        return Path("/usr/bin/python3")
    return Path(sys.executable)


def measured(name: SandboxName, python: Path) -> None:
    settings = Settings(python=python, sandbox=name, seed=1)
    starts, lives = [], []
    with TemporaryDirectory() as repo, open_world(settings, Path(repo), ()) as world:
        argv = (str(world.interpreter.executable), "-I", "-S", "-c", HELLO)
        for _ in range(ROUNDS + 1):
            step = Step("bench", argv, world.workspace.folder("tree"), load_policy().limits)
            began = time.perf_counter()
            with world.sandbox.start(step) as session:
                session.channel.receive(10.0)
                starts.append(time.perf_counter() - began)
                session.wait(10.0)
            lives.append(time.perf_counter() - began)
    note = f"median of {ROUNDS}, {world.sandbox.name}"
    rows = (("start to the first message", starts, LIMIT_S), ("a whole empty step", lives, None))
    for what, values, limit in rows:
        median = statistics.median(values[1:])
        row = {"what": what, "value": round(median, 4), "unit": "s", "limit": limit, "note": note}
        print(json.dumps(row))


if __name__ == "__main__":
    main()
