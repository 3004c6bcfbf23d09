"""Perturbed files have other literals, drawn by the secret, at the same lines; canaries fail where they are planted."""

import ast
import math
import textwrap
from bisect import bisect_left

import pytest

from truelap.checks.tests.attest_canary import canaries
from truelap.checks.tests.attest_order import numbers
from truelap.checks.tests.attest_perturb import Lot, another, perturb

FILE = textwrap.dedent('''
    """Doc 1."""
    import pytest
    SIZE = 7
    DATA = ["abc", ("b", 2)]
    __hidden__ = 5
    _TABLE: list = [Case(31, "u")]
    pytestmark = "mark"

    @pytest.mark.parametrize("value, other", [(10, "abc"), (20, "xyz")], ids=["p", "q"])
    def test_one(value, other, default=3):
        """Doc 2."""
        x = f(12, 0.5, "abc", mode="fast")
        assert x[0] == {"abc": 12}
        assert getattr(x, "name") != f"{x!r} {12}"
        assert 10**9 + 2**3 == g(x["abc"])
        with pytest.raises(ValueError, match="abc 12"):
            f(-4)

    class TestTwo:
        size = 8

        def setup_method(self):
            self.text = "letters"

        async def test_two(self):
            assert await h(100) == "%s of {}" + "multi" "part"
''').lstrip()


def changed(text=FILE, secret=b"s", **options):
    found = perturb(text.encode(), secret, filename="f", inputs=1, expected=1, **options)
    assert found.source is not None, found.reason
    return found.source.decode()


def literals(text):
    return [node.value for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Constant)]


def test_every_literal_that_may_change_does():
    text = changed()
    for line, before in zip(text.splitlines(), FILE.splitlines(), strict=True):
        kept = (
            "Doc",
            "import",
            "_hidden",
            "pytestmark",
            "class",
            "def test_one",
            "raises",
            "setup",
            "getattr",
            "with",
        )
        if any(ast_part.isdigit() for ast_part in before) and not any(word in before for word in kept):
            assert line != before
    for kept in (
        '"value, other"',
        'ids=["p", "q"]',
        "default=3",
        'mode="fast"',
        '"name"',
        "x[0]",
        "**9",
        "abc 12",
        "{12}",
        "%s ",
        " {}'",
        "__hidden__ = 5",
    ):
        assert kept in text, kept
    assert "SIZE = 7" not in text
    assert "size = 8" not in text
    assert "Case(31" not in text


def test_parameters_can_be_left_alone():
    assert '[(10, "abc"), (20, "xyz")]' in changed(parameters=False)
    assert '[(10, "abc"), (20, "xyz")]' not in changed()


def test_lines_and_structure_stay():
    shape = [type(node) for node in ast.walk(ast.parse(FILE))]
    text = changed()
    assert len(text.splitlines()) == len(FILE.splitlines())
    assert len([type(node) for node in ast.walk(ast.parse(text))]) in range(len(shape) - 2, len(shape) + 1)


def test_texts_change_alike_in_the_whole_file():
    text = changed()
    new = ast.literal_eval(text.partition("DATA = ")[2].partition("\n")[0])[0]
    assert new != "abc"
    assert text.count(repr(new)) == FILE.count('"abc"')


def test_the_secret_decides():
    assert changed(secret=b"1") == changed(secret=b"1")
    assert len({changed(secret=bytes([number])) for number in range(20)}) == 20


def test_the_share_is_kept():
    many = "def test():\n" + "".join(f"    f({number})\n" for number in range(100, 1100))
    found = perturb(many.encode(), b"s", inputs=0.3, expected=1)
    assert 200 < found.changes < 400


LIKE = [
    0,
    1,
    2,
    63,
    64,
    65,
    10**12,
    2**70,
    0.0,
    0.5,
    1e300,
    "a",
    "Z9",
    "a b",
    "é1",
    "δ",
    "数",
    "x" * 300,
    b"a",
    b"\xff\0",
]


@pytest.mark.parametrize("value", LIKE)
def test_another_is_another_of_the_same_kind(value):
    for drawn in (0, 1, 2, 3, 2**16, 2**63 + 7):
        new = ast.literal_eval(another(value, drawn))
        assert type(new) is type(value)
        assert new != value
        assert not isinstance(value, str | bytes) or len(new) == len(value)
        assert isinstance(value, str | bytes) or 0 <= new <= max(value + 2, value * 1.3)
        assert type(value) is not int or value < 8 or new < value


@pytest.mark.parametrize(
    "value", [True, None, "", "%d", "{}", "{name!r:>{width}}", r"\d+", "--", b"--", 1 << 9000, 1e308, ...]
)
def test_some_values_have_no_other(value):
    assert another(value, 7) is None


def test_what_cannot_be_read_is_left_with_a_reason():
    assert perturb(b"def test(:\n", b"s").source is None
    assert "SyntaxError" in perturb(b"def test(:\n", b"s").reason


def test_draws_are_even_and_do_not_depend_on_each_other():
    lot = Lot(b"s", "f")
    assert lot.draw(1, 2) == Lot(b"s", "f").draw(1, 2) != Lot(b"s", "g").draw(1, 2)
    assert 400 < sum(lot.chance(0.5, number) for number in range(1000)) < 600


CANARIES = textwrap.dedent("""
    import unittest

    def test_equal():
        assert 1 + 1 == 2

    def test_negated():
        assert "a" in "abc"

    def test_loop():
        for x in [1, 2]:
            assert x

    class TestThings(unittest.TestCase):
        def test_method(self):
            self.assertEqual([1, 2], list((1, 2)))

        def test_true(self):
            self.assertTrue(len("ab") < 3)

    def test_nothing():
        return None

    def test_only_raises():
        with unittest.TestCase().assertRaises(KeyError):
            assert {}[1]
""")


def failing(source):
    """Which tests of a file fail, by scope."""
    space = {}
    exec(compile(source, "test_x.py", "exec"), space)
    tests = {name: space[name] for name in space if name.startswith("test_")}
    case = space["TestThings"]
    tests |= {
        f"TestThings.{name}": getattr(case(name), name) for name in vars(case) if name.startswith("test_")
    }
    found = set()
    for name, test in tests.items():
        try:
            test()
        except AssertionError:
            found.add(name)
    return found


@pytest.mark.parametrize("count", [1, 3, 9])
def test_canaries_fail_and_nothing_else_does(count):
    for secret in range(12):
        found = canaries(CANARIES.encode(), bytes([secret]), count=count)
        assert failing(found.source) == {canary.scope for canary in found.planted}
        assert len(found.planted) == min(count, 5)
        assert failing(CANARIES) == set()


def test_canaries_stand_elsewhere_with_another_secret():
    planted = [canaries(CANARIES.encode(), bytes([secret]), count=2).planted for secret in range(8)]
    assert len(set(planted)) > 3
    assert canaries(CANARIES.encode(), b"1") == canaries(CANARIES.encode(), b"1")


def test_a_file_without_assertions_has_no_canary():
    assert canaries(b"def test():\n    pass\n", b"s").source is None
    assert canaries(b"def test(:\n", b"s").reason.startswith("SyntaxError")


SORTED = textwrap.dedent("""
    import pytest
    WEIGHTS = [0.1, 0.5, 1, 1.0, 2.5]

    def see(values, x):
        SEEN.append(([*values], x, rank(values, x)))

    @pytest.mark.parametrize("row", [[1, 2, 3, 4], [70, 90, 90, 400]])
    @pytest.mark.parametrize("x, row", [(1, [1, 2, 3]), (2, [5, 6, 6])])
    def test_rows():
        see(WEIGHTS, 1)

    def test_numbers():
        for x in (1, 2, 3, 4, 5, 6, 7, 8, 9):
            see([1, 2, 3, 4, 5, 6, 7, 8], x)
        see((-900, -3, -2, -1, 0, 1, 2, 2, 1000), 2)
        see([1.5, 2, 2.0, 2.5, 3, 1e6], 2)

    def test_texts():
        see(["ab", "ac", "ad", "ae", "ae", "af"], "ad")
        see(["a", "b", "c", "d"], "c")
        for key, text in [("c", ["b", "c"])]:
            see(text, key)
""")


def seen(rank, secret):
    """What the tests above give to a function and get from it, with other literals."""
    source = ast.unparse(ast.Module(ast.parse(changed(SORTED, secret)).body[1:], []))
    space = {"SEEN": [], "pytest": pytest, "rank": rank}
    exec(source, space)
    for name in [name for name in space if name.startswith("test_")]:
        space[name]()
    marks = [mark.args[1] for mark in space["test_rows"].pytestmark]
    return space["SEEN"], [*marks[1], *(row for _, row in marks[0])]


def test_what_is_ascending_stays_so_and_what_is_equal():
    before = [values for values, *_ in seen(bisect_left, b"")[0]]
    other = set()
    for secret in range(60):
        calls, rows = seen(bisect_left, bytes([secret]))
        for values in [*rows, *(values for values, *_ in calls)]:
            assert values == sorted(values)
        assert [len({*values}) for values, *_ in calls] == [len({*values}) for values in before]
        assert calls == seen(lambda values, x: sum(value < x for value in values), bytes([secret]))[0]
        other.add(repr(calls))
    assert len(other) == 60


def test_what_is_expected_is_no_longer_the_right_answer():
    """Though the order of both holds, and sorting would keep it."""
    line = "def test():\n    assert order([3, 1, 2, 9]) == [1, 2, 3, 9]\n"
    right = 0
    for secret in range(200):
        tree = ast.parse(perturb(line.encode(), bytes([secret]), filename="f").source)
        wanted, given = (ast.literal_eval(node) for node in ast.walk(tree) if isinstance(node, ast.List))
        assert wanted == sorted(wanted)
        right += sorted(given) == wanted
    assert right < 20, right


def test_cases_of_a_table_do_not_belong_together():
    """Or a case whose answer is its input would tell the answer whatever the secret is."""
    table = 'P = [(5, 5), (6, 6)]\n@mark.parametrize("x, wanted", [(5, 5), (6, 6)])\ndef test():\n    for x, wanted in [(5, 5), (6, 6)]:\n        pass\n'
    found = [ast.parse(changed(table, bytes([secret]))) for secret in range(40)]
    for place in range(6):
        pairs = [
            ast.literal_eval(
                [
                    row
                    for row in ast.walk(tree)
                    if isinstance(row, ast.Tuple)
                    and len(row.elts) == 2
                    and isinstance(row.elts[0], ast.Constant)
                ][place]
            )
            for tree in found
        ]
        assert sum(one != other for one, other in pairs) > 8


def test_numbers_for_which_there_is_no_room_stay():
    assert numbers({1e307: False, 1.5e308: False}, lambda value: value if value > 1e307 else 1.7e308) == {}
    assert numbers({1: True, math.inf: False}, lambda value: value + 1) == {1: 2, math.inf: math.inf}
    assert numbers({1.0: False, 1.1: False, 2: True}, lambda value: value * 1.2) == {
        1.0: 1.2,
        1.1: 1.1 * 1.2,
        2: 2.4,
    }


def test_a_function_with_one_input_rarely_keeps_it():
    def kept(body, value, count=300):
        text = f"def test_a():\n    assert {body}\n".encode()
        return sum(
            value in perturb(text, bytes([n % 256, n // 256]), filename="f").source.decode()
            for n in range(count)
        )

    assert kept("isclose(f(2.0), 1.5)", "f(2.0)") < 45
    assert kept("f('word') == 7", "word") < 45
    # Of many it is enough that some are others.
    many = ", ".join(str(1000 + 37 * n) for n in range(12))
    assert 90 < kept(f"f({many}) == 7", "1370") < 210


@pytest.mark.parametrize("mark", ['"""', "r'''"])
def test_a_text_of_several_lines_keeps_them(mark):
    text = f"def test():\n    text = {mark}one\n  two {mark[-3:]}\n    assert f(text) == 7\n"
    new = changed(text)
    before, after = (ast.parse(each).body[0].body[0].value for each in (text, new))
    assert after.value != before.value
    assert (after.lineno, after.end_lineno) == (before.lineno, before.end_lineno)
    assert [len(line) for line in after.value.splitlines()] == [3, 6]


@pytest.mark.parametrize(
    "text", ["'one'\n        'two'", '"""\\\n  one\\t\n"""', 'b"""one\n"""', "f'{x!r:>3} one {{'"]
)
def test_what_stands_otherwise_in_the_file_than_in_memory_changes_there(text):
    before = f"def test():\n    assert f({text}) == g()\n"
    after = changed(before)
    assert (len(after), after.count("\n")) == (len(before), before.count("\n"))
    assert [one != two for one, two in zip(before, after, strict=True)].count(True) == 1


def test_a_file_in_another_encoding_keeps_it():
    source = "# coding: latin-1\ndef test():\n    assert f('é', 'ж', '''é\n''') == f'{x} é'\n".replace(
        "ж", "z"
    ).encode("latin-1")
    found = perturb(source, b"s", inputs=1, expected=1)
    assert found.source is not None, found.reason
    assert found.source.decode("latin-1") != source.decode("latin-1")


def test_the_message_of_an_assertion_stays():
    assert "'one'" in changed("def test():\n    assert f(7), 'one'\n")


HANDED = """
import re, subprocess
import pkg
from pkg import Box, compile

ITEMS = list(("mill", "barn"))

@pytest.fixture(params=["harrow", "sickle"])
def tool(request):
    return request.param

@pytest.mark.parametrize(argnames="a, b", argvalues=[("plough", "furrow")])
def test(a, b):
    assert shout("one") and pkg.shout(text="acorn", mode="strict") and compile("meadow") and pkg.run("hedge")
    subprocess.run(["stay"], text="stay")
    re.compile("stay")
    open("stay", mode="stay")
    other(word="stay")
"""
INPUTS = ("mill", "barn", "harrow", "sickle", "plough", "furrow", "acorn", "meadow", "hedge")


def test_what_is_tested_is_handed_inputs_whatever_it_is_called():
    after = perturb(HANDED.encode(), b"s", inputs=1.0, expected=1.0).source.decode()
    assert [word for word in INPUTS if f'"{word}"' in after] == []
    assert after.count('"stay"') == HANDED.count('"stay"')
    assert 'mode="strict"' in after
