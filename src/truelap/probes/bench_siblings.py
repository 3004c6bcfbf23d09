"""Part of run_benchmarks: calls of the product beside a benchmark's own, with arguments that no benchmark has.

The judge has rewritten base's benchmarks: what they call goes through the recorder, which gives it back unchanged until the
judge asks for siblings. Then one call of the benchmark shows what it calls with which arguments, and some of these calls are
made again, each with one argument changed:

    [place, argument, change]      "line 12.8 running", "argument 1", "one shorter"

Base's worker says what can be changed (`bench_changes.py`); the others do the same.
"""

import sys
from itertools import zip_longest
from random import Random

from bench_changes import ALONE, changed, changes, copied, put

SITES = 16

_MUTABLE = (list, dict, set, bytearray)


class Call:
    """What a benchmark called first at one place.

    Attributes:
        given: the arguments themselves, by name.
        kept: copies of them from before the call.
    """

    def __init__(self, callee, args, named, numpy):
        self.callee = callee
        self.numpy = numpy
        self.named = list(named)
        self.given = {"argument %d" % number: value for number, value in enumerate(args, 1)}
        self.given.update(("argument " + name, named[name]) for name in named)
        self.kept = {name: copied(value, numpy) for name, value in self.given.items()}

    def beside(self, argument, change, draw):
        """The arguments with one of them changed; what must be put back where; None where it cannot be changed."""
        if change.startswith(ALONE):
            value = self.given.get(argument)
            if change not in changes(value, self.numpy):
                return None, None
            before = copied(value, self.numpy, 1)
            put(value, changed(value, change[len(ALONE) :], draw, self.numpy))
            return self.given, (value, before)
        made = {name: copied(value, self.numpy) for name, value in self.kept.items()}
        if change not in changes(made.get(argument), self.numpy):
            return None, None
        made[argument] = changed(made[argument], change, draw, self.numpy)
        return made, None

    def make(self, arguments):
        values = list(arguments.values())
        count = len(values) - len(self.named)
        return self.callee(*values[:count], **dict(zip(self.named, values[count:])))


class Gathering:
    """One call of a benchmark, watched.

    Args:
        numpy: the module; None where there is none.
        suite: `bench_suite.Suite`.
        places: where to look; None for wherever the product is called.
    """

    def __init__(self, numpy, suite, places=None):
        self.numpy = numpy
        self.suite = suite
        self.places = places
        self.calls = {}

    def called(self, place, callee):
        """What to call in place of the callee."""
        if place in self.calls or len(self.calls) >= SITES or not self.wanted(place, callee):
            return callee

        def kept(*args, **named):
            if place not in self.calls and not any(map(runs_out, args + tuple(named.values()))):
                self.calls[place] = Call(callee, args, named, self.numpy)
            return callee(*args, **named)

        return kept

    def wanted(self, place, callee):
        return place in self.places if self.places is not None else is_product(callee, self.suite)


def is_product(callee, suite):
    """Whether a callable comes from the tree, and not from its suite."""
    name = getattr(callee, "__module__", None)
    if type(name) is not str or suite.owns(name):
        return False
    file = getattr(sys.modules.get(name), "__file__", None)
    return type(file) is str and any(file.startswith(root.rstrip("/") + "/") for root in suite.paths)


def runs_out(value):
    """Whether a value is used up by reading it: a second call would find nothing."""
    return any(hasattr(type(value), name) for name in ("__next__", "fileno", "read"))


def planned(calls, seed, most, numpy):
    """What to do, at most so much: of each call in turn, and first to the objects themselves."""
    draw, ways = Random(seed), []
    for place, call in calls.items():
        found = [
            [place, name, change] for name, value in call.kept.items() for change in changes(value, numpy)
        ]
        draw.shuffle(found)
        ways.append(sorted(found, key=lambda way: not way[2].startswith(ALONE)))
    return [way for turn in zip_longest(*ways) for way in turn if way][:most]


def tell_all(look, calls, plan, seed, begin):
    """Make the calls of a plan, and tell what came of them.

    Args:
        look: takes what is told.
        calls: of the benchmark, by place.
        plan: what to do.
        seed: of what is drawn for a change.
        begin: is called before each call.
    """
    for number, (place, argument, change) in enumerate(plan):
        label = "%s, %s %s" % (place, argument, change)
        made, back = (
            calls[place].beside(argument, change, Random(seed + number)) if place in calls else (None, None)
        )
        if made is None:
            look.note(label + ", not made", True)
            continue
        begin()
        try:
            look.consumed(label, calls[place].make(made))
        except Exception as error:
            look.note(label + ", raised", error)
        for name, value in made.items():
            if type(value) in _MUTABLE or (look.numpy is not None and type(value) is look.numpy.ndarray):
                look.note("%s: %s afterwards" % (label, name), value)
        if back is not None:
            put(*back)
