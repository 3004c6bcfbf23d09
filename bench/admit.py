"""A large diff is collected, admitted and restored in bounded time and memory, and ten times as much takes ten times as long.

Half of the files are new, half are edits of base. The hostile diff of the same size makes a rule look at base for each.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from types import SimpleNamespace

from truelap.model import REGULAR, Case
from truelap.policy import load_policy
from truelap.prepare.admit import admit
from truelap.prepare.base import base_of_directory
from truelap.prepare.collect import PatchFile, collect
from truelap.prepare.restore import restore
from truelap.task import Task
from truelap.world.git import Store

LARGE = 20_000
LINE = b"value_%06d = 'a line of source that is edited in the large diff, and some more of it'\n"
LINES = 28
SECONDS, MEGABYTES = 20.0, 500.0


def source(number: int, mark: bytes) -> bytes:
    return mark + b"".join(LINE % (number * LINES + line) for line in range(LINES))


def prepared(store: Store, files: int, mark: bytes) -> tuple[str, bytes]:
    """A base of `files` / 2 files, and a diff that edits all of them and adds as many."""
    with store.writer() as writer:
        old = [(b"pkg/m%d.py" % n, REGULAR, writer.add(LINE % n)) for n in range(files // 2)]
        new = [
            (b"%s/m%d.py" % (folder, n), REGULAR, writer.add(source(n, mark)))
            for folder in (b"pkg", b"more")
            for n in range(files // 2)
        ]
    base, submitted = store.replace(None, old), store.replace(None, new)
    return base, store.diff(base, submitted, text=False)


def measure(files: int, mark: bytes) -> None:
    policy, task = load_policy(), Task()
    with TemporaryDirectory() as name:
        store = Store.create(Path(name) / "store")
        tree, diff = prepared(store, files, mark)
        case = Case(name="bench", base=base_of_directory(store, Path(name) / "store" / "refs"))
        case = case.model_copy(update={"base": case.base.model_copy(update={"tree": tree})})
        world, began = SimpleNamespace(store=store, interpreter=None), time.monotonic()
        case = admit(collect(PatchFile(diff), case, world, policy, task, None), world, policy, task, None)
        admitted = time.monotonic()
        restore(case, world, policy, task, None)
        # A child's peak starts at its parent's, so the sum is an upper bound.
        used = [resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
        print(
            json.dumps(
                {
                    "bytes": len(diff),
                    "refused": case.refused,
                    "admit_s": admitted - began,
                    "restore_s": time.monotonic() - admitted,
                    "megabytes": sum(used) / 1024,
                }
            )
        )


def measured(files: int, mark: str) -> dict[str, float]:
    """Measure in a process of its own, so that its peak memory is its own too."""
    done = subprocess.run(
        [sys.executable, "-I", __file__, str(files), mark], stdout=subprocess.PIPE, check=True
    )
    found: dict[str, float] = json.loads(done.stdout)
    return found


def main() -> None:
    small, large = measured(LARGE // 10, ""), measured(LARGE, "")
    hostile = measured(LARGE, "# \u202e\n")
    size = f"{large['bytes'] / 1e6:.0f} MB, {LARGE} files"
    per_byte = (large["admit_s"] / large["bytes"]) / (small["admit_s"] / small["bytes"])
    rows = (
        (f"collect and admit, {size}", large["admit_s"], "s", SECONDS),
        ("the same, every file refused", hostile["admit_s"], "s", SECONDS),
        (f"restore, {size}", large["restore_s"], "s", SECONDS),
        (
            "peak memory, upper bound: truelap and the largest git",
            max(large["megabytes"], hostile["megabytes"]),
            "MB",
            MEGABYTES,
        ),
        ("seconds per byte, against a tenth of it", per_byte, "x", 1.5),
    )
    assert hostile["refused"]
    assert not large["refused"]
    for what, value, unit, limit in rows:
        print(json.dumps({"what": what, "value": round(value, 2), "unit": unit, "limit": limit}))


if __name__ == "__main__":
    if len(sys.argv) == 3:
        measure(int(sys.argv[1]), sys.argv[2].encode())
    else:
        main()
