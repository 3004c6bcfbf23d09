"""The benchmark probe, talked to directly; what it is for is tested in checks/timing."""

import ast
import json
import os
import socket
import struct
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import pytest

import truelap
from truelap.workers.venue import runner_folder

PROBES = Path(truelap.__file__).parent / "probes"
SUITE = """
import os, random
drawn = random.random()

def setup():
    global inputs
    inputs = random.random()

def time_counted():
    with open(os.environ["COUNT"], "a") as file:
        file.write(f"{drawn} {inputs}\\n")
"""


@pytest.mark.parametrize(
    "name",
    ["worker.py", "surroundings.py", "run_tests.py", "run_benchmarks.py", "bench_case.py", "bench_suite.py"],
)
def test_it_is_written_for_python_3_8(name):
    ast.parse((PROBES / name).read_text(), feature_version=(3, 8))


class Judge:
    def __init__(self, end):
        self.end = end.makefile("rwb")

    def ask(self, **message):
        body = json.dumps(message).encode()
        self.end.write(struct.pack(">I", len(body)) + body)
        self.end.flush()
        return self.hear()

    def hear(self):
        (length,) = struct.unpack(">I", self.end.read(4))
        return json.loads(self.end.read(length))


@contextmanager
def probe(tmp_path, seed=1):
    (tmp_path / "benches").mkdir(exist_ok=True)
    (tmp_path / "benches" / "__init__.py").write_text("")
    (tmp_path / "benches" / "b.py").write_text(SUITE)
    ours, theirs = socket.socketpair()
    argv = [sys.executable, "-s", str(PROBES / "worker.py"), str(theirs.fileno())]
    environment = {"COUNT": str(tmp_path / "count"), "TMPDIR": str(tmp_path), "PATH": os.environ["PATH"]}
    with (
        ours,
        theirs,
        subprocess.Popen(argv, env=environment, pass_fds=[theirs.fileno()], cwd=tmp_path) as process,
    ):
        judge = Judge(ours)
        try:
            assert judge.hear() == {"type": "hello"}
            told = {
                "asv": str(runner_folder().parent),
                "suite": str(tmp_path / "benches"),
                "mount": f"{tmp_path}/",
                "roots": [str(tmp_path)],
                "mode": "benchmarks",
                "numpy": False,
                "apart": False,
                "chart": False,
                "style": "asv",
                "name": "_told",
            }
            assert judge.ask(type="start", seed=seed, **told) == {"type": "started"}
            yield judge
        finally:
            process.kill()


def opened(judge, seed=5):
    assert judge.ask(type="load", module="benches.b")["error"] is None
    where = {"module": "benches.b", "class": None, "attr": "time_counted", "name": "b.time_counted"}
    return judge.ask(type="case", axes=[], param=None, cache_key=None, seed=seed, **where)


def test_as_many_calls_are_made_as_asked(tmp_path):
    with probe(tmp_path) as judge:
        assert opened(judge) == {"type": "ready", "number": 0, "values": []}
        done = judge.ask(type="run", calls=7, token="t")
        assert (done["type"], done["token"]) == ("done", "t")
        assert 0 <= done["claimed_ns"] < 60e9
        assert judge.ask(type="run", calls=0, token="u")["token"] == "u"
        assert len((tmp_path / "count").read_text().splitlines()) == 7
        assert judge.ask(type="close") == {"type": "ended", "status": 0}
        assert judge.ask(type="end") == {"type": "end"}


def test_a_suite_that_draws_its_inputs_gets_the_same_ones_on_both_sides(tmp_path):
    drawn = []
    for side in ("base", "candidate"):
        (tmp_path / side).mkdir()
        with probe(tmp_path / side) as judge:
            opened(judge)
            judge.ask(type="run", calls=1, token="t")
        drawn.append((tmp_path / side / "count").read_text())
    assert drawn[0] == drawn[1]


def test_another_case_gets_another_process(tmp_path):
    with probe(tmp_path) as judge:
        for seed in (5, 6):
            opened(judge, seed)
            judge.ask(type="run", calls=1, token="t")
            judge.ask(type="close")
    first, second = (tmp_path / "count").read_text().splitlines()
    assert first.split()[0] == second.split()[0]
    assert first.split()[1] != second.split()[1]


def test_a_benchmark_that_is_not_there_is_said_to_fail(tmp_path):
    with probe(tmp_path) as judge:
        judge.ask(type="load", module="benches.b")
        where = {"module": "benches.b", "class": None, "attr": "time_gone", "name": "b.time_gone"}
        reply = judge.ask(type="case", axes=[], param=None, cache_key=None, seed=1, **where)
        assert reply["type"] == "failed"
        assert judge.hear() == {"type": "ended", "status": 0}


def test_a_shake_moves_where_objects_come_to_lie(tmp_path):
    code = (
        "import bench_case\nheap = bench_case.Heap()\nplaces = set()\n"
        "for _ in range(40):\n    heap.shake()\n    places.add(id(bytes(100)) % 4096)\n"
        "print(len(places))"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=PROBES, capture_output=True, check=True)
    assert int(done.stdout) > 10


def test_what_a_module_holds_lies_elsewhere_in_each_process(tmp_path):
    # One layout for all processes of a side would be taken for its speed.
    places = set()
    for number in range(4):
        folder = tmp_path / str(number)
        folder.mkdir()
        with probe(folder) as judge:
            where = "raise ValueError(id((lambda: 0).__code__) % 16384)\n"
            (folder / "benches" / "place.py").write_text(where)
            places.add(judge.ask(type="load", module="benches.place")["error"])
    assert len(places) > 1


def test_what_the_tree_has_itself_comes_from_the_tree_though_pytest_brought_it_before(tmp_path):
    (tmp_path / "iniconfig.py").write_text("")
    with probe(tmp_path) as judge:
        (tmp_path / "benches" / "p.py").write_text(
            "import pluggy, iniconfig\nraise ValueError(iniconfig.__file__)\n"
        )
        told = judge.ask(type="load", module="benches.p")
    assert told["error"] == f"ValueError: {tmp_path / 'iniconfig.py'}"
