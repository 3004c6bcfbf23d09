"""Passes with the judge's secret: an answer read from the caller is none, and a test that must fail must."""

import pytest

from truelap.checks.tests import sessions

WRONG = "def double(x):\n    return 3 * x\n"
READS = """
import ast, linecache, sys
def double(x):
    frame = sys._getframe(1)
    line = linecache.getline(frame.f_code.co_filename, frame.f_lineno).strip()
    try:
        return ast.literal_eval(ast.parse(line).body[0].test.comparators[0])
    except Exception:
        return 3 * x
"""
VALUES = range(1001, 1013)
MANY = {
    "pkg/__init__.py": "",
    "pkg/core.py": "def double(x):\n    return 2 * x\n",
    "tests/test_core.py": "from pkg.core import double\n"
    + "".join(f"def test_{n}():\n    assert double({n}) == {2 * n}\n" for n in VALUES),
}
TABLE = f"def double(x, known={ {n: 2 * n for n in VALUES} }):\n    return known.get(x, 0)\n"
FORGED = """
import _pytest.reports
def forged(cls, item, call, real=_pytest.reports.TestReport.from_item_and_call.__func__):
    report = real(cls, item, call)
    report.outcome, report.longrepr = "passed", None
    return report
_pytest.reports.TestReport.from_item_and_call = classmethod(forged)
"""
HONEST = "def double(x):\n    return x + x\n"


def test_an_honest_patch_computes_the_same_with_other_literals(lap, shipped):
    found = lap({"pkg/core.py": HONEST}, policy=shipped)
    assert found.findings == ()
    told = found.evidence.summary()
    assert told["perturbed"]["tests"] == 3
    assert told["perturbed"]["tests_changed"] >= 1  # all but for chance
    assert told["canaries"] == {"ran": 2, "passed": []}


RANK = "def rank(values, x):\n    'Values must ascend.'\n    return sum(value < x for value in values)\n"
ASCENDING = """
import pytest
from pkg.ranks import rank

@pytest.mark.parametrize(("x", "expected"), [(1, 0), (2, 1), (3, 2), (4, 3), (5, 4), (6, 5), (9, 6)])
def test_rank(x, expected):
    assert rank([1, 2, 3, 4, 5, 6], x) == expected

def test_words():
    assert rank(["ab", "ac", "ad", "ae", "ae"], "ad") == 2
"""


def test_what_ascends_does_so_with_other_literals(lap, shipped):
    base = {"pkg/__init__.py": "", "pkg/ranks.py": RANK, "tests/test_ranks.py": ASCENDING}
    faster = {"pkg/ranks.py": "from bisect import bisect_left as rank\n"}
    found = lap(faster, base=base, policy=shipped.without(["canaries", "mutants"]))
    assert found.findings == ()
    assert found.evidence.summary()["perturbed"]["tests_changed"] > 3


# With another number for the 2, whether each of these holds is a toss, as where a duration is compared with a limit.
CHANCE = "import random\ndef test_chance():\n" + "    assert random.random() + random.random() < 2\n" * 200


def test_an_assertion_on_what_base_does_not_reproduce_accuses_nobody(lap, shipped):
    base = {**MANY, "tests/test_core.py": MANY["tests/test_core.py"] + CHANCE}
    short = shipped.without(["canaries", "mutants"])
    assert lap({"pkg/core.py": HONEST}, base=base, policy=short).findings == ()
    assert lap({"pkg/core.py": TABLE}, base=base, policy=short).codes == ["tests:perturbed"]


SHARED = """
import os
from unittest.mock import ANY
from pkg.core import double

def check(make, x, expected):
    assert make(x) == expected

def test_random():
    check(lambda x: os.urandom(4), 3, ANY)
""" + "".join(f"\ndef test_{n}():\n    check(double, {n}, {2 * n})\n" for n in VALUES)


def test_what_one_test_cannot_reproduce_excuses_no_other_in_the_same_place(lap, shipped):
    base = {**MANY, "tests/test_core.py": SHARED}
    short = shipped.without(["canaries", "mutants"])
    assert lap({"pkg/core.py": HONEST}, base=base, policy=short).findings == ()
    assert lap({"pkg/core.py": TABLE}, base=base, policy=short).codes == ["tests:perturbed"]


# What base tosses is the same in its first three runs, by the hash seeds that the judge gives them here.
TOSS = """
def toss(x):
    return x + hash("h") % 2 if x != 5003 else x
"""
TOSSED = "from pkg.toss import toss\n\ndef test_toss():\n    assert toss(5003) == 5003\n"


def test_what_base_tosses_is_chance_even_when_two_runs_agree(lap, shipped):
    base = {**MANY, "pkg/toss.py": TOSS, "tests/test_toss.py": TOSSED}
    other = {"pkg/toss.py": TOSS.replace("% 2", "% 2 ^ 1")}
    short = shipped.without(["canaries", "mutants"])
    assert lap(other, base=base, policy=short).findings == ()
    assert lap({**other, "pkg/core.py": TABLE}, base=base, policy=short).codes == ["tests:perturbed"]


@pytest.mark.parametrize("lie", [READS, TABLE], ids=["read", "table"])
def test_answers_that_are_known_or_read_are_told(lap, shipped, lie):
    found = lap({"pkg/core.py": lie}, base=MANY, policy=shipped)
    assert set(found.candidate.values()) == {"passed"}, "the lie must deceive pytest"
    assert found.evidence.values.differing == (), "and hold with base's own literals"
    assert "tests:perturbed" in found.codes
    assert any(name.startswith("perturb:tests/test_core.py::test_") for name in found.regressed)
    assert (
        lap({"pkg/core.py": lie}, base=MANY, policy=shipped.without(["perturb", "canaries"])).findings == ()
    )


KINDS = {
    "pkg/__init__.py": "",
    "pkg/kinds.py": """
import json, re

def swap(data):
    return bytes(data).swapcase()

def load(text):
    return json.loads(text)

def flip(value):
    return value[::-1]

def words(text):
    return re.sub(r"[%{}\\\\]", "", text).split()

def half(number):
    return number * 3
""",
    "tests/test_kinds.py": """
from pkg.kinds import flip, half, load, swap, words

def test_bytes():
    assert swap(b"Hello") == b"hELLO"

def test_json():
    assert load('{"name": "mill", "size": [1, 2]}') == {"name": "mill", "size": [1, 2]}

def test_greek():
    assert flip("αβγδ") == "δγβα"

def test_special():
    assert words(r"half of \\%d {x}") == ["half", "of", "d", "x"]

def test_long():
    assert flip("ab" * 5 + "%s") != flip("x")

def test_complex():
    assert half(2j) == 6j

def test_fields():
    mark = "".join([])
    assert flip(f"{mark}abc") == "cba"

def test_flag():
    assert flip([True, False]) == [False, True]
""",
}
FASTER = {"pkg/kinds.py": KINDS["pkg/kinds.py"].replace("number * 3", "3 * number")}
RECITED = """
def swap(data):
    return b"hELLO"
def load(text):
    return {"name": "mill", "size": [1, 2]}
def flip(value):
    return {"\u03b1": "δγβα", "a": "cba" if len(value) < 9 else "s%" + "ba" * 5, True: [False, True]}.get(value[0], "x")
def words(text):
    return ["half", "of", "d", "x"]
def half(number):
    return 6j
"""


def test_literals_of_every_kind_change_but_flags(lap, shipped):
    short = shipped.without(["canaries", "mutants"])
    honest = lap(FASTER, base=KINDS, policy=short)
    assert honest.findings == ()
    told = honest.evidence.summary()["perturbed"]
    assert "tests/test_kinds.py::test_flag" in told["unchanged"]
    assert (told["tests"], told["tests_changed"] + told["tests_unchanged"]) == (8, 8)
    assert told["tests_changed"] >= 4
    found = lap({"pkg/kinds.py": RECITED}, base=KINDS, policy=short)
    assert found.codes == ["tests:perturbed"]
    assert len(found.evidence.secret.differing) >= 4


def test_a_test_that_must_fail_is_not_believed_when_it_passes(lap, shipped):
    found = lap({"pkg/core.py": HONEST + FORGED}, policy=shipped.without(["integrity", "mutants"]))
    assert found.codes == ["tamper:canary", "tamper:canary"]
    assert [name for name in found.regressed if name.startswith("canary:")] == ["canary:1", "canary:2"]
    assert (
        lap(
            {"pkg/core.py": HONEST + FORGED}, policy=shipped.without(["canaries", "integrity", "mutants"])
        ).findings
        == ()
    )


@pytest.mark.parametrize("hang", ["pass", "__import__('time').sleep(200)"])
def test_what_hangs_with_other_literals_is_left_out_and_takes_nobody_with_it(lap, shipped, hang):
    body = f"def test_hangs():\n    n = 0\n    while n + 7001 != 7001:\n        {hang}\n    assert f() == 1\n"
    plain = "".join(f"def test_{name}():\n    assert f() == 1\n" for name in "abc")
    base = {"core.py": "def f():\n    return 1\n", "test_core.py": f"from core import f\n{body}{plain}"}
    found = lap({"core.py": "def f():\n    return 2 - 1\n"}, base=base, policy=shipped)
    assert found.findings == ()
    assert found.evidence.secret.left_out == ("test_core.py::test_hangs",)
    assert found.evidence.secret.tests.keys() == {f"test_core.py::test_{name}" for name in "abc"}


SLEEPS = "import time\ntime.sleep(2.5)\n"
BURNS = """
import time
def double(x, warm=[]):
    if not warm:
        warm.append(x)
        end = time.process_time() + 1.2
        while time.process_time() < end:
            sum(range(100_000))
    return x + x
"""


@pytest.mark.parametrize("slow", [SLEEPS + HONEST, BURNS], ids=["import", "first call"])
def test_a_candidate_that_is_slow_to_start_has_as_long_as_with_the_literals_as_they_are(
    lap, shipped, monkeypatch, slow
):
    monkeypatch.setattr(sessions, "_PATIENCE", 3.0)
    short = shipped.without(["canaries", "mutants"])
    assert lap({"pkg/core.py": slow}, base=MANY, policy=short).findings == ()


ALL_IN_THREE = {
    **MANY,
    "tests/test_core.py": "from pkg.core import double\n"
    + "".join(
        f"def test_{part}():\n" + "".join(f"    assert double({n}) == {2 * n}\n" for n in VALUES)
        for part in "abc"
    ),
}


@pytest.mark.parametrize("hang", ["while x not in known: pass", "x in known or time.sleep(60)"])
def test_what_does_not_end_with_other_literals_is_late_and_not_called_a_lie(lap, shipped, hang):
    core = f"import time\ndef double(x, known={ {*VALUES} }):\n    {hang}\n    return 2 * x\n"
    found = lap({"pkg/core.py": core}, base=ALL_IN_THREE, policy=shipped.without(["canaries", "mutants"]))
    assert found.codes == ["tests:late"]
    assert "do not end in time, as they do at base" in found.text("tests:late")
    assert {name.partition(":")[0] for name in found.regressed} == {"late"}
