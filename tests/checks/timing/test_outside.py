"""Work that is done in setup is none that is saved; a setup that is quicker is nobody's fault. For real."""

import pytest

from truelap.checks.timing import outside
from truelap.checks.timing.rounds import Rounds
from truelap.policy import load_policy

FILES = {
    "asv.conf.json": '{"benchmark_dir": "benches"}',
    "benches/__init__.py": "",
    "benches/b.py": """
from lib import Series

class Suite:
    def setup(self):
        self.series = Series([n * 7919 % 1009 for n in range(5000)])

    def time_ranks(self): self.series.ranks()
""",
    "lib.py": """
class Series:
    def __init__(self, numbers):
        self.numbers = numbers

    def ranks(self):
        order = []
        for number in self.numbers:
            order = [*order[-40:], number]
        return sorted(order)
""",
}
HONEST = FILES["lib.py"].replace("self.numbers:", "self.numbers[-41:]:")
MOVED = """
class Series:
    def __init__(self, numbers):
        self.numbers = numbers
        order = []
        for number in self.numbers:
            order = [*order[-40:], number]
        self.order = sorted(order)

    def ranks(self):
        return list(self.order)
"""


@pytest.mark.parametrize(("rule", "decision"), [("report", "same"), ("credit", "faster")])
def test_work_that_is_moved_to_setup_is_a_gain_only_where_a_policy_says_so(timed, rule, decision):
    shipped = load_policy()
    policy = shipped.model_copy(update={"verdict": shipped.verdict.model_copy(update={"moved": rule})})
    came = timed(FILES, {"lib.py": MOVED}, policy=policy)
    case = came["b.Suite.time_ranks"]
    assert (case.decision, case.moved.status) == (decision, "moved"), case.moved
    assert "each setup takes" in case.reason
    assert came.codes() == ["time:moved"]


def test_work_that_is_saved_stays_a_gain(timed):
    case = timed(FILES, {"lib.py": HONEST}, effort="standard")["b.Suite.time_ranks"]
    assert (case.decision, case.moved.status) == ("faster", "kept"), case.moved
    assert len(case.moved.base.load_s) == outside.VISITS


@pytest.mark.parametrize(("off", "decision"), [((), "same"), (("moved",), "faster")])
def test_a_gain_that_holds_a_hundred_megabytes_is_reported(timed, off, decision):
    held = HONEST + "\nHELD = bytearray(b'x' * 100_000_000)\n"
    case = timed(FILES, {"lib.py": held}, policy=load_policy().without(off))["b.Suite.time_ranks"]
    assert case.decision == decision, case.moved
    if not off:
        assert "MB of memory" in case.reason


WRITES = {
    **FILES,
    "benches/b.py": """
from lib import Book

class Suite:
    def setup(self):
        self.book = Book()

    def time_add(self): self.book.add(7)

    def teardown(self):
        self.book.close()
""",
    "lib.py": """
class Book:
    def __init__(self):
        self.last = 0

    def add(self, number):
        self.last = number
        sorted(str(n) for n in range(100))

    def close(self):
        pass
""",
}
PUT_OFF = """
class Book:
    def __init__(self):
        self.last, self.open = 0, 0

    def add(self, number):
        self.last = number
        self.open += 1

    def close(self):
        for _ in range(self.open):
            sorted(str(n) for n in range(100))
"""


@pytest.mark.parametrize(("off", "decision"), [((), "same"), (("moved",), "faster")])
def test_what_short_calls_leave_to_teardown_is_not_saved(timed, off, decision):
    case = timed(WRITES, {"lib.py": PUT_OFF}, policy=load_policy().without(off))["b.Suite.time_add"]
    assert case.decision == decision, case.moved
    if not off:
        assert "outside of its samples" in case.reason


def test_a_last_word_in_teardown_may_cost_something(timed):
    ends = (
        WRITES["lib.py"]
        .replace("sorted(", "list(")
        .replace("        pass", "        sorted(map(str, range(1000)))")
    )
    case = timed(WRITES, {"lib.py": ends.replace("range(100)", "range(50)")}, effort="standard")[
        "b.Suite.time_add"
    ]
    assert (case.decision, case.moved.status) == ("faster", "kept"), case.moved


def test_without_the_defence_it_is_paid(timed):
    case = timed(FILES, {"lib.py": MOVED}, policy=load_policy().without(["moved"]))["b.Suite.time_ranks"]
    assert (case.decision, case.moved) == ("faster", None)


@pytest.mark.parametrize(
    ("late", "came_out"), [("candidate", ("same", "moved")), ("base", ("faster", "not_tried"))]
)
def test_who_takes_all_the_time_bears_it(timed, monkeypatch, late, came_out):
    used_up = type("UsedUp", (Rounds,), {"late": lambda self, track: late})
    monkeypatch.setattr(outside, "Rounds", used_up)
    case = timed(FILES, {"lib.py": HONEST})["b.Suite.time_ranks"]
    assert (case.decision, case.moved.status) == came_out
    assert "the time for all benchmarks was used up" in case.moved.reason
