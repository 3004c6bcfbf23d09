"""How long `truelap --help` takes: what every call of the command pays before it works."""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import time

ROUNDS = 7


def seconds(*arguments: str) -> float:
    started = time.perf_counter()
    subprocess.run([sys.executable, *arguments], stdout=subprocess.DEVNULL, check=True)
    return time.perf_counter() - started


def main() -> None:
    for what, arguments in (
        ("truelap --help", ("-Im", "truelap", "--help")),
        ("a bare interpreter", ("-I", "-c", "pass")),
    ):
        seconds(*arguments)
        median = statistics.median(seconds(*arguments) for _ in range(ROUNDS))
        row = {"what": what, "value": round(median, 3), "unit": "s", "note": f"median of {ROUNDS}"}
        sys.stdout.write(json.dumps(row) + "\n")


if __name__ == "__main__":
    main()
