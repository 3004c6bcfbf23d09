"""Which benchmarks a change can reach, asked of base itself, and of real functions and real workers."""

from __future__ import annotations

import sys
from pathlib import Path
from random import Random

import pytest

from truelap.settings import Settings
from truelap.task import BenchmarkChoice, Task
from truelap.verify import verify
from truelap.workers.cases import Benchmark, Timed
from truelap.workers.changes import Function
from truelap.workers.impact import Chart, choose

ONE, OTHER = Function("a.py", "one", 1, 5), Function("a.py", "other", 7, 9)


def case(name: str) -> Timed:
    told = {"module": "b", "class": None, "attr": name, "name": name, "error": None, "kind": "time"}
    return Timed(id=name, benchmark=Benchmark.model_validate(told), param=None, params=())


CASES = [case(name) for name in ("x", "y", "z")]
CHART = Chart(imported=(("a.py", 20),), cases={"x": (("a.py", 3),), "y": (("a.py", 8),), "z": ()})


def picked(chart=CHART, changed=(ONE,), share=0.0):
    return choose(CASES, chart, changed, share, Random(1))


def test_only_what_runs_a_changed_function_is_selected():
    found = picked()
    assert (found.n_selected, found.screened, found.left) == (1, (), ("y", "z"))
    assert picked(share=1.0).screened == ("y", "z")
    assert picked(changed=(ONE, OTHER)).left == ("z",)


@pytest.mark.parametrize(
    ("chart", "changed", "why"),
    [
        (Chart(imported=None, cases=CHART.cases), (ONE,), "cannot all be seen"),
        (Chart(imported=(("a.py", 2),), cases=CHART.cases), (ONE,), "while the suite is imported"),
        (CHART, (ONE, Function("a.py", "third", 30, 40)), "no benchmark is seen to run a.py: third"),
    ],
)
def test_all_are_run_where_the_map_cannot_know(chart, changed, why):
    found = picked(chart, changed)
    assert (found.n_selected, found.left) == (3, ())
    assert why in found.why


def test_a_case_that_cannot_be_followed_is_selected():
    assert picked(Chart(imported=(), cases={**CHART.cases, "z": None})).left == ("y",)
    assert picked(Chart(imported=(), cases={"x": CHART.cases["x"]})).left == ()


SUITE = """import subprocess, threading
from tiny import total, plain, made

class Cached:
    def setup_cache(self):
        return made(3)

    def time_cached(self, found):
        len(found)

class Set:
    def setup(self):
        self.found = made(3)

    def time_set(self):
        len(self.found)

def time_total():
    total(5000)

def time_plain():
    plain(5000)

def time_child():
    subprocess.run(["true"])

def time_lambda():
    list(map(lambda x: plain(x), [1]))
"""
TREE = {
    "tiny/__init__.py": "def total(n):\n    return sum([i for i in range(n)])\n\n\n"
    "def plain(n):\n    return n\n\n\ndef made(n):\n    def inner():\n        return list(range(n))\n    return inner()\n",
    "asv.conf.json": '{"version": 1, "project": "tiny", "benchmark_dir": "benchmarks"}\n',
    "benchmarks/__init__.py": "",
    "benchmarks/bench.py": SUITE,
}


@pytest.fixture
def judged(repo, tmp_path):
    repo.commit(TREE)

    def judge(old: str, new: str, only: str = "outputs", bench: str | None = None):
        repo.write({"tiny/__init__.py": TREE["tiny/__init__.py"].replace(old, new)})
        (tmp_path / "a.diff").write_bytes(repo.diff())
        repo.git("reset", "-q", "--hard")
        keep, python = tmp_path / "keep", Path(sys.executable)
        settings = Settings(python=python, seed=5, effort="quick", keep=keep, bench=bench)
        task = Task(benchmarks=BenchmarkChoice(select="impacted"))
        named = {"base": "HEAD", "patch": tmp_path / "a.diff", "task": task, "settings": settings}
        return verify(repo.folder, only=only, **named)

    return judge


def test_base_says_what_each_benchmark_runs(judged):
    told = judged("list(range(n))", "[*range(n)]").outputs["selection"]
    ran = {"bench.Cached.time_cached", "bench.Set.time_set", "bench.time_child"}
    assert told["n_selected"] == 3, told
    assert not ran & {*told["not_run"]}
    told = judged("sum([i for i in range(n)])", "n * (n - 1) // 2").outputs["selection"]
    assert told["n_selected"] == 2, told
    assert not {"bench.time_total", "bench.time_child"} & {*told["not_run"]}
    told = judged("def plain(n)", "def plain(n, m=1)").outputs["selection"]
    assert (told["n_selected"], told["n_not_run"]) == (6, 0)
    assert "more changes than bodies" in told["why"]


def test_what_is_not_timed_counts_as_unchanged_and_is_named(judged):
    verdict = judged("sum([i for i in range(n)])", "n * (n - 1) // 2", "time", "total|plain|set")
    told = verdict.timing["selection"]
    assert told["n_selected"] == 1
    assert {"bench.time_total"} == {row["id"] for row in verdict.timing["benchmarks"] if row["speedup"]} - {
        *told["not_run"]
    }
    assert verdict.timing["n_faster"] + verdict.timing["n_same"] == 3
    assert verdict.timing["speedup"] > 1
    (found,) = [f for f in verdict.findings if f.code == "time:not_all_run"]
    assert f"{told['n_not_run']} were not" in found.message
