"""The whole way: a real pytest runs rewritten tests of a small package, and the judge rules on what came out.

Packages that forge what pytest says are told by their values; an honest rewrite of the same function is not.
"""

import json
import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

import truelap
from truelap.checks.tests.attest_judge import judge_test
from truelap.checks.tests.attest_known import learn, read
from truelap.checks.tests.attest_perturb import perturb
from truelap.checks.tests.attest_rewrite import attest

PROBES = Path(truelap.__file__).parent / "probes"
NAME = "_w8r2k5"
RUNNER = f"""
import builtins, json, sys
sys.path.insert(0, {str(PROBES)!r})
import attest, encode
sys.path.pop(0)
import pytest

class Plugin:
    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_protocol(self, item):
        RECORDER.begin(item.nodeid)
        yield
        RECORDER.end()

    def pytest_runtest_logreport(self, report):
        if report.when == "call":
            SENT.append({{"type": "claim", "test": report.nodeid, "outcome": report.outcome}})

SENT = []
soft = sys.argv[2] == "soft"
RECORDER = attest.Recorder(SENT.append, encode.make_encoder(), (AssertionError, pytest.fail.Exception), soft)
setattr(builtins, {NAME!r}, RECORDER)
sys.path.insert(0, ".")
pytest.main(["-q", "-p", "no:cacheprovider", "-c", "/dev/null", "--rootdir", ".", "test_counts.py"], plugins=[Plugin()])
open(sys.argv[1], "w").write(json.dumps(SENT))
"""
TESTS = '''
"""Counting."""
from __future__ import annotations
import unittest
import pytest
from counts import count, first

def test_count():
    assert count("aab") == {"a": 2, "b": 1}, "counts"
    assert count([]) == {}

@pytest.mark.parametrize("text", ["ab", "ccc"])
def test_sum(text):
    total = sum(count(text).values())
    assert total == len(text)

class TestCase(unittest.TestCase):
    def test_first(self):
        self.assertEqual(first("bca"), "a")
        with self.assertRaises(ValueError):
            first("")

def test_letters():
    assert all(letter in "abc" for letter in count("cab"))
    assert isinstance(count("a"), dict)
'''
HONEST = """
def count(items):
    found = {}
    for item in items:
        found[item] = found.get(item, 0) + 1
    return found

def first(items):
    return min(items)
"""
FASTER = """
import collections

def count(items):
    return dict(collections.Counter(items))

def first(items):
    return sorted(items)[0] if items else min(items)
"""
WRONG = HONEST.replace("+ 1", "+ 2")
FORGERIES = {
    "report": """
import _pytest.reports
def forged(cls, item, call, real=_pytest.reports.TestReport.from_item_and_call.__func__):
    report = real(cls, item, call)
    report.outcome, report.longrepr = "passed", None
    return report
_pytest.reports.TestReport.from_item_and_call = classmethod(forged)
""",
    "no test runs": """
import _pytest.python
_pytest.python.Function.runtest = lambda self: None
""",
    "equal to everything": """
class Same(dict):
    __class__ = dict
    __eq__ = lambda self, other: True
    __hash__ = lambda self: 0
    values = lambda self: [type("N", (int,), {"__radd__": lambda s, o: s, "__eq__": lambda s, o: True, "__hash__": lambda s: 0})()]
real = count
count = lambda items: Same(real(items))
""",
    "reads what its caller expects": """
import ast, linecache, sys
def count(items, real=count):
    frame = sys._getframe(1)
    line = linecache.getline(frame.f_code.co_filename, frame.f_lineno).strip()
    try:
        return ast.literal_eval(ast.parse(line).body[0].test.comparators[0])
    except Exception:
        return {letter: 1 for letter in items}
""",
}


def run(folder, package, tests, *, soft=False, seed="1"):
    """Values by test, and the outcomes that the worker claims."""
    folder.mkdir(exist_ok=True)
    (folder / "counts.py").write_text(package)
    (folder / "test_counts.py").write_bytes(tests)
    (folder / "run.py").write_text(RUNNER)
    environment = {"PATH": os.environ["PATH"], "PYTHONHASHSEED": seed, "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "run.py", "sent.json", "soft" if soft else "hard"]
    subprocess.run(command, cwd=folder, env=environment, check=True, capture_output=True, timeout=60)
    sent = json.loads((folder / "sent.json").read_text())
    claims = {message["test"]: message["outcome"] for message in sent if message["type"] == "claim"}
    events = {test: [] for test in claims}
    for message in sent:
        if message["type"] == "values":
            events[message["test"]] += message["events"]
    return {test: read(found) for test, found in events.items()}, claims


class Suite:
    def __init__(self, folder, source, *, soft):
        self.folder, self.soft = folder, soft
        found = attest(source, "test_counts.py", name=NAME, soft=soft)
        self.source, self.sites = found.source, {site.id: site for site in found.sites}
        runs = [run(folder, HONEST, self.source, soft=soft, seed=seed)[0] for seed in ("1", "2")]
        self.truth = {test: learn([one[test] for one in runs]) for test in runs[0]}

    def rule(self, package):
        sent, claims = run(self.folder, package, self.source, soft=self.soft)
        rulings = {
            test: judge_test(truth, sent.get(test, {}), self.sites, perturbed=self.soft)
            for test, truth in self.truth.items()
        }
        return {test: ruling.status for test, ruling in rulings.items()}, claims


@pytest.fixture(scope="module")
def plain(tmp_path_factory):
    return Suite(tmp_path_factory.mktemp("plain"), TESTS.encode(), soft=False)


@pytest.fixture(scope="module")
def secret(tmp_path_factory):
    changed = perturb(TESTS.encode(), b"secret", filename="test_counts.py", inputs=1, expected=1).source
    return Suite(tmp_path_factory.mktemp("secret"), changed, soft=True)


def test_base_against_itself(plain, secret):
    for suite in (plain, secret):
        statuses, claims = suite.rule(HONEST)
        assert set(statuses.values()) == {"agrees"}
        assert len(claims) == 5
    assert set(plain.rule(HONEST)[1].values()) == {"passed"}


def test_an_honest_rewrite_agrees(plain, secret):
    for suite in (plain, secret):
        assert set(suite.rule(FASTER)[0].values()) == {"agrees"}


def test_a_wrong_function_differs(plain):
    statuses, claims = plain.rule(WRONG)
    assert claims["test_counts.py::test_count"] == "failed"
    assert statuses["test_counts.py::test_count"] == statuses["test_counts.py::test_sum[ab]"] == "differs"


@pytest.mark.parametrize("forgery", FORGERIES)
def test_a_wrong_function_cannot_be_hidden(plain, secret, forgery):
    package, count = WRONG + FORGERIES[forgery], "test_counts.py::test_count"
    statuses, claims = plain.rule(package)
    assert claims[count] == "passed", "the forgery must deceive pytest"
    # With base's own literals the lie of one who reads them is perfect; when they are secret it is not.
    assert statuses[count] == ("agrees" if forgery == "reads what its caller expects" else "differs")
    assert secret.rule(package)[0][count] == "differs"


def test_a_failing_test_still_fails_when_rewritten(tmp_path):
    text = textwrap.dedent("""
        def test_a():
            x = 1
            assert x == 2, "no"
    """)
    found = attest(text.encode(), "test_counts.py", name=NAME)
    sent, claims = run(tmp_path, HONEST, found.source)
    assert claims == {"test_counts.py::test_a": "failed"}
    assert sent == {"test_counts.py::test_a": {(1, 0): [1]}}
