"""The station for real: each benchmark is one kind of difference, or one kind of honest freedom."""

from truelap.policy import load_policy

POLICY = load_policy()

LIBRARY = """
import itertools, os, random

class Thing:
    def __init__(self):
        self._cache = None
        self._rows = (1, 2)
    def total(self):
        return 10

class Shown:
    def __init__(self):
        self.size = 3

def listed(n): return [i * 2 for i in range(n)]
def summed(values): return sum(values)
def set_of(n): return {str(i) for i in range(n)}
def dict_of(n): return {str(i): i for i in range(n)}
def lazily(n): return (i for i in range(n))
def raising(n): raise ValueError("no %d" % n)
def sort(values): values.sort()
def drawn(): return os.urandom(8)
def shuffled(values): return random.sample(values, len(values))
def thing(): return Thing()
def shown(): return Shown()
def nothing(): pass
def later(n): return [n]
def truncated(n): return iter([i for i in range(n)])
def copied(values): return list(values)
def kept(n): return n * 2
def gone(n): return n
"""

SUITE = """
import lib

VALUES = [1e16, 1.0, -1e16, 3.25, 7.125]

class Suite:
    def setup(self):
        self.values = [3, 1, 2]
        self.floats = [1 / (n + 1) for n in range(1000)]
        self.thing = lib.Thing()

    def time_listed(self): lib.listed(10)
    def time_summed(self): lib.summed(self.floats)
    def time_set(self): lib.set_of(20)
    def time_dict(self): lib.dict_of(20)
    def time_lazy(self): lib.lazily(5)
    def time_raises(self): lib.raising(3)
    def time_in_place(self):
        lib.sort(self.values)
    def time_drawn(self): lib.drawn()
    def time_shuffled(self): lib.shuffled(self.values)
    def time_thing(self): lib.thing()
    def time_method(self): self.thing.total()
    def time_shown(self): lib.shown()
    def time_nothing(self): lib.nothing()
    def time_later(self): lib.later(7)
    def time_truncated(self): lib.truncated(5)
    def time_loop(self):
        found = []
        for number in range(40):
            found.append(lib.kept(number))
        for item in lib.lazily(3):
            pass
    def time_local(self):
        copy = lib.copied(self.values)
        lib.sort(copy)
    def time_kept(self, *_):
        return lib.kept(4)
    def time_gone(self): lib.gone(1)
"""

HONEST = """
import itertools, os, random

class Thing:
    def __init__(self):
        self._cache = {1: 2}
        self._rows = [1, 2]
        self._more = 3
    def total(self):
        self._cache[2] = 10
        return 10

class Shown:
    def __init__(self):
        self.size = 3
        self.extra = 4

def listed(n): return list(range(0, 2 * n, 2))
def summed(values):
    total = 0.0
    for value in reversed(values):
        total += value
    return total
def set_of(n): return {str(i) for i in reversed(range(n))}
def dict_of(n): return {str(i): i for i in reversed(range(n))}
def lazily(n): return iter(range(n))
def raising(n): raise ValueError(f"no {n}")
def sort(values): values[:] = sorted(values)
def drawn(): return os.urandom(8)
def shuffled(values): return sorted(values, key=lambda _: random.random())
def thing(): return Thing()
def shown(): return Shown()
def nothing(): pass
def later(n): return [n]
def truncated(n): return iter(list(range(n)))
def copied(values): return values[:]
def kept(n): return n + n
def gone(n): return n
"""

WRONG = """
import array, itertools, os, random

class Thing:
    def total(self):
        return 11

class Shown:
    def __init__(self):
        self.size = 4

calls = [0]

def listed(n): return tuple(i * 2 for i in range(n))
def summed(values): return array.array("f", [sum(values)])[0]
def set_of(n): return {str(i) for i in range(n - 1)}
def dict_of(n): return {str(i): i + (i == 7) for i in range(n)}
def lazily(n): return (i for i in range(n - 1))
def raising(n): raise ValueError("no")
def sort(values): pass
def drawn(): return os.urandom(8)
def shuffled(values): return values
def thing(): return [Thing()]
def shown(): return Shown()
def nothing(): pass
def later(n):
    calls[0] += 1
    return [n] if calls[0] < 4 else []
def truncated(n): return (i for i in range(n))
def copied(values): return values
def kept(n): return n * 2 if n != 39 else 0
def gone(n): raise MemoryError("not here")
"""


def test_an_honest_rewrite_computes_the_same(compared):
    came = compared((LIBRARY, SUITE), HONEST)
    reasons = {case.id: case.ruling.reason for case in came.evidence.cases if case.ruling.status != "equal"}
    assert set(reasons) == {f"b.Suite.time_{name}" for name in ("drawn", "shuffled", "thing", "nothing")}, (
        reasons
    )
    assert came.codes() == ["outputs:compared"]
    assert 0 < came["b.Suite.time_summed"].largest_error < 1e-12
    summary = came.evidence.summary()
    assert (summary["n_compared"], summary["n_differs"], summary["n_not_comparable"]) == (15, 0, 4)


def test_what_differs_is_found_wherever_it_shows(compared):
    came = compared((LIBRARY, SUITE), WRONG)
    assert came.statuses() == {
        **dict.fromkeys(came.statuses(), "differs"),
        "Suite.time_drawn": "not_comparable",
        "Suite.time_shuffled": "not_comparable",
        "Suite.time_nothing": "not_comparable",
        "Suite.time_gone": "missing",
        "Suite.time_kept": "equal",
    }, {case.id: case.ruling for case in came.evidence.cases}
    assert "later call" in came["b.Suite.time_later"].reason
    assert "MemoryError" in came["b.Suite.time_gone"].reason
    assert {"outputs:differ", "outputs:missing"} <= set(came.codes())


def test_without_the_defence_nothing_is_held_against_it(compared):
    came = compared((LIBRARY, SUITE), WRONG, policy=POLICY.without(["outputs"]), bench="listed")
    assert came["b.Suite.time_listed"].status == "differs"
    assert came.codes() == []
