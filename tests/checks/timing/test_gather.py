"""Timing of small suites for real. Bounds are generous: the machine that runs this may be busy."""

import json

import pytest

from truelap.errors import UsageError, WorldError
from truelap.policy import load_policy
from truelap.task import BenchmarkChoice, Task

POLICY = load_policy()

CONFIG = '{\n  // where the suite is\n  "benchmark_dir": "benches",\n}\n'

LIBRARY = """
def work(n):
    total = 0
    for number in range(n):
        total += number * number
    return total

def other(n):
    return sorted(range(n, 0, -1))

def gone():
    return sum(range(300))

def raising():
    return sum(range(300))

def stuck():
    return sum(range(300))

def skipping():
    return None
"""

IMPROVED = """
import time

def work(n):
    return 3 * sum(number * number for number in range(n // 8)) + 1

def other(n):
    return sorted(range(n, 0, -1))

def raising():
    raise RuntimeError("not any more")

def stuck():
    while True:
        time.sleep(0.01)

def skipping():
    raise NotImplementedError
"""

FUNCTIONS = """
from lib import work, other

def time_work():
    work(3000)

def time_other():
    other(2000)

def test_looks_like_one():
    pass
"""

LEVELS = """
import os
from lib import other
from .names import NAMES

seen = []

def setup(*args):
    seen.append("module")

def teardown(*args):
    seen.append("module down")

class Levels:
    params = ([100, 200], ["a", "b"])
    param_names = ["count", "letter"]

    def __init__(self):
        self.made = True

    def setup(self, count, letter):
        assert seen[-1] == "module" and self.made and letter in NAMES
        assert not os.listdir(".")
        self.count = count
        seen.append("class")

    def teardown(self, count, letter):
        assert seen[-1] == "class", seen
        seen.append("class down")

    def time_levels(self, count, letter):
        assert self.count == count
        other(count)

class Once:
    number = 1

    def setup(self):
        self.pile = list(range(200))

    def time_once(self):
        assert len(self.pile) == 200, "called twice after one setup"
        self.pile.clear()
        other(2000)

class Cached:
    def setup_cache(self):
        return {"n": 500}

    def setup(self, cache):
        assert os.path.exists("cache.pickle")

    def time_cached(self, cache):
        other(cache["n"])

class Skips:
    def setup(self):
        raise NotImplementedError

    def time_skipped(self):
        other(10)
"""

FAILURES = """
import lib

timeout = 2.0

def time_gone():
    lib.gone()

def time_raising():
    lib.raising()

def time_stuck():
    lib.stuck()

class Skipping:
    def setup(self):
        lib.skipping()

    def time_skipping(self):
        lib.other(10)

class Hopeless:
    def setup(self):
        raise ValueError("base itself fails")

    def time_hopeless(self):
        pass

class Unbuildable:
    def __init__(self):
        raise ValueError("no instance")

    def time_unbuildable(self):
        pass
"""

BASE = {
    "asv.conf.json": CONFIG,
    "pyproject.toml": "[project]\nname = 'lib'\n",
    "lib.py": LIBRARY,
    "benches/__init__.py": "",
    "benches/functions.py": FUNCTIONS,
    "benches/levels.py": LEVELS,
    "benches/names.py": "NAMES = ('a', 'b')\n",
    "benches/failures.py": FAILURES,
    "benches/broken.py": "import a_module_that_nobody_has\n",
    # Names of the standard library and of the judge's own runner must not reach the probe.
    "json.py": "raise SystemExit('imported the tree\\'s json')\n",
    "asv_runner.py": "raise SystemExit('imported the tree\\'s asv_runner')\n",
}


@pytest.fixture(scope="module")
def improved(tmp_path_factory, time_projects):
    policy = POLICY.model_copy(update={"time": POLICY.time.model_copy(update={"visits": 2, "pairs": 6})})
    root = tmp_path_factory.mktemp("improved")
    return time_projects(root, BASE, {"lib.py": IMPROVED}, policy=policy, effort="standard")


def test_a_faster_function_is_faster(improved):
    found = improved["functions.time_work"]
    assert found.decision == "faster"
    assert found.as_data()["speedup"] > 2
    assert len(found.visits) >= 3
    assert found.as_data()["confirmation"]["evidence"]["faster"] >= found.as_data()["confirmation"]["needed"]
    assert improved.evidence.control, "base was timed beside itself"
    assert improved.evidence.bar is not None


def test_an_unchanged_function_is_not_far_from_one(improved):
    assert abs(improved["functions.time_other"].log_ratio) < 0.4


@pytest.mark.parametrize("index", range(4))
def test_parameters_constructors_and_hooks_at_all_levels_work(improved, index):
    found = improved[f"levels.Levels.time_levels-{index}"]
    assert found.visits, found.reason
    assert found.params == (("100", "200")[index // 2], ("'a'", "'b'")[index % 2])


@pytest.mark.parametrize("name", ["levels.Once.time_once", "levels.Cached.time_cached"])
def test_number_and_setup_cache_mean_what_asv_means(improved, name):
    assert improved[name].visits, improved[name].reason


def test_a_benchmark_that_both_skip_does_not_count(improved):
    found = improved["levels.Skips.time_skipped"]
    assert (found.decision, found.reason) == ("invalid", "skipped")


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("failures.time_gone", "AttributeError"),
        ("failures.time_raising", "RuntimeError: not any more"),
        ("failures.time_stuck", "did not answer in time"),
        ("failures.Skipping.time_skipping", "it skips what base runs"),
    ],
)
def test_what_the_candidate_does_not_deliver_is_missing_and_fails(improved, name, reason):
    found = improved[name]
    assert found.decision == "missing"
    assert reason in found.reason
    messages = [finding.message for finding in improved.findings if finding.code == "benchmarks:missing"]
    assert f"{name}: {found.reason}" in messages


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("failures.Hopeless.time_hopeless", "base itself fails"),
        ("failures.Unbuildable.time_unbuildable", "no instance"),
    ],
)
def test_what_base_does_not_run_or_we_do_not_time_is_invalid(improved, name, reason):
    assert improved[name].decision == "invalid"
    assert reason in improved[name].reason


def test_a_module_that_does_not_import_costs_its_own_benchmarks_alone(improved):
    assert list(improved.evidence.failed_modules) == ["benches.broken"]
    assert "a_module_that_nobody_has" in improved.evidence.failed_modules["benches.broken"]
    assert "time:module_failed" in improved.codes()
    assert improved.evidence.summary()["n_failed_modules"] == 1


def test_nothing_else_is_taken_for_a_benchmark(improved):
    assert not [case.id for case in improved.evidence.cases if "test_looks_like_one" in case.id]


def test_the_evidence_is_finite_json_and_counts_add_up(improved):
    summary = improved.evidence.summary()
    json.dumps(improved.evidence.artifacts(), allow_nan=False)
    assert sum(summary[f"n_{name}"] for name in ("faster", "slower", "same", "missing", "invalid")) == len(
        improved.evidence.cases
    )
    assert summary["speedup"] >= 1.0
    assert improved.evidence.config == "asv.conf.json"


SMALL = {
    "asv.conf.json": CONFIG,
    "lib.py": LIBRARY,
    "benches/__init__.py": "",
    "benches/b.py": "from lib import work\n\ndef time_work():\n    work(3000)\n",
}

FALSE_CLOCK = """
import time, timeit
true = time.perf_counter

def slow_clock():
    return true() / 3

time.perf_counter = time.process_time = time.monotonic = timeit.default_timer = slow_clock
"""

# Wherever the thread lives: in the process that forks, or in the one that runs the benchmark.
BURNER = """
import os, threading
started = set()

def burn():
    while True:
        sum(range(1000))

def ensure():
    if os.getpid() not in started:
        started.add(os.getpid())
        threading.Thread(target=burn, daemon=True).start()

ensure()
"""

PROCESS = """
import os
started = set()

def ensure():
    if os.getpid() in started:
        return
    started.add(os.getpid())
    if os.fork() == 0:
        os.setsid()
        while True:
            sum(range(1000))
"""

ONE_CHILD_A_CALL = """
import os

def work(n):
    child = os.fork()
    if child == 0:
        total = 0
        for number in range(n):
            total += number * number
        os._exit(0)
    os.waitpid(child, 0)
"""

ONE_SERVER = """
import os
servers = {}

def serve(asked, answers):
    while os.read(asked, 1):
        total = 0
        for number in range(3000):
            total += number * number
        os.write(answers, b"x")
    os._exit(0)

def work(n):
    if os.getpid() not in servers:
        there, back = os.pipe(), os.pipe()
        if os.fork() == 0:
            os.close(there[1])
            serve(there[0], back[1])
        servers[os.getpid()] = there[1], back[0]
    asked, answers = servers[os.getpid()]
    os.write(asked, b"x")
    os.read(answers, 1)
"""


def calling(text):
    return text + LIBRARY.replace("    total = 0\n", "    ensure()\n    total = 0\n")


def test_false_clocks_inside_the_worker_gain_nothing(timed):
    found = timed(SMALL, {"lib.py": FALSE_CLOCK + LIBRARY})["b.time_work"]
    assert abs(found.log_ratio) < 0.4


@pytest.mark.parametrize("burner", [BURNER, PROCESS], ids=["thread", "process"])
def test_burning_cpu_in_base_s_turns_gains_nothing(timed, burner):
    # Stopped, it burns nothing in base's turns; counted, it can only cost the candidate itself.
    found = timed(SMALL, {"lib.py": calling(burner)})["b.time_work"]
    assert all(visit.candidate.stray_s > visit.base.stray_s for visit in found.visits), "it did not even try"
    assert all(visit.candidate.asleep_s < 0.001 for visit in found.visits)
    assert found.decision != "faster"
    assert found.log_ratio < 0.2


def test_cpu_of_children_that_nobody_saw_gains_nothing(timed):
    # A longer work than elsewhere: a fork is not to be most of it.
    slow = {**SMALL, "benches/b.py": "from lib import work\n\ndef time_work():\n    work(100_000)\n"}
    found = timed(slow, {"lib.py": ONE_CHILD_A_CALL})["b.time_work"]
    assert found.visits[0].effect.log_ratio > 0.5, "the children's CPU was seen, and this test shows nothing"
    # What forks cost may be more than the margin.
    assert (found.decision, found.reason) in {
        ("same", "disputed: CPU and wall time tell different stories"),
        ("slower", "it takes longer than its CPU time shows"),
    }


def test_cpu_of_a_server_beside_the_worker_is_counted(timed):
    found = timed(SMALL, {"lib.py": ONE_SERVER})["b.time_work"]
    assert found.decision != "faster"
    assert found.log_ratio < 0.2


def test_a_candidate_that_cannot_be_imported_is_missing(timed):
    found = timed(SMALL, {"lib.py": "raise RuntimeError('broken')\n"})
    assert found["b.time_work"].decision == "missing"
    assert "broken" in found["b.time_work"].reason
    assert found.codes() == ["benchmarks:missing"]


def test_a_candidate_that_ends_its_process_is_missing(timed):
    ending = LIBRARY.replace("    total = 0\n", "    import os\n    os._exit(0)\n")
    found = timed(SMALL, {"lib.py": ending})["b.time_work"]
    assert (found.decision, found.reason) == ("missing", "its process ended (wait status 0)")


def test_a_candidate_that_kills_everything_around_it_is_missing(timed):
    killing = LIBRARY.replace(
        "    total = 0\n", "    import os\n    os.kill(-1, 9)\n    os.kill(os.getppid(), 9)\n"
    )
    assert timed(SMALL, {"lib.py": killing})["b.time_work"].decision == "missing"


HANGING = """
import time
timeout = 0.5

def hang():
    time.sleep(30)
""" + "".join(f"\ndef time_{n}():\n    hang()\n" for n in range(6))


def test_what_hangs_at_base_is_not_held_against_the_candidate(timed):
    # More of them than a worker may be lost.
    found = timed({**SMALL, "benches/hanging.py": HANGING}, {})
    assert [found[f"hanging.time_{n}"].decision for n in range(6)] == ["invalid"] * 6
    assert found.codes() == []


ELSEWHERE = """
import sys, types
other = types.ModuleType("lib")
other.__file__ = "/usr/lib/python3/dist-packages/lib.py"
other.work = lambda n: None
sys.modules["lib"] = other
"""


def test_an_installed_copy_is_not_timed_in_place_of_the_tree(timed):
    with pytest.raises(WorldError, match=r"lib.* comes from the environment"):
        timed({**SMALL, "benches/__init__.py": ELSEWHERE}, {})


FROM_ELSEWHERE = LIBRARY + "\n__file__ = '/usr/lib/python3/dist-packages/lib.py'\n"


def test_a_candidate_that_takes_an_installed_copy_delivers_nothing(timed):
    found = timed(SMALL, {"lib.py": FROM_ELSEWHERE})
    assert found["b.time_work"].decision == "missing"
    assert "comes from the environment" in found["b.time_work"].reason
    assert found.codes() == ["benchmarks:missing"]


def test_it_works_without_a_sandbox_too(timed):
    found = timed(SMALL, {}, sandbox="none", unsafe=True)
    assert found["b.time_work"].visits


def test_a_base_that_runs_nothing_is_inconclusive(timed):
    found = timed({**SMALL, "lib.py": "work = None\n"}, {})
    assert found.codes() == ["time:nothing_measured"]


def test_without_a_config_there_is_nothing_to_measure_with(timed):
    with pytest.raises(UsageError, match="no asv config"):
        timed({"lib.py": LIBRARY}, {})


TWO = {
    **SMALL,
    "second/asv.conf.json": '{"benchmark_dir": "suite"}',
    "second/suite/c.py": "def time_c():\n    pass\n",
}


def test_of_several_configs_one_must_be_named(timed):
    with pytest.raises(UsageError, match="several"):
        timed(TWO, {})


def test_the_named_config_is_used(timed):
    task = Task(benchmarks=BenchmarkChoice(config="second/asv.conf.json"))
    assert [case.id for case in timed(TWO, {}, task=task).evidence.cases] == ["c.time_c"]


def test_the_pattern_of_the_command_line_chooses(timed):
    found = timed({**SMALL, "benches/d.py": "def time_d():\n    pass\n"}, {}, bench=r"^d\.")
    assert [case.id for case in found.evidence.cases] == ["d.time_d"]
