"""Rewritten benchmarks still do what they did, and tell what they compute."""

import ast
import builtins
import re

import pytest

from truelap.workers.rewriting import rewritten

SOURCE = '''"""A suite."""
import math

TIME = 3

class Many:
    """Of all kinds."""

    def setup(self):
        self.n = 3; helper(self.n)

    def time_plain(self):
        """Says what it does."""
        math.sqrt(4)

    def time_assigned(self):
        x = math.sqrt(9); y: int = int(x)
        y += helper(y)
        a, b = 1, helper(2)
        return (
            x +
            y
        )

    def time_looped(self):
        for i in (n for n in range(3)):
            if i:
                helper(i)
            else:
                with open("/dev/null") as file:
                    file.read()
        try:
            [helper(i) for i in range(2)]
        except ValueError:
            helper(0)
        def inner():
            helper("inner")
        inner()

    def time_generator(self):
        yield helper(1)

def helper(n):
    return n * 2

def time_function():
    return helper(helper(2)), "ä"; helper(1)

async def time_never():
    helper(1)
'''


class Recorder:
    def __init__(self):
        self.told, self.calls = [], []

    def __call__(self, place, value):
        self.told.append((place, value))
        return value

    dropped = __call__

    def called(self, place, callee):
        self.calls.append(place.partition(" ")[2].partition(" ")[2])
        return callee

    def items(self, place, values):
        for value in values:
            self.told.append((place, value))
            yield value


@pytest.fixture
def recorder(monkeypatch):
    made = Recorder()
    monkeypatch.setattr(builtins, "tl_x", made, raising=False)
    return made


def loaded(source):
    space = {}
    exec(compile(rewritten(source.encode(), "tl_x"), "suite", "exec"), space)
    return space


def test_what_statements_compute_is_told(recorder):
    space = loaded(SOURCE)
    many = space["Many"]()
    many.setup()
    assert recorder.told == []
    many.time_plain()
    assert [value for _, value in recorder.told] == [2.0]
    recorder.told.clear()
    assert many.time_assigned() == 12.0
    assert [value for _, value in recorder.told] == [3.0, 3, 6, (1, 4), 12.0]
    recorder.told.clear()
    many.time_looped()
    assert [value for _, value in recorder.told] == [0, "", 1, 2, 2, 4, [0, 2], None]
    recorder.told.clear()
    assert space["time_function"]() == (8, "ä")
    assert [value for _, value in recorder.told] == [(8, "ä")]


def test_every_line_keeps_its_number_and_every_place_its_own():
    changed = rewritten(SOURCE.encode(), "tl_x").decode()
    assert len(changed.splitlines()) == len(SOURCE.splitlines())
    before, after = (
        [(node.name, node.lineno) for node in ast.walk(ast.parse(text)) if hasattr(node, "name")]
        for text in (SOURCE, changed)
    )
    assert before == after
    assert changed.count("tl_x") == len(set(re.findall(r"'line [^']+'", changed)))


def test_whatever_is_called_by_name_passes_the_recorder(recorder):
    source = """
class Many:
    def time_calls(self):
        super().__init__()
        self.value = [abs(n) for n in range(1)][0]
        f"{str(self.value)}"
        (lambda: len(""))()
        def inner(): return bool()
        self.twice(
            self.twice(2)
        ).bit_length()
    def twice(self, n): return n * 2
"""
    loaded(source)["Many"]().time_calls()
    called = [
        "super().__init__",
        "super",
        "range",
        "abs",
        "self.twice(self.twice(2)).bit_length",
        "self.twice",
    ]
    assert sorted(recorder.calls) == sorted([*called, "self.twice"])


@pytest.mark.parametrize(
    "source", ["def time_x(:\n", "def helper():\n    f(1)\n", "def time_x():\n    pass\n", "\x00"]
)
def test_what_cannot_or_need_not_be_changed_is_left(source):
    assert rewritten(source.encode(), "tl_x") is None
