"""A rewritten test file is the original, line by line, but for what it sends."""

import ast
import asyncio
import textwrap

import pytest

from truelap.checks.tests.attest_rewrite import attest, check_same, parse

NAME = "_k3x9q"


class Recorder:
    def __init__(self):
        self.events = []

    def __call__(self, site, slot, value):
        self.events.append((site, slot, value))
        return value

    def manager(self, site, manager):
        self.events.append((site, "manager", type(manager).__name__))
        return manager

    def function(self, site, function):
        self.events.append((site, "function", function.__name__))
        return function

    def truth(self, site, value):
        self.events.append((site, "truth", bool(value)))
        return True

    def soft(self, site, function):
        return function


def rewritten(text, **options):
    found = attest(textwrap.dedent(text).encode(), "test_x.py", name=NAME, **options)
    assert found.source is not None, found.reason
    return found


def run(text, call="test()", **options):
    """Values that were sent, and the namespace after the call."""
    recorder = Recorder()
    space = {NAME: recorder, "pytest": pytest, "__name__": "test_x"}
    exec(compile(rewritten(text, **options).source, "test_x.py", "exec"), space)
    if call:
        space["result"] = eval(call, space)
    return [value for *_, value in recorder.events], space


def test_operands_are_sent_in_order_and_literals_are_not():
    assert run("def test():\n    x = 2\n    assert x + 1 == 3\n    assert 1 < x <= 2 < x + 5\n")[0] == [
        3,
        2,
        7,
    ]


def test_the_judge_knows_the_literals():
    (_, compare) = rewritten("def test():\n    assert f(1) == {'a': [1, 2.5]}\n").sites
    known = [operand for operand in compare.operands if operand.known]
    assert (compare.kind, compare.operators, compare.scope, compare.line) == ("compare", ("==",), "test", 2)
    assert [(operand.slot, operand.constant) for operand in known] == [
        (1, ["d", [["a", ["l", [1, ["f", "0x1.4000000000000p+1"]]]]]])
    ]


def test_short_circuits_and_single_evaluation_stay():
    text = """
    calls = []
    def f(x):
        calls.append(x)
        return x
    def test():
        assert f(0) == 0 or f(1) == 1
        assert not (f(2) == 3 and f(4) == 4)
        assert 9 > f(5) > 2 > f(1)
    """
    sent, space = run(text)
    assert space["calls"] == [0, 2, 5, 1]
    assert sent == [0, 2, 5, 1]


def test_scopes_walrus_yield_await_and_comprehensions():
    text = """
    import asyncio
    def test():
        assert (y := 3) == 3 and y + 1 == 4
        assert all(z == z * 1 for z in [1, 2])
        assert [q for q in (1, 2) if q > 1] == [2]
        return y
    class Box:
        a = 5
        assert a == 5
        assert any(i == 5 for i in (a,))
        __b = 7
        def test(self):
            assert self.__b == 7
            assert super().__init__() is None
    def gen():
        assert (yield 1) == 4
        assert (yield) is None
    async def co():
        assert await asyncio.sleep(0, 6) == 6
        assert [x async for x in agen()] == [1]
        return 8
    async def agen():
        yield 1
    """
    sent, space = run(text)
    assert sent[:2] == [5, 5]
    assert sent[3:] == [3, 4, 1, 1, 2, 2, True, [2]][: len(sent) - 3]
    assert space["result"] == 3
    sent, space = run(text, "Box().test()")
    assert sent[-2:] == [7, None]
    _, space = run(text, "gen()")
    steps = space["result"]
    assert next(steps) == 1
    assert steps.send(4) is None
    with pytest.raises(StopIteration):
        steps.send(None)
    _, space = run(text, "co()")
    assert asyncio.run(space["result"]) == 8


def test_expected_exceptions_as_block_and_as_call():
    text = """
    def boom():
        raise ValueError("x")
    def test():
        with pytest.raises(ValueError, match="x") as caught, open("/dev/null"):
            boom()
        assert caught.value.args == ("x",)
        pytest.raises(ValueError, boom)
    """
    assert run(text)[0] == ["RaisesExc" if hasattr(pytest, "RaisesExc") else "RaisesContext", ("x",), "boom"]


def test_assertion_functions_of_unittest_and_numpy():
    text = """
    import unittest
    def assert_allclose(actual, desired, rtol=0, err_msg=""):
        pass
    class Case(unittest.TestCase):
        def runTest(self):
            self.assertEqual(1 + 1, 2)
            self.assertIn(1, [1, 1 + 1], msg="a" + "b")
            self.assertTrue(len("ab") == 2)
            with self.assertRaises(KeyError):
                {}[1]
            self.assertRaises(KeyError, {}.pop, 1)
            assert_allclose(1 + 3, desired=2 + 2, err_msg="x" + "y")
            assert_allclose(*[5, 5 + 1])
            self.assertTrue(x for x in [0])
    """
    sent, _ = run(text, "Case().runTest()")
    assert sent[:6] == [2, [1, 2], 2, "_AssertRaisesContext", "pop", 4]
    assert sent[6:8] == [4, [5, 6]]


def test_witnesses_of_a_predicate():
    found = rewritten(
        "def test():\n    assert isinstance(f(1), int)\n    assert isclose(a, b)\n    assert g(h(1))\n    assert g(x)\n"
    )
    roles = [[operand.role for operand in site.operands] for site in found.sites if site.kind == "truth"]
    assert roles == [
        ["claim", "witness", "witness"],
        ["claim", "witness", "witness"],
        ["claim", "witness"],
        ["claim"],
    ]


@pytest.mark.parametrize(
    ("claim", "close"),
    [
        ("isclose(f(1), 2)", (1e-5, 1e-8)),
        ("math.isclose(x, 2, rel_tol=1e-3)", (1e-3, 1e-8)),
        ("np.allclose(f(1), y, 0.5, 1)", (0.5, 1.0)),
        ("np.isclose(f(1), y).all()", (1e-5, 1e-8)),
        ("all(np.isclose(f(1), y))", (1e-5, 1e-8)),
        ("np.array_equal(f(1), y) and z", (0.0, 0.0)),
        ("np.allclose(f(1), y, rtol=TOL)", None),
        ("np.allclose(f(1), y, **options)", None),
        ("not np.allclose(f(1), y)", None),
        ("g(f(1))", None),
    ],
)
def test_what_an_assertion_of_closeness_tolerates(claim, close):
    found = rewritten(f"def test():\n    assert {claim}\n")
    assert [site.close for site in found.sites if site.close is not None] == [close] * (close is not None)


@pytest.mark.parametrize(
    ("text", "back"),
    [
        ("def test():\n    def key(x):\n        assert x\n    f(key)\n", True),
        ("def test():\n    def key(x):\n        assert x\n    f(1, key=key)\n", True),
        ("def test():\n    def check(x):\n        assert x\n    check(1)\n", False),
        ("def test():\n    def check(x):\n        assert x\n    f(check)\n    check(1)\n", False),
        ("def test(self):\n    f(lambda x: self.assertEqual(x, y))\n", True),
        ("class Key:\n    def __lt__(self, other):\n        assert other\n", True),
        ("class Key:\n    def __init__(self, other):\n        assert other\n", False),
    ],
)
def test_who_calls_an_assertion(text, back):
    assert {site.back for site in rewritten(text).sites} == {back}


def test_lines_comments_and_formatting_stay():
    text = '"""Doc."""\nfrom __future__ import annotations\n\n\ndef test():  # first\n    assert (\n        f(1)  # left\n        == [\n            2,\n        ]\n    ), "why"\n'
    found = rewritten(text)
    assert found.source.decode().count("\n") == text.count("\n")
    assert found.source.decode().replace(f"{NAME}(1,0,(f(1)))", "f(1)") == text


@pytest.mark.parametrize(
    "source",
    [
        b"# -*- coding: latin-1 -*-\ndef test():\n    assert f('\xe9') == '\xe9' and g('\xe9', x) != x\n",
        "def test():\n    assert 'é' + x == 'é€𝄞' and f(y) == 1\n".encode(),
        "\ufeffdef test():\n    assert f(x) == 'é'\n".encode(),
        b"def test():\r\n    assert f(x) == (1,\r\n  2)\r\n    assert g(x)\r\n",
        b"def test():\r    assert f(x) == 1\r",
        b"x = 1\n\x0cdef test():\n    assert f(x) == 1\n",
        b"def test():\n    assert f(x) == 1",
        b"def test():\n    assert f(x) == \\\n        1 ; assert g(x)\n",
        "def test():\n    s = '\u2028\x1c'; assert f(s) == s\n".encode(),
        b"def test(): assert f'{x!r:>{w}}' 'a' == g(x) if y else h(x)\n",
        b"def test():\n\tassert (lambda: x)() == [*y][-1]\n",
        b"def test():\n    assert f(x for x in y)\n    self.assertTrue(x for x in y)\n    self.assertTrue((x for x in y))\n",
        b"def test():\n    assert ((f))(x).y[0] is not None, g(z)\n",
        b"match f(x):\n    case [1, *_] if x:\n        assert x == y\n",
    ],
)
def test_bytes_that_python_reads_can_be_rewritten(source):
    for soft in (False, True):
        found = attest(source, "test_x.py", name=NAME, soft=soft)
        assert found.source is not None, found.reason
        check_same(parse(source, ""), parse(found.source, ""), NAME)


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        (b"def test(:\n", "SyntaxError"),
        (b"# coding: nonsense\n", "unknown encoding"),
        (b"x = '\xff'\n", "encoding"),
        (b"x = 1\0\n", "null"),
        (f"assert {NAME}\n".encode(), "stands in the file"),
        (b"x = " + b"(" * 5000 + b")" * 5000 + b"\n", "Error"),
    ],
)
def test_a_file_that_cannot_be_rewritten_says_why(source, reason):
    found = attest(source, "test_x.py", name=NAME)
    assert found.source is None
    assert reason in found.reason


def test_a_name_that_classes_would_mangle_is_refused():
    with pytest.raises(ValueError, match="recorder's name"):
        attest(b"", "x", name="__secret")


def test_a_changed_file_is_noticed():
    before = parse(b"def test():\n    assert f(x) == 1\n", "")
    with pytest.raises(ValueError, match="line 2"):
        check_same(before, parse(f"def test():\n    assert {NAME}(0,0,(f(y))) == 1\n".encode(), ""), NAME)
    with pytest.raises(ValueError, match="line"):
        check_same(before, parse(f"def test():\n\n    assert {NAME}(0,0,(f(x))) == 1\n".encode(), ""), NAME)


def test_sites_go_on_counting_where_the_last_file_ended():
    assert [site.id for site in rewritten("assert f(x) == y\n", first=40).sites] == [40, 41]


def test_soft_assertions_send_their_truth_and_go_on():
    text = "def test():\n    assert 1 == len('ab'), boom\n    assert 'x' in 'ab'.upper()\n    return 5\n"
    sent, space = run(text, soft=True)
    assert sent == [2, False, "AB", False]
    assert space["result"] == 5


def test_this_very_suite_can_be_rewritten():
    from pathlib import Path

    for path in sorted(Path(__file__).parent.glob("test_*.py")):
        found = attest(path.read_bytes(), path.name, name=NAME)
        assert found.source is not None or "stands in the file" in found.reason, (path, found.reason)
        assert ast.parse(path.read_bytes())
