"""What asv's suites may hold, line by line of docs/reference/asv.md, on a real suite. What `test_gather.py` shows is not shown again."""

import re
from pathlib import Path

import pytest

from truelap.checks.timing import TimingEvidence, judge
from truelap.checks.timing.decide import UNCOMPARED
from truelap.checks.timing.value_result import ValueResult
from truelap.policy import load_policy

POLICY = load_policy()
ROOT = Path(__file__).resolve().parents[3]

LIBRARY = """
import decimal, fractions, statistics

CALLS = 1
APPLES = 3

def listed(n):
    return [0] * n

def work():
    return sum(range(500))

def skipping():
    raise NotImplementedError

def stuck():
    return 1

def gone():
    return 1
"""

PATCHED = """
import time

CALLS = 1000
APPLES = 4

def listed(n):
    return list(range(n))

def work():
    return sum(range(500))

def skipping():
    return None

def stuck():
    time.sleep(60)
"""

RAW = """
from perfsuite import lib_name

def timeraw_import():
    return f"import {lib_name}"

class Worded:
    env = {"WORD": "x"}
    number = 3
    params = [100]

    def timeraw_setup(self, n):
        return "made += 1", f'''
            import os
            assert os.environ["WORD"] == "x"
            made = {n}
        '''
"""

OTHERS = """
import lib
from asv_runner.benchmarks.mark import skip_for_params

def peakmem_listed():
    lib.listed(3_000_000)

def peakmem_work():
    lib.work()

def track_apples():
    return lib.APPLES
track_apples.unit = "apples"

def track_same():
    return 2.5

def track_gone():
    return lib.gone()

class Base:
    def setup(self):
        lib.skipping()

    def track_base_skips(self):
        return 1

class Combined:
    params = ([1, 2], ["a"])

    @skip_for_params([(1, "a")])
    def track_combined(self, n, letter):
        return n
"""

TIMES = """
import lib
from asv_runner.benchmarks.mark import SkipNotImplemented

class Dictated:
    number = lib.CALLS
    repeat, rounds, processes, warmup_time, sample_time, min_run_count = (1, 2, 3.0), 4, 2, 0, 0.1, 9
    timer, version, pretty_name = (lambda: 0.0), "7", "as it is called"

    def setup(self):
        self.pile = [1]

    def time_dictated(self):
        self.pile.pop()
        lib.work()

class Late:
    def setup(self):
        self.number = 1
        self.pile = [1]

    def time_late_number(self):
        self.pile.pop()
        lib.work()

def time_stuck():
    lib.stuck()

def time_skips_itself():
    raise SkipNotImplemented("not here")

def time_is_not_done():
    raise NotImplementedError
"""

BASE = {
    "perf/asv.conf.json": '{\n  // beside the suite\n  "benchmark_dir": "perfsuite", /* and more */\n  "default_benchmark_timeout": 1,\n}\n',
    "lib.py": LIBRARY,
    "perf/perfsuite/__init__.py": "lib_name = 'lib'\n",
    "perf/perfsuite/raw.py": RAW,
    "perf/perfsuite/others.py": OTHERS,
    "perf/perfsuite/times.py": TIMES,
}


@pytest.fixture(scope="module")
def suite(tmp_path_factory, time_projects):
    # Only what is faster by far is looked at again.
    time = POLICY.time.model_copy(update={"pairs": 4, "control": 0.0, "margin": 0.9})
    policy = POLICY.model_copy(update={"time": time})
    found = time_projects(tmp_path_factory.mktemp("asv"), BASE, {"lib.py": PATCHED}, policy=policy)
    found.values = {one.id: one for one in found.evidence.values}
    return found


def test_code_of_timeraw_runs_in_an_interpreter_of_its_own(suite):
    found = suite["raw.timeraw_import"]
    # 20 times as fast, were it to be believed: the imports are gone.
    assert found.log_ratio > 1, found.reason
    assert all(visit.base.calls == visit.candidate.calls == 1 for visit in found.visits)


def test_a_gain_of_timeraw_is_reported_and_not_credited(suite):
    found = suite["raw.timeraw_import"]
    assert (found.decision, found.reason) == ("same", UNCOMPARED)
    assert "time:uncompared" in suite.codes()


def test_code_of_timeraw_has_its_setup_its_number_and_its_variables(suite):
    found = suite["raw.Worded.timeraw_setup-0"]
    assert found.visits, found.reason
    assert found.visits[0].base.calls <= 3


def test_peak_memory_is_read_by_the_judge(suite):
    more, same = suite.values["others.peakmem_listed"], suite.values["others.peakmem_work"]
    assert (more.decision, same.decision, more.unit) == ("higher", "same", "bytes")
    # Whole numbers of their own are 32 bytes each, beside the list of 8.
    assert min(more.candidate) - max(more.base) > 50e6
    assert "benchmarks:memory" in suite.codes()


def test_what_is_tracked_is_reported_with_its_unit(suite):
    found = suite.values["others.track_apples"]
    assert (found.decision, found.shown) == ("changed", "3 became 4 apples")
    assert suite.values["others.track_same"].decision == "same"
    assert "time:value_changed" in suite.codes()


def test_what_is_no_time_is_no_part_of_the_speed_up(suite):
    told = suite.evidence.artifacts()["timing.json"]
    assert set(told["values"]) == set(suite.values)
    assert not set(told["values"]) & set(told["benchmarks"])


def test_a_value_that_the_candidate_does_not_deliver_is_missing(suite):
    assert suite.values["others.track_gone"].decision == "missing"
    assert any("others.track_gone: AttributeError" in one.message for one in suite.findings)


def test_a_skip_on_base_s_side_alone_is_told(suite):
    assert suite.values["others.Base.track_base_skips"].candidate_runs_skipped
    assert "time:skip_differs" in suite.codes()


def test_combinations_that_the_suite_skips_do_not_count(suite):
    skipped, kept = (suite.values[f"others.Combined.track_combined-{n}"] for n in (0, 1))
    assert (skipped.decision, skipped.reason, kept.decision) == ("invalid", "skipped", "same")


@pytest.mark.parametrize("name", ["Dictated.time_dictated", "Late.time_late_number"])
def test_number_is_base_s_and_setup_may_set_it(suite, name):
    # The pile is good for one call; the candidate's own number would be another.
    found = suite[f"times.{name}"]
    assert found.visits, found.reason
    assert all(visit.candidate.calls == 1 for visit in found.visits)


def test_the_configuration_s_timeout_holds_where_a_benchmark_has_none(suite):
    found = suite["times.time_stuck"]
    assert (found.decision, "did not answer in time" in found.reason) == ("missing", True)


def test_a_benchmark_may_skip_itself_by_asv_s_own_error_alone(suite):
    assert suite["times.time_skips_itself"].reason == "skipped"
    assert "NotImplementedError" in suite["times.time_is_not_done"].reason


PILE = """
import lib

class Pile:
    def setup(self):
        self.pile = [1]

    def time_pile(self):
        self.pile.pop()
        lib.work()
"""


@pytest.mark.parametrize("setup", ["before_samples", "before_calls"])
def test_both_meanings_of_number_are_to_be_had(timed, setup):
    policy = POLICY.model_copy(
        update={
            "time": POLICY.time.model_copy(update={"setup": setup, "pairs": 4, "control": 0.0, "margin": 0.9})
        }
    )
    small = {name: text for name, text in BASE.items() if "/perfsuite/" not in name}
    small |= {"perf/perfsuite/__init__.py": "", "perf/perfsuite/b.py": PILE}
    found = timed(small, {}, policy=policy)
    case = found["b.Pile.time_pile"]
    if setup == "before_calls":
        assert {visit.base.calls for visit in case.visits} == {1}
    else:
        assert "pop from empty list" in case.reason
    version = {"before_samples": "0.2", "before_calls": "0.3"}[setup]
    assert f"asv_runner {version}" in found.evidence.protocol["number"]


@pytest.mark.parametrize(("rule", "level"), [("report", "info"), ("reject", "fail")])
def test_the_policy_says_what_more_memory_means(rule, level):
    more = ValueResult(id="peakmem_a", kind="peakmem", decision="higher", base=(1e6,), candidate=(2e6,))
    told = TimingEvidence(
        config="", protocol={}, seed=1, order=(), cases=(), values=(more,), failed_modules={}
    )
    verdict = POLICY.verdict.model_copy(update={"memory": rule})
    found = judge(told, POLICY.model_copy(update={"verdict": verdict}))
    assert ("benchmarks:memory", level) in [(one.code, one.level) for one in found]
    assert "no times" in next(one.message for one in found if one.code == "time:nothing_measured")


@pytest.mark.parametrize(("page", "least"), [("asv", 15), ("scripts", 4), ("pytest-benchmark", 6)])
def test_the_page_names_tests_that_are_there(page, least):
    page = (ROOT / f"docs/reference/{page}.md").read_text("utf-8")
    named = re.findall(r"`(tests/\S+)::(\w+)`", page)
    assert len(named) >= least
    for file, name in named:
        assert f"def {name}(" in (ROOT / file).read_text("utf-8"), f"{file}::{name}"
