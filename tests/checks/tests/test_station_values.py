"""The station judges by values: a worker that says "passed" is not enough, and honest code is left in peace."""

import re

import pytest

WRONG = "def double(x):\n    return 3 * x\n"
HONEST = "def double(x):\n    return x + x\n"
FORGERIES = {
    "report": """
import _pytest.reports
def forged(cls, item, call, real=_pytest.reports.TestReport.from_item_and_call.__func__):
    report = real(cls, item, call)
    report.outcome, report.longrepr = "passed", None
    return report
_pytest.reports.TestReport.from_item_and_call = classmethod(forged)
""",
    "no test runs": "import _pytest.python\n_pytest.python.Function.runtest = lambda self: None\n",
    "equal to everything": """
class Same(int):
    __eq__ = lambda self, other: True
    __hash__ = int.__hash__
real = double
double = lambda x: Same(real(x))
""",
}
IDS = [f"tests/test_core.py::test_{name}" for name in ("one", "two", "three")]


def test_an_honest_patch_agrees(lap, shipped):
    found = lap({"pkg/core.py": HONEST}, policy=shipped)
    assert found.findings == ()
    assert [ruled.status for ruled in found.evidence.values.tests.values()] == ["agrees"] * 3
    told = found.evidence.summary()["value_evidence"]
    assert (told["tests_with"], told["tests_passing"], told["share"]) == (3, 3, 1.0)


@pytest.mark.parametrize("forgery", FORGERIES)
def test_a_forged_pass_is_a_regression(lap, shipped, forgery):
    found = lap(
        {"pkg/core.py": WRONG + FORGERIES[forgery]},
        policy=shipped.without(["perturb", "canaries", "integrity", "mutants"]),
    )
    assert found.candidate == dict.fromkeys(IDS, "passed"), "the forgery must deceive pytest"
    assert found.regressed == IDS
    assert found.codes == ["tests:regressed"]
    assert "(other values; tests/test_core.py:5: value: " in found.text("tests:regressed")
    row = found.evidence.artifacts()["tests.json"]["tests"][IDS[0]]
    assert (row["candidate"], row["values"]) == ("passed", "differs")
    assert row["message"].startswith("tests/test_core.py:5: value: ")


def test_what_fails_is_told_in_base_s_own_lines_and_both_values(lap, shipped):
    plain = shipped.without(["perturb", "canaries", "mutants"])
    found = lap({"pkg/core.py": "def double(x):\n    return 3 * x\n"}, policy=plain)
    row = found.evidence.artifacts()["tests.json"]["tests"][IDS[1]]
    assert row["candidate"] == "failed"
    assert re.search(r"^>? +assert double\(2\) == 4$", row["message"], re.MULTILINE), row["message"]
    assert not re.search(r"_[0-9a-f]{16}", row["message"]), row["message"]
    assert re.search(
        r"test_two \(failed; tests/test_core\.py:\d+: value: 4 became 6\b", found.text("tests:regressed")
    )


MALFORMED = """
import builtins, gc
for thing in gc.get_objects():
    if type(thing).__name__ == "Recorder" and hasattr(thing, "_send"):
        thing._send = lambda message, real=thing._send: real({**message, "events": [[*event[:2], ["f"]] for event in message["events"]]})
"""


def test_values_that_are_none_fail_the_candidate_and_not_the_judge(lap, shipped):
    truth = "from pkg.core import double\n" + "".join(
        f"def test_{n}():\n    assert double({n})\n" for n in (1, 2, 3)
    )
    base = {"pkg/__init__.py": "", "pkg/core.py": HONEST, "tests/test_core.py": truth}
    found = lap(
        {"pkg/core.py": WRONG + MALFORMED},
        base=base,
        policy=shipped.without(["perturb", "canaries", "mutants"]),
    )
    assert found.codes[-1] == "tests:regressed"
    assert found.levels == {"fail"}


def test_without_the_defence_the_forgery_is_believed(lap, shipped):
    found = lap(
        {"pkg/core.py": WRONG + FORGERIES["report"]},
        policy=shipped.without(["values", "perturb", "canaries", "integrity", "mutants"]),
    )
    assert found.findings == ()


def test_a_file_that_does_not_bear_rewriting_runs_as_it_is(lap, shipped):
    other = "from core import f\n" + "".join(f"def test_{n}():\n    assert f() == 1\n" for n in "abc")
    plain = (
        "import inspect\nfrom core import f\n\n\ndef test_source():\n    assert f() == 1\n"
        "    assert 'assert ' + 'f() == 1' in inspect.getsource(test_source)\n"
    )
    base = {"core.py": "def f():\n    return 1\n", "test_other.py": other, "test_plain.py": plain}
    found = lap({"core.py": "def f():\n    return 2 - 1\n"}, base=base, policy=shipped)
    assert found.findings == ()
    statuses = {name: ruled.status for name, ruled in found.evidence.values.tests.items()}
    assert statuses.pop("test_plain.py::test_source") == "plain"
    assert set(statuses.values()) == {"agrees"}
    told = found.evidence.summary()["value_evidence"]
    assert told["without"] == ["test_plain.py::test_source"]
    assert "otherwise at base" in told["plain_files"]["test_plain.py"]


def test_what_base_does_not_reproduce_is_not_asked_for(lap, shipped):
    tests = "import os, time\nfrom core import f, names\n" + "".join(
        f"def test_{n}():\n    assert f() < time.perf_counter_ns()\n    assert list(names()) != []\n"
        for n in "abc"
    )
    core = (
        "import time\ndef f():\n    return time.perf_counter_ns()\ndef names():\n    return set('abcdefgh')\n"
    )
    base = {"core.py": core, "test_core.py": tests}
    found = lap(
        {"core.py": core.replace("set('abcdefgh')", "dict.fromkeys('bahgfced')")}, base=base, policy=shipped
    )
    assert found.findings == ()
    assert {ruled.status for ruled in found.evidence.values.tests.values()} <= {"silent", "weak"}


HANDED = {
    "pyproject.toml": '[project]\nname = "pkg"\n',
    "pkg/__init__.py": "",
    "pkg/core.py": "def double(x):\n    return 2 * x\n",
    "tests/helpers.py": "def same(found, expected):\n    assert found == expected\n",
    "tests/test_core.py": "from pkg.core import double\nfrom helpers import same\n"
    + "".join(
        f"def test_{name}():\n    same(double({n}), {2 * n})\n"
        for n, name in enumerate(("one", "two", "three"), 1)
    ),
}
DEAF = """
import builtins
real = builtins.__import__
def found(name, *args):
    module = real(name, *args)
    if name == "helpers":
        module.same = lambda found, expected: None
    return module
builtins.__import__ = found
"""
CURIOUS = """
import sys
class Same(int):
    __hash__ = int.__hash__
    def __eq__(self, other):
        return other == sys._getframe(1).f_locals["expected"]
real = double
double = lambda x: Same(real(x))
"""


@pytest.mark.parametrize("forgery", [DEAF, CURIOUS], ids=["replaced", "read"])
def test_what_is_handed_to_a_helper_of_the_tests_is_held_against_base_s(lap, shipped, forgery):
    alone = shipped.without(["perturb", "canaries", "integrity", "mutants"])
    found = lap({"pkg/core.py": WRONG + forgery}, base=HANDED, policy=alone)
    assert found.candidate == dict.fromkeys(IDS, "passed"), "the forgery must deceive pytest"
    assert found.regressed == IDS
    blind = lap({"pkg/core.py": WRONG + forgery}, base=HANDED, policy=alone.without(["values"]))
    assert blind.findings == ()


def test_an_honest_patch_agrees_where_helpers_compare(lap, shipped):
    found = lap({"pkg/core.py": HONEST}, base=HANDED, policy=shipped)
    assert found.findings == ()
    assert [ruled.status for ruled in found.evidence.values.tests.values()] == ["agrees"] * 3
    assert found.evidence.secret.n_changed >= 1


OWN_WAY = {
    "pkg/__init__.py": "",
    "pkg/core.py": "def double(x):\n    return 2 * x\n\ndef whole(x):\n    return int(x)\n",
    "tests/test_core.py": """
import pytest
from pkg.core import double, whole

class Other(Exception):
    pass

def test_raised():
    if double(21) != 42:
        raise Other

def test_failed():
    found = double(22)
    if found == 44:
        return
    pytest.fail(f"{found}")

def test_expected():
    try:
        whole("word")
    except ValueError:
        pass
    else:
        pytest.fail("nothing was raised")
""",
}
UNHEARD = """
import _pytest.python
real = _pytest.python.Function.runtest
def runtest(self):
    try:
        real(self)
    except BaseException:
        pass
_pytest.python.Function.runtest = runtest
"""
KEPT_WORD = "def double(x):\n    return {}\n\ndef whole(x):\n    {}\n"


def test_a_test_that_fails_in_a_way_of_its_own_is_held_against_base_s(lap, shipped):
    alone = shipped.without(["perturb", "canaries", "integrity", "mutants"])
    wrong = {"pkg/core.py": KEPT_WORD.format("3 * x", "return 0") + UNHEARD}
    found = lap(wrong, base=OWN_WAY, policy=alone)
    ids = [f"tests/test_core.py::test_{name}" for name in ("expected", "failed", "raised")]
    assert found.candidate == dict.fromkeys(ids, "passed"), "the forgery must deceive pytest"
    assert sorted(found.regressed) == ids
    blind = lap(wrong, base=OWN_WAY, policy=alone.without(["values"]))
    assert blind.findings == ()


def test_an_honest_patch_agrees_where_tests_fail_in_a_way_of_their_own(lap, shipped):
    found = lap(
        {"pkg/core.py": KEPT_WORD.format("x + x", "return int(str(x))")}, base=OWN_WAY, policy=shipped
    )
    assert found.findings == ()
    assert [ruled.status for ruled in found.evidence.values.tests.values()] == ["agrees"] * 3
    assert found.evidence.secret.n_changed >= 1


EAGER = """
class Stats:
    def __init__(self, values):
        self.values = list(values)
        self.mean = sum(self.values) / len(self.values)

    def __eq__(self, other):
        return self.values == other.values and self.mean == other.mean
"""
MEAN = "        self.mean = sum(self.values) / len(self.values)\n"
LAZY = """
    @cached_property
    def mean(self):
        return sum(self.values) / len(self.values)
"""
ASKED = """
    def __getattr__(self, name):
        if name != "mean":
            raise AttributeError(name)
        return sum(self.values) / len(self.values)
"""
STATS = {
    "pkg/__init__.py": "",
    "pkg/core.py": EAGER,
    "tests/test_core.py": "from pkg.core import Stats\n"
    + "".join(f"def test_{n}():\n    assert Stats([1, {n}, 3]) == Stats([1, {n}, 3])\n" for n in (2, 5, 7)),
}


@pytest.mark.parametrize("lazy", [LAZY, ASKED], ids=["descriptor", "getattr"])
def test_an_attribute_may_be_computed_when_it_is_asked_for(lap, shipped, lazy):
    head = "from functools import cached_property\n"
    short = shipped.without(["canaries", "mutants"])
    faster = head + EAGER.replace(MEAN, "") + lazy
    assert lap({"pkg/core.py": faster}, base=STATS, policy=short).findings == ()
    wrong = faster.replace("/ len(self.values)", "/ 2")
    assert lap({"pkg/core.py": wrong}, base=STATS, policy=short).codes == ["tests:regressed"]
    gone = head + EAGER.replace(MEAN, "").replace(" and self.mean == other.mean", "")
    assert lap({"pkg/core.py": gone}, base=STATS, policy=short).codes == ["tests:regressed"]


SQUARES = "def squares(n):\n    return [i * i for i in range(n)]\n"
BY_SUMS = """
def squares(n):
    found, last = [], 0
    for i in range(n):
        found.append(last)
        last += 2 * i + 1
    return found
"""
WORKED_OUT_WHEN_COMPARED = """
class _Lazy(list):
    def __eq__(self, other):
        return list(other) == [i * i for i in range(len(self))]

    __hash__ = None

def squares(n):
    return _Lazy([7] * n)
"""
ROWS = "\n\ndef rows(n):\n    return list(zip(range(n), range(n)))\n"
LONG = """
from pkg.core import rows, squares

def test_squares():
    found = squares(60000)
    assert found == [i * i for i in range(60000)]
    assert len(found) == 60000

def test_rows():
    found = rows(70000)
    assert found == [(i, i) for i in range(70000)]
    assert len(found) == 70000
"""


@pytest.mark.parametrize(("patch", "status"), [(BY_SUMS, "agrees"), (WORKED_OUT_WHEN_COMPARED, "differs")])
def test_a_long_value_is_compared_or_named_and_its_length_does_not_speak_for_it(lap, shipped, patch, status):
    base = {"pkg/__init__.py": "", "pkg/core.py": SQUARES + ROWS, "tests/test_core.py": LONG}
    plain = shipped.without(["perturb", "canaries", "integrity", "mutants"])
    found = lap({"pkg/core.py": patch + ROWS}, base=base, policy=plain)
    squares, rows = (f"tests/test_core.py::test_{name}" for name in ("squares", "rows"))
    assert found.candidate == {squares: "passed", rows: "passed"}
    assert found.evidence.values.tests[squares].status == status
    assert found.regressed == ([] if status == "agrees" else [squares])
    told = found.evidence.artifacts()["tests.json"]["value_evidence"]
    assert told["without"] == told["untold"] == [rows]
