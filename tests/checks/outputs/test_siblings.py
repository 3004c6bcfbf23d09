"""Calls beside a benchmark's own, for real: what is right for the benchmark's input alone is found, and nobody honest accused."""

import pytest

from truelap.checks.outputs.siblings import NOTHING, Beside, Wish, compare, read_plan
from truelap.policy import load_policy
from truelap.task import Task
from truelap.values import Tolerance

POLICY = load_policy()

LIBRARY = """
import bisect, random

def windows(numbers, width): return [sum(numbers[i:i + width]) for i in range(len(numbers) - width + 1)]
def sort(values): values.sort()
def find(ordered, value): return bisect.bisect_left(ordered, value)
def best(pairs): return max(pairs, key=lambda pair: pair[1])
def words(text): return text.split()
def lazily(n): return (i * i for i in range(n))
def drawn(n): return [random.random() for _ in range(n)]
def strict(n):
    if n != 7: raise ValueError("only 7")
    return n
def read(lines): return [line.upper() for line in lines]

class Shelf:
    def __init__(self, books): self.books = books
    def top(self, count): return sorted(self.books)[:count]
"""

SUITE = """
import lib

class Suite:
    def setup(self):
        self.numbers = [n * 37 % 101 for n in range(80)]
        self.ordered = list(range(0, 100, 3))
        self.text = "one two three four five six"
        self.shelf = lib.Shelf([5, 3, 8, 1])

    def time_windows(self): lib.windows(self.numbers, 10)
    def time_sort(self): lib.sort(self.numbers)
    def time_find(self): lib.find(self.ordered, 40)
    def time_best(self): lib.best([("b", 9), ("a", 3), ("c", 4), ("e", 5), ("d", 1)])
    def time_words(self): lib.words(self.text)
    def time_lazily(self):
        for item in lib.lazily(5): pass
    def time_drawn(self): lib.drawn(3)
    def time_strict(self): lib.strict(7)
    def time_read(self): lib.read(iter(["a", "b"]))
    def time_top(self): self.shelf.top(3)
    def time_builtin(self): sorted(self.numbers)
    def time_once(self): self.numbers.append(lib.strict(7))
    time_once.number = 1
"""

HONEST = """
import functools, heapq, random

def windows(numbers, width):
    found, total = [], sum(numbers[:width])
    for i in range(len(numbers) - width + 1):
        found.append(total)
        if i + width < len(numbers): total += numbers[i + width] - numbers[i]
    return found
def sort(values): values[:] = sorted(values)
def find(ordered, value):
    # Only right for what is sorted.
    low, high = 0, len(ordered)
    while low < high:
        middle = (low + high + 1) // 2
        if ordered[middle - 1] < value: low = middle
        else: high = middle - 1
    return low
def best(pairs):
    # Of equals another one.
    return sorted(pairs, key=lambda pair: pair[1])[-1]
def words(text): return [word for word in text.split(" ") if word]
def lazily(n): return map(lambda i: i * i, range(n))
def drawn(n): return [random.random() for _ in range(n)]
def strict(n):
    if n != 7: raise TypeError("another exception")
    return n
def read(lines): return list(map(str.upper, lines))

class Shelf:
    def __init__(self, books): self.books = books
    @functools.lru_cache
    def top(self, count): return heapq.nsmallest(count, self.books)
"""

WRONG = """
import random

known = {}
KNOWN = {(0, 10): 1}

def windows(numbers, width):
    key = id(numbers), len(numbers), width
    if key not in known:
        known[key] = numbers, [sum(numbers[i:i + width]) for i in range(len(numbers) - width + 1)]
    return known[key][1]
def sort(values): values[:] = sorted(values) if len(values) == 80 else values
def find(ordered, value): return 14
def best(pairs): return pairs[0]
def words(text): return ["one", "two", "three", "four", "five", "six"]
def lazily(n): return (i * i for i in range(5))
def drawn(n): return [random.random() for _ in range(3)]
def strict(n): return 7
def read(lines): return ["A", "B"]

class Shelf:
    def __init__(self, books): self.books = books
    def top(self, count):
        if count == 3: return [1, 3, 5]
        raise RuntimeError("only three")
"""

ASKED = {"windows", "sort", "find", "best", "words", "lazily", "top"}
"""What can be asked beside its own: base answers, and reproduces it."""


def differing(came):
    return {case.id.rpartition("_")[2] for case in came.evidence.cases if case.siblings.difference}


def test_an_honest_rewrite_computes_the_same_beside_its_own_input(compared):
    came = compared((LIBRARY, SUITE), HONEST)
    assert came.codes() == ["outputs:compared"], [case.siblings for case in came.evidence.beside]
    found = {case.id.rpartition("_")[2]: case.siblings for case in came.evidence.cases}
    assert {name for name, one in found.items() if one.compared} == ASKED
    assert found["windows"].tried == POLICY.outputs.siblings - 1
    assert (found["strict"].tried, found["strict"].compared) == (2, 0)
    assert "no call of the product" in found["builtin"].why_none
    assert "no call of the product" in found["read"].why_none
    assert came.evidence.summary()["n_siblings_compared"] == sum(one.compared for one in found.values())


def test_what_is_right_for_the_benchmarks_input_alone_is_found(compared):
    came = compared((LIBRARY, SUITE), WRONG)
    assert set(came.statuses().values()) <= {"equal", "not_comparable"}
    assert differing(came) == ASKED
    assert came.codes().count("outputs:sibling") == len(ASKED)
    told = {finding.message.split(":")[0]: finding.message for finding in came.findings}
    assert "lib.windows, argument 1 in place: two swapped: [" in told["b.Suite.time_windows"]
    assert "became" in told["b.Suite.time_windows"]
    assert "raises" in told["b.Suite.time_top"]


def test_without_the_defence_or_where_the_task_asks_for_none_nothing_is_tried(compared):
    came = compared((LIBRARY, SUITE), WRONG, policy=POLICY.without(["siblings"]), bench="windows")
    assert came.codes() == ["outputs:compared"]
    task = Task.model_validate({"outputs": {"overrides": {"b.Suite.time_windows": {"siblings": 0}}}})
    came = compared((LIBRARY, SUITE), WRONG, task=task, bench="windows")
    assert (came.codes(), came.evidence.cases[0].siblings.tried) == (["outputs:compared"], 0)


ARRAYS = """
import numpy as np

def moving(values, width): return np.convolve(values, np.ones(width), "valid")
def rows(table): return table.sum(axis=1)
def inverse(square): return np.linalg.inv(square)
def nearest(ordered, value): return np.searchsorted(ordered, value)
"""

ARRAY_SUITE = """
import lib
import numpy as np

class Suite:
    def setup(self):
        draw = np.random.default_rng(1)
        self.values = draw.random(100)
        self.table = draw.random((20, 5))
        self.square = draw.random((5, 5))
        self.ordered = np.sort(draw.random(50))

    def time_moving(self): lib.moving(self.values, 7)
    def time_rows(self): lib.rows(self.table)
    def time_inverse(self): lib.inverse(self.square)
    def time_nearest(self): lib.nearest(self.ordered, 0.5)
"""

HONEST_ARRAYS = """
import numpy as np

def moving(values, width):
    total = np.concatenate([[0.0], np.cumsum(values)])
    return total[width:] - total[:-width]
def rows(table): return np.einsum("ij->i", table)
def inverse(square): return np.linalg.solve(square, np.eye(len(square)))
def nearest(ordered, value): return np.intp(np.count_nonzero(ordered < value))
"""

WRONG_ARRAYS = """
import numpy as np
seen = {}

def moving(values, width):
    if id(values) not in seen:
        seen[id(values)] = values, np.convolve(values, np.ones(width), "valid")
    return seen[id(values)][1]
def rows(table): return np.resize(table[:20].sum(axis=1), 20)
def inverse(square): return np.linalg.inv(square)
def nearest(ordered, value): return np.searchsorted(ordered[:49], min(value, 0.5))
"""


def test_arrays_keep_their_shape_and_order_as_far_as_it_may_matter(compared):
    pytest.importorskip("numpy")
    came = compared((ARRAYS, ARRAY_SUITE), HONEST_ARRAYS)
    assert came.codes() == ["outputs:compared"], [case.siblings for case in came.evidence.beside]
    tried = {case.id.rpartition("_")[2]: case.siblings.compared for case in came.evidence.cases}
    assert tried == {"moving": 6, "rows": 2, "inverse": 0, "nearest": 2}
    came = compared((ARRAYS, ARRAY_SUITE), WRONG_ARRAYS)
    assert set(came.statuses().values()) == {"equal"}
    assert differing(came) == {"moving", "rows"}


WAY = ("line 3.8 f", "argument 1", "one less")
LABEL = "line 3.8 f, argument 1 one less"


def side(events, why=None):
    return Beside(
        (WAY,), None if events is None else {(LABEL + name, 0): value for name, value in events.items()}, why
    )


RAISED = {", raised": ["x", "builtins:ValueError", ["no"]]}


@pytest.mark.parametrize(
    ("base", "again", "candidate", "compared", "difference"),
    [
        ({"": 1}, {"": 1}, {"": 1}, 1, None),
        ({"": 1}, {"": 1}, {"": 2}, 1, "became 2"),
        ({"": 1}, {"": 1}, RAISED, 1, "raises ['x', 'builtins:ValueError', ['no']]"),
        ({"": 1}, {"": 1}, {}, 1, "no answer"),
        ({"": 1}, {"": 1}, None, 1, "its process ended"),
        ({"": 1}, {"": 1}, {", not made": True}, 0, None),
        ({"": 1}, {"": 3}, {"": 2}, 0, None),
        ({"": 1}, RAISED, {"": 2}, 0, None),
        (RAISED, RAISED, {"": 2}, 0, None),
        (RAISED, RAISED, RAISED, 0, None),
        ({", not made": True}, {"": 1}, {"": 2}, 0, None),
        (
            {"": 1, ": argument 1 afterwards": 4},
            {"": 1, ": argument 1 afterwards": 4},
            {"": 1},
            1,
            "not there",
        ),
        ({"": ["no", "too large"]}, {"": ["no", "too large"]}, {"": 2}, 0, None),
    ],
)
def test_only_what_base_answers_and_reproduces_is_asked_for(base, again, candidate, compared, difference):
    found = compare(
        side(base),
        side(again),
        side(candidate, None if candidate == {} else "its process ended"),
        Tolerance(),
        1e-4,
    )
    assert (found.tried, found.compared) == (1, compared)
    assert difference in found.difference if difference else found.difference is None
    assert found.as_data()["left_out"] == 1 - compared


def test_what_base_does_not_get_through_says_nothing():
    late = side(None, "it did not answer in time")
    for sides in ((late, NOTHING), (side({"": 1}), late)):
        found = compare(*sides, side({"": 2}), Tolerance(), 1e-4)
        assert (found.compared, found.difference, found.why_none) == (0, None, "it did not answer in time")


def test_calls_that_take_long_are_not_made_again():
    wish = Wish(8, 1.0)
    assert [wish.affordable(call_s) for call_s in (0.001, 0.2, 0.5, 1.5)] == [8, 5, 2, 0]


@pytest.mark.parametrize("plan", [None, "abc", [["a", "b"]], [["a", "b", 3]], ["abc"], [list(WAY)] * 3])
def test_a_plan_of_another_form_is_refused(plan):
    with pytest.raises(ValueError, match="form"):
        read_plan(plan, 2)
