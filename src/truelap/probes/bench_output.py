"""Part of run_benchmarks: what a call of a benchmark computes, told to the judge as plain data.

The judge has rewritten base's benchmarks: what a statement of theirs computes goes through a recorder, which gives it back
unchanged and is silent until the judge asks for a look. A look is one call. Of every place it tells the first values one
by one and later ones at the 64th, 128th, 256th.. time, so that a long loop costs little and both sides are told alike:

    [place, occurrence, value]     value is an encoding (`encode.py`); [place, -1, count] says how many there were

Of a value that is too long to be told, parts are told as well, which the judge draws: a place with ", sampled" in it.

Each is a claim. What decides how much is told is the size of values, never a clock.
"""

import random
from itertools import islice

import encode
from bench_case import seed_all
from bench_siblings import Gathering, planned, tell_all
from bench_varying import Varying, varied
from encode_leaf import collapse, dumps
from encode_objects import MRO, instance_dict, public_state, type_name
from encode_walk import Limits

DETAILED = 32
ITEMS = 10_000
EVENT_CHARS = 3_000_000
FRAME_CHARS = 1_000_000
LOOK_CHARS = 16_000_000
LOOK_WORK = 1 << 27
SAMPLED = 4096
WIDE = 32
DEEP = 3
LIMITS = {"depth": 60, "size": 1 << 20, "leaf": 1 << 20, "whole": 200_000}

_PLAIN = (type(None), bool, int, float, complex, str, bytes, range, type)
_MODULE = type(random)
_LAZY = (type(_ for _ in ()), map, filter, zip, enumerate, reversed)


def label(kind):
    """What an iterator is told as: all that work only when asked are one kind."""
    name = type_name(kind)
    return "lazy" if any(kind is lazy for lazy in _LAZY) or str(name).startswith("itertools:") else name


def is_iterator(kind):
    names = [vars(base) for base in MRO(kind)]
    return any("__next__" in found for found in names) and not any("fileno" in found for found in names)


class Look:
    """What is told of one call."""

    def __init__(self, encoder, numpy=None, sample=0):
        self.encoder = encoder
        self.numpy = numpy
        self.sample = sample
        self.most = encoder.work + LOOK_WORK
        self.events = []
        self.counts = {}
        self.held = {}
        self.chars = 0

    def note(self, place, value):
        count = self.counts[place] = self.counts.get(place, 0) + 1
        if count <= DETAILED or not count & (count - 1):
            self.tell(place, count - 1, value)

    def tell(self, place, occurrence, value):
        if self.encoder.work > self.most or self.chars > LOOK_CHARS:
            encoded = ["no", "too large: all values of a call together"]
        else:
            encoded, _ = self.encoder.encode(value)
        said = dumps(encoded)
        if len(said) > EVENT_CHARS:
            encoded = collapse(encoded)
        self.chars += min(len(said), EVENT_CHARS)
        self.events.append([place, occurrence, encoded])
        if not occurrence and (
            '["abig",' in said or '["big",' in said or said.startswith('["no","too large: more')
        ):
            for path, part in sampled(value, random.Random(self.sample), self.numpy):
                self.events.append([place + ", sampled" + path, 0, self.encoder.encode(part)[0]])

    def consumed(self, place, value):
        """A result that nobody uses: what an iterator would give is part of it."""
        if not is_iterator(type(value)):
            self.note(place, value)
            return
        items, end = [], None
        try:
            items += islice(value, ITEMS)
            end = "more" if len(items) == ITEMS else None
        except Exception as error:
            end = error
        self.note(place, ("iterator", label(type(value)), items, end))

    def hold(self, place, value):
        """A value that the benchmark may go on to change."""
        self.note(place, value)
        if type(value) not in _PLAIN:
            self.held[place] = value

    def end(self):
        for place, value in self.held.items():
            self.tell(place + ", afterwards", 0, value)
        self.events += [[place, -1, count] for place, count in self.counts.items()]
        return self.events


def sampled(value, draw, numpy, path="", depth=0):
    """Parts of long arrays, lists, tuples and dictionaries of exact types, also where objects hold them: where, and what."""
    kind = type(value)
    if numpy is not None and kind is numpy.ndarray:
        if value.size > SAMPLED:
            yield path, numpy.ndarray.take(value, chosen(draw, value.size))
    elif kind is dict:
        keys = dict.keys(value)
        if {type(key) for key in keys} in ({int}, {str}):
            keys = sorted(keys)
            yield from sampled([value[key] for key in keys], draw, numpy, path + ".values", depth)
    elif kind is list or kind is tuple:
        if len(value) > SAMPLED:
            yield path, [value[place] for place in chosen(draw, len(value))]
        elif depth < DEEP:
            for place, part in enumerate(value[:WIDE]):
                yield from sampled(part, draw, numpy, "%s[%d]" % (path, place), depth + 1)
    elif depth < DEEP and kind not in _PLAIN and kind is not _MODULE:
        # An attribute that only the candidate's object holds must not change what is drawn of the others.
        mark = draw.getrandbits(64)
        for name, part in public_state(value, MRO(kind))[:WIDE]:
            inner = random.Random("%d %s" % (mark, name))
            yield from sampled(part, inner, numpy, "%s.%s" % (path, name), depth + 1)


def chosen(draw, count):
    return sorted(draw.randrange(count) for _ in range(SAMPLED))


class Recorder:
    """What rewritten benchmarks call; bound among the builtins under the judge's name."""

    def __init__(self, encoder, numpy=None):
        self.encoder = encoder
        self.numpy = numpy
        self.look = None
        self.gathering = None

    def __call__(self, place, value):
        if self.look is not None:
            self.look.hold(place, value)
        return value

    def dropped(self, place, value):
        if self.look is not None:
            self.look.consumed(place, value)
        return value

    def items(self, place, values):
        return values if self.look is None else self._passed(self.look, place, values)

    def _passed(self, look, place, values):
        for value in values:
            look.note(place, value)
            yield value

    def called(self, place, callee):
        return callee if self.gathering is None else self.gathering.called(place, callee)

    def call(self, case, sample=0):
        """One call, and what it computed."""
        look = self.look = Look(self.encoder, self.numpy, sample)
        try:
            value = case.benchmark.func(*case.args)
            if value is not None and not look.counts:
                look.consumed("result", value)
        except case.skip:
            raise
        except Exception as error:
            look.note("raised", error)
        finally:
            self.look = None
        return look.end()

    def state(self, case, sample=0):
        """The arguments, what the benchmark's object holds, and variables that a function of another style reads."""
        look = Look(self.encoder, self.numpy, sample)
        for number, value in enumerate(case.args, 1):
            look.note("argument %d" % number, value)
        owner = getattr(case.benchmark.func, "__self__", None)
        if owner is not None:
            mro = MRO(type(owner))
            for name, value in public_state(owner, mro) if instance_dict(owner, mro) is not None else ():
                look.note("self." + name, value)
        for name, value in sorted(getattr(case.benchmark, "made", dict)().items()):
            look.note("variable " + name, value)
        return look.end()

    def gathered(self, case, plan):
        """What one call of the benchmark calls, where a plan says, or else wherever the product is called."""
        places = None if plan is None else {way[0] for way in plan}
        gathering = self.gathering = Gathering(self.numpy, case.suite, places)
        try:
            case.benchmark.func(*case.args)
        finally:
            self.gathering = None
        return gathering.calls

    def siblings(self, case, asked):
        """What was done beside the benchmark's own calls, and what came of it."""
        plan, calls = asked["plan"], self.gathered(case, asked["plan"])
        if plan is None:
            plan = planned(calls, asked["seed"], asked["most"], self.numpy)
        look = Look(self.encoder, self.numpy, asked["sample"])
        tell_all(look, calls, plan, asked["sample"], lambda: seed_all(asked["seed"]))
        return plan, look.end()

    def vary(self, case, asked):
        """From here on the benchmark's calls get other inputs; which, is told."""
        calls = self.gathered(case, asked["plan"])
        plan = varied(calls, self.numpy) if asked["plan"] is None else asked["plan"]
        self.gathering = Varying(plan, asked["seed"])
        return plan


def make_recorder(numpy):
    """Before anything of a tree can be imported.

    Args:
        numpy: the module; None where there is none.
    """
    return Recorder(encode.make_encoder(numpy, Limits(**LIMITS)), numpy)


def frames(events):
    """The events in lists of bearable size."""
    found, size = [], 0
    for event in events:
        chars = len(dumps(event))
        if not found or size + chars > FRAME_CHARS:
            found.append([])
            size = 0
        found[-1].append(event)
        size += chars
    return found
