"""What a fresh sandbox costs: from the call until the program's first line runs, and the whole life of an empty step."""

from __future__ import annotations

import json
import statistics
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from truelap.policy import load_policy
from truelap.settings import Settings
from truelap.world.opening import open_world
from truelap.world.sandbox import Step

ROUNDS = 30
HELLO = "import socket, sys; socket.socket(fileno=int(sys.argv[1])).sendall(b'\\0\\0\\0\\x02{}')"


def main() -> None:
    settings = Settings(python=Path(sys.executable), seed=1)
    starts, lives = [], []
    with TemporaryDirectory() as repo, open_world(settings, Path(repo), ()) as world:
        python = str(world.interpreter.executable)
        for number in range(ROUNDS + 1):
            tree = world.workspace.folder(f"tree-{number}")
            step = Step("bench", (python, "-I", "-S", "-c", HELLO), tree, load_policy().limits)
            began = time.perf_counter()
            with world.sandbox.start(step) as session:
                session.channel.receive(10.0)
                starts.append(time.perf_counter() - began)
                session.wait(10.0)
            lives.append(time.perf_counter() - began)
    note = f"median of {ROUNDS}, {world.sandbox.name}"
    for what, values in (("start to the first message", starts), ("a whole empty step", lives)):
        median = statistics.median(values[1:])
        row = {"what": what, "value": round(median, 4), "unit": "s", "note": note}
        sys.stdout.write(json.dumps(row) + "\n")


if __name__ == "__main__":
    main()
