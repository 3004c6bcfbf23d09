"""`assert a or b`: the whole counts where the judge can work it out itself, and each part where it cannot."""

import sys
from pathlib import Path

import pytest

import truelap
from truelap.checks.tests.attest_judge import judge_test
from truelap.checks.tests.attest_known import learn, read
from truelap.checks.tests.attest_rewrite import attest as rewritten

PROBES = Path(truelap.__file__).parent / "probes"
NAME = "_w8r2k5"


@pytest.fixture
def rule(monkeypatch):
    """How a test with these lines ends for a function of the candidate, where base has another."""
    monkeypatch.setattr(sys, "path", [str(PROBES), *sys.path])
    attest, encode = __import__("attest"), __import__("encode")

    def sent(code, f, *, soft):
        found = []
        recorder = attest.Recorder(found.append, encode.make_encoder(), soft=soft)
        recorder.begin("t")
        space = {NAME: recorder, "f": f}
        exec(code, space)
        space["test"]()
        recorder.end()
        return read([event for message in found for event in message["events"]])

    def run(lines, base, candidate, *, soft=False):
        source = f"def test():\n{lines}".encode()
        made = rewritten(source, "test_x.py", name=NAME, soft=soft)
        code = compile(made.source, "test_x.py", "exec")
        values = [sent(code, f, soft=soft) for f in (base, candidate)]
        sites = {site.id: site for site in made.sites}
        return judge_test(learn([values[0]] * 2), values[1], sites, perturbed=soft).status

    return run


@pytest.mark.parametrize(
    "line",
    [
        "assert f(n) == 1 or f(n) == 2",
        "assert f(n) == 2 or f(n) == 1",
        "assert not (f(n) != 1 and f(n) != 2)",
        "assert (f(n) > 0 and f(n) == 1) or not f(n) != 2 or False",
        "assert isinstance(f(n), str) or f(n) in (1, 2)",
    ],
)
def test_which_part_holds_is_the_package_s_affair(rule, line):
    loop = f"    for n in range(3):\n        {line}\n"
    assert rule(loop, lambda _: 1, lambda _: 1) == "agrees"
    assert rule(loop, lambda _: 1, lambda _: 2) == "weak"
    assert rule(loop, lambda _: 1, lambda n: 1 + n % 2) == "weak"


def test_what_holds_nowhere_differs(rule):
    line = "    try:\n        assert f(0) == 1 or f(0) == 2\n    except AssertionError:\n        pass\n"
    assert rule(line, lambda _: 1, lambda _: 3) == "differs"
    assert rule(line, lambda _: 3, lambda _: 3) == "agrees"
    assert rule(line, lambda _: 3, lambda _: 4) == "weak", "it comes out as at base"
    assert rule("    assert f(0) == 1 or f(0) == 2\n", lambda _: 3, lambda _: 4, soft=True) == "differs"
    assert rule("    assert f(0) == 1 or f(0) == 2\n", lambda _: 1, lambda _: 2, soft=True) == "weak"


def test_a_candidate_that_makes_up_both_values_is_not_believed(rule):
    line = "    assert f(0) == f(1) or f(2) == f(3)\n"
    assert rule(line, lambda x: x // 2, lambda x: int(x > 0)) == "differs"


def test_of_two_parts_that_must_hold_each_counts(rule):
    line = "    assert f(0) > 0 and f(0) < 9\n"
    assert rule(line, lambda _: 1, lambda _: 2) == "weak"
    assert (
        rule("    assert f(0) and f(1) == 3\n", lambda _: 3, lambda x: 3 + x if x else 3, soft=True)
        == "differs"
    )
