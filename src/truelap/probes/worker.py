"""The program of every worker. Standard library, and what `surroundings` loads; Python >= 3.8.

    PYTHON -s -X pycache_prefix=... worker.py FD

It looks the same whatever it is for: the tree's code must not learn from what is around it whether it is tested, asked what
it computes, or timed. That stands in the judge's first message (frames: 4-byte big-endian length, one JSON object):

    hello           before anything of the tree can be imported
    start  ->       mode: "tests" or "benchmarks"; asv: folder of asv_runner; numpy: whether to have it ready; roots: folders
                    of the tree to import from; apart: whether the tree's code may see the mode, for a policy that keeps no
                    secret of it; the rest is for `run_tests` or `run_benchmarks`, which go on from here
"""

import os
import socket
import sys


def main():
    # Here and not above: a child that a test spawns imports this file, without the folder.
    import run_benchmarks
    import run_tests
    import surroundings

    # The probes' own folder: the tree's code could import from it by accident.
    del sys.path[0]
    around = surroundings.Surroundings()
    end = socket.socket(fileno=int(sys.argv[-1]))
    os.set_inheritable(end.fileno(), False)
    start = run_benchmarks.Wire(end).greet()
    around.load(start["asv"], start["numpy"])
    mode = run_tests if start["mode"] == "tests" else run_benchmarks
    mode.work(end, start, around)


if __name__ == "__main__":
    main()
