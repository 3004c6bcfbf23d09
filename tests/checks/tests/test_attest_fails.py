"""Tests that fail in a way of their own say what decides it, and nothing else is taken for that."""

import ast
import textwrap

import pytest

from truelap.checks.tests.attest_canary import canaries
from truelap.checks.tests.attest_fails import Fails
from truelap.checks.tests.attest_rewrite import attest, check_same, parse
from truelap.checks.tests.mutants import asserted_calls

NAME = "_k3x9q"


def checks(body, head="def test(self):"):
    """The conditions of a test, each with the truth with which it goes on, and the exceptions that it waits for."""
    tree = ast.parse(head + "\n" + textwrap.indent(textwrap.dedent(body), "    "))
    found = Fails(tree)
    nodes = {id(node): ast.unparse(node) for node in ast.walk(tree) if isinstance(node, ast.expr)}
    return {nodes[key]: value for key, value in found.conditions.items()}, {
        nodes[key] for key in found.caught
    }


@pytest.mark.parametrize(
    ("body", "conditions"),
    [
        ("if f() != 3: raise AssertionError('x')", {"f() != 3": False}),
        ("if f() != 3: raise ValueError", {"f() != 3": False}),
        ("if f() != 3: pytest.fail('x')", {"f() != 3": False}),
        ("if f() != 3: self.fail()", {"f() != 3": False}),
        ("if f() != 3: fail()", {"f() != 3": False}),
        ("if f() != 3: assert False, 'x'", {"f() != 3": False}),
        ("if f() != 3:\n    x = g()\n    print(x)\n    raise E(x)", {"f() != 3": False}),
        ("if f() == 3: g()\nelse: self.fail()", {"f() == 3": True}),
        ("if a: g()\nelif b: self.fail()\nelse: h()", {"b": False}),
        ("if a: g()\nelif b: h()\nelse: self.fail()", {"b": True}),
        ("if a:\n    if b: self.fail()\n    else: raise E", {"a": False}),
        ("if f() == 3: return\nself.fail()", {"f() == 3": True}),
        ("if a:\n    if b: return\n    raise E", {"b": True}),
        ("for x in y:\n    if x == 3: continue\n    self.fail()", {"x == 3": True}),
        ("for x in y:\n    if x > 3: self.fail()", {"x > 3": False}),
        ("for x in range(9):\n    if f(x): self.fail()", {"f(x)": False}),
        ("with a:\n    if b: self.fail()", {"b": False}),
        ("try:\n    if b: self.fail()\nfinally: g()", {"b": False}),
        ("for x in y:\n    if x == 3: break\nelse: self.fail()", {"x == 3": None}),
        ("for x in y:\n    if x == 3: return\nself.fail()", {"x == 3": None}),
        ("f() == 3 or g() or pytest.fail('x')", {"f() == 3": None, "g()": None}),
    ],
)
def test_what_decides_whether_a_test_fails(body, conditions):
    assert checks(body) == (conditions, set())
    assert checks(body, "async def test_it():") == (conditions, set())
    assert checks(body, "def helper(self):") == ({}, set())


@pytest.mark.parametrize(
    "body",
    [
        "if a: raise SkipTest",
        "if a: raise unittest.SkipTest('x')",
        "if a: raise pytest.skip.Exception('x')",
        "if a: pytest.skip('x')",
        "if a: return",
        "if a: job.fail()",
        "if a: f(fail())",
        "if a: raise E\nelse: self.fail()",
        "if a: return\ng()\nself.done()",
        "while f():\n    if a: self.fail()",
        "for _ in range(9):\n    if f(): break\nelse: self.fail()",
        "for _ in range(9):\n    if f(): break\n    if g(): self.fail()",
        "for _ in range(9):\n    try: return f()\n    except E: pass\n    else: self.fail()",
        "for x in y:\n    if f(x): break\nself.fail()",
        "for x in y:\n    for z in x:\n        if f(z): break\nelse: self.fail()",
        "def back():\n    if a: self.fail()\nf(back)",
        "class Mine:\n    def read(self):\n        if a: raise E",
        "f() == 3 or g()",
        "try: f()\nexcept E: g()",
        "try: f()\nexcept E: return\ng()",
    ],
)
def test_anything_else_decides_nothing(body):
    assert checks(body) == ({}, set())


@pytest.mark.parametrize(
    "body",
    [
        "try: f()\nexcept E: pass\nelse: pytest.fail()",
        "try:\n    f()\n    self.fail()\nexcept E: pass",
        "try: f()\nexcept E: return\nraise AssertionError",
        "try: f()\nexcept E: self.fail()\nexcept F: pass",
    ],
)
def test_what_is_waited_for(body):
    assert checks(body) == ({}, {"E"})


class Recorder:
    """Stands in for the worker's: only what is sent matters here."""

    def __init__(self):
        self.sent = []

    def __call__(self, site, slot, value):
        self.sent.append(value)
        return value

    def truth(self, site, value):
        self.sent.append(bool(value))
        return True

    def untruth(self, site, value):
        self.sent.append(bool(value))
        return False

    def raised(self, site, kinds):
        self.sent.append(kinds)
        return kinds

    def soft(self, site, function):
        return lambda *args: None


def run(body, *, soft=False):
    """What a test sends, and whether it goes on to its end."""
    text = "def test(f):\n" + textwrap.indent(textwrap.dedent(body), "    ") + "\n    return 'end'\n"
    found = attest(text.encode(), "test_x.py", name=NAME, soft=soft)
    assert found.source is not None, found.reason
    check_same(parse(text.encode(), ""), parse(found.source, ""), NAME)
    recorder = Recorder()
    space = {NAME: recorder, "pytest": pytest}
    exec(compile(found.source, "test_x.py", "exec"), space)
    try:
        end = space["test"](iter((1, 2, 3)).__next__)
    except (AssertionError, pytest.fail.Exception):
        end = "failed"
    return recorder.sent, end


@pytest.mark.parametrize(
    ("body", "plain", "soft"),
    [
        ("if f() != 1: raise AssertionError", ([1], "end"), ([1, False], "end")),
        ("if f() != 2: raise AssertionError", ([1], "failed"), ([1, True], "end")),
        ("if (x := f()) == 2: pass\nelif x != f() - 1: assert 0", ([1, 1], "end"), ([1, 1, False], "end")),
        ("if f() == 2: pass\nelse: pytest.fail()", ([1], "failed"), ([1, False], "end")),
        ("f() == 2 or pytest.fail()", ([1], "failed"), ([1], "end")),
        (
            "try: [][f()]\nexcept IndexError: pass\nelse: pytest.fail()",
            ([IndexError], "end"),
            ([IndexError], "end"),
        ),
        (
            "try: f()\nexcept (KeyError, IndexError) as e: pass\nelse: pytest.fail()",
            ([], "failed"),
            ([], "end"),
        ),
        ("for x in (1, 2):\n    if x == f(): break\nelse: pytest.fail()", ([1, 1], "end"), ([1, 1], "end")),
    ],
)
def test_operands_are_sent_and_no_failure_ends_a_soft_test(body, plain, soft):
    assert run(body) == plain
    assert run(body, soft=True) == soft


def test_a_loop_that_waits_still_ends_by_its_failure():
    body = "x = 0\nwhile x < 9:\n    x = f()\n    if x > 2: pytest.fail()\nelse: pytest.fail()"
    assert run(body, soft=True) == run(body) == ([], "failed")


@pytest.mark.parametrize(
    ("check", "kept"),
    [
        ("if f(4) != 300:\n        raise E", "if f(4) != "),
        ("assert f(4) == Money(300)", "assert f(4) == Money("),
        ("if f(4) == 300:\n        pass\n    else:\n        fail()", "if f(4) == "),
    ],
)
def test_a_canary_is_another_expected_value(check, kept):
    found = canaries(f"def test():\n    {check}\n".encode(), b"s")
    line = found.source.decode().splitlines()[1].strip()
    assert line.startswith(kept)
    assert "300" not in line
    assert [(canary.scope, canary.line) for canary in found.planted] == [("test", 2)]


def test_a_canary_is_a_check_turned_round():
    found = canaries(b"def test():\n    if f(4):\n        raise E\n", b"s")
    assert found.source == b"def test():\n    if not (f(4)):\n        raise E\n"
    assert canaries(b"def test():\n    if f(4):\n        g()\n", b"s").source is None


def test_mutants_are_found_by_what_such_checks_call():
    assert asserted_calls(b"def test():\n    if f(1) != 2:\n        raise E\n", "t.py") == {"f": ["test"]}
