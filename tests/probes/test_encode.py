"""Values become plain data by their exact type; a barely different value becomes different data."""

# ruff: noqa: DTZ001, PLW0108

import array
import ast
import collections
import dataclasses
import datetime as dt
import decimal
import enum
import fractions
import functools
import json
import math
import pathlib
import re
import uuid

import pytest

from truelap.values import Tolerance, canonical, compare, literal

encode = pytest.importorskip("encode", reason="the probes' folder is added by conftest")
encode_walk = pytest.importorskip("encode_walk")

ENCODER = encode.make_encoder()
STRICT = Tolerance(rtol=0, atol=0, signed_zero=True, dict_order=True, array_order=True)


def encoded(value, encoder=ENCODER):
    """As it arrives at the judge."""
    return json.loads(json.dumps(encoder.encode(value)[0]))


class Colour(enum.Enum):
    RED = 1
    GREEN = 2


class Level(enum.IntEnum):
    ONE = 1
    TWO = 2


class Access(enum.Flag):
    READ = 1
    WRITE = 2


Point = collections.namedtuple("Point", "x y")  # noqa: PYI024


@dataclasses.dataclass
class Record:
    name: str
    parts: list


class Bag:
    def __init__(self, **state):
        self.__dict__.update(state)


class Said:
    def __init__(self, text):
        self._text = text

    def __repr__(self):
        return f"<Said {self._text} at 0x{id(self):x}>"


class Slotted:
    __slots__ = ("_hidden", "left")

    def __init__(self, left, hidden=0):
        self.left = left
        self._hidden = hidden


class Words(list):
    pass


class Name(str):
    __slots__ = ()


class Ratio(float):
    pass


def cyclic(last):
    loop = [1, last]
    loop.append(loop)
    return loop


def function_one():
    pass


def function_two():
    pass


# name: (a value, an equal one made anew, one that is barely different)
PAIRS = {
    "none": (lambda: None, lambda: False),
    "bool": (lambda: True, lambda: 1),
    "int": (lambda: 10**6, lambda: 10**6 + 1),
    "int or float": (lambda: 1, lambda: 1.0),
    "huge int": (lambda: 2**5000, lambda: 2**5000 + 1),
    "negative huge int": (lambda: -(2**63), lambda: -(2**63) - 1),
    "float": (lambda: 0.1, lambda: math.nextafter(0.1, 1)),
    "infinity": (lambda: math.inf, lambda: -math.inf),
    "nan": (lambda: math.nan, lambda: 0.0),
    "signed zero": (lambda: 0.0, lambda: -0.0),
    "subnormal": (lambda: 5e-324, lambda: 0.0),
    "complex": (lambda: 1 + 2j, lambda: 1 + 2.0000000000000004j),
    "text": (lambda: "aé", lambda: "ae"),
    "lone surrogate": (lambda: "a\ud800", lambda: "a\ud801"),
    "surrogate pair": (lambda: "\ud83d\ude00", lambda: "\U0001f600"),
    "text or bytes": (lambda: "a", lambda: b"a"),
    "bytes": (lambda: b"\x00\xff", lambda: b"\x00\xfe"),
    "bytearray": (lambda: bytearray(b"a"), lambda: b"a"),
    "memoryview": (lambda: memoryview(b"ab"), lambda: memoryview(b"ac")),
    "ellipsis": (lambda: ..., lambda: NotImplemented),
    "list": (lambda: [1, [2]], lambda: [1, [3]]),
    "list or tuple": (lambda: [1], lambda: (1,)),
    "tuple": (lambda: (1, "a"), lambda: (1, "a", None)),
    "set": (lambda: {3, 1, "a"}, lambda: {3, 1, "b"}),
    "frozenset": (lambda: frozenset({1}), lambda: {1}),
    "set of floats": (lambda: {0.5, 0.1}, lambda: {0.5, math.nextafter(0.1, 1)}),
    "dict": (lambda: {"a": 1, 2: None}, lambda: {"a": 1, 2: 0}),
    "dict key": (lambda: {1: 0}, lambda: {True: 0}),
    "dict order": (lambda: {"a": 1, "b": 2}, lambda: {"b": 2, "a": 1}),
    "dict keys": (lambda: {"a": 1}.keys(), lambda: {"b": 1}.keys()),
    "dict values": (lambda: {"a": 1}.values(), lambda: {"a": 2}.values()),
    "dict items": (lambda: {"a": 1}.items(), lambda: {"a": 2}.items()),
    "OrderedDict": (lambda: collections.OrderedDict(a=1, b=2), lambda: {"a": 1, "b": 2}),
    "moved OrderedDict": (lambda: collections.OrderedDict(a=1, b=2), lambda: moved()),
    "Counter": (lambda: collections.Counter("aab"), lambda: collections.Counter("abb")),
    "defaultdict": (
        lambda: collections.defaultdict(list, a=[1]),
        lambda: collections.defaultdict(list, a=[2]),
    ),
    "deque": (lambda: collections.deque([1, 2], 3), lambda: collections.deque([1, 2], 4)),
    "range": (lambda: range(0, 9, 2), lambda: range(0, 10, 2)),
    "slice": (lambda: slice(1, None), lambda: slice(1, 9**9)),
    "namedtuple": (lambda: Point(1, 2), lambda: (1, 2)),
    "enum": (lambda: Colour.RED, lambda: Colour.GREEN),
    "IntEnum": (lambda: Level.ONE, lambda: 1),
    "Flag": (lambda: Access.READ | Access.WRITE, lambda: Access.READ),
    "list subclass": (lambda: Words([1]), lambda: [1]),
    "list subclass content": (lambda: Words([1]), lambda: Words([2])),
    "text subclass": (lambda: Name("a"), lambda: "a"),
    "float subclass": (lambda: Ratio(0.5), lambda: Ratio(0.25)),
    "dataclass": (lambda: Record("a", [1]), lambda: Record("a", [2])),
    "plain object": (lambda: Bag(a=1, _cache=0), lambda: Bag(a=2, _cache=0)),
    "hidden state": (lambda: Bag(_a=1), lambda: Bag(_a=2)),
    "object that speaks": (lambda: Said("a"), lambda: Said("b")),
    "slots": (lambda: Slotted(1), lambda: Slotted(2)),
    "exception": (lambda: ValueError("a", 1), lambda: ValueError("a", 2)),
    "exception type": (lambda: KeyError("a"), lambda: LookupError("a")),
    "function": (lambda: function_one, lambda: function_two),
    "builtin": (lambda: len, lambda: max),
    "method": (lambda: [1].append, lambda: [2].append),
    "bound method": (lambda: Bag(a=1).__init__, lambda: Bag(a=2).__init__),
    "partial": (lambda: functools.partial(int, base=3), lambda: functools.partial(int, base=4)),
    "class": (lambda: Bag, lambda: Said),
    "module": (lambda: math, lambda: json),
    "datetime": (lambda: dt.datetime(2020, 1, 2), lambda: dt.datetime(2020, 1, 2, fold=1)),
    "aware datetime": (lambda: dt.datetime(2020, 1, 2, tzinfo=dt.UTC), lambda: dt.datetime(2020, 1, 2)),
    "date": (lambda: dt.date(2020, 1, 2), lambda: dt.datetime(2020, 1, 2)),
    "time": (lambda: dt.time(1, 2), lambda: dt.time(1, 2, 0, 1)),
    "timedelta": (lambda: dt.timedelta(1), lambda: dt.timedelta(1, 1)),
    "Decimal": (lambda: decimal.Decimal("1.0"), lambda: decimal.Decimal("1.00")),
    "Fraction": (lambda: fractions.Fraction(1, 3), lambda: fractions.Fraction(2, 3)),
    "path": (lambda: pathlib.PurePosixPath("a/b"), lambda: pathlib.PurePosixPath("a")),
    "path kind": (lambda: pathlib.PurePosixPath("a"), lambda: pathlib.PosixPath("a")),
    "pattern": (lambda: re.compile("a"), lambda: re.compile("a", re.IGNORECASE)),
    "match": (lambda: re.match("(a)", "ab"), lambda: re.match("(a)b", "ab")),
    "uuid": (lambda: uuid.UUID(int=1), lambda: uuid.UUID(int=2)),
    "array": (lambda: array.array("i", [1]), lambda: array.array("i", [2])),
    "cycle": (lambda: cyclic(1), lambda: cyclic(2)),
    "long list": (lambda: list(range(20000)), lambda: [*range(19999), 0]),
    "long text": (lambda: "x" * 50000, lambda: "x" * 49999 + "y"),
    "long bytes": (lambda: bytes(50000), lambda: bytes(50001)),
    "deep list": (lambda: deep(3000, 1), lambda: deep(3000, 2)),
}


def moved():
    found = collections.OrderedDict(a=1, b=2)
    found.move_to_end("a")
    return found


def deep(levels, core):
    for _ in range(levels):
        core = [core]
    return core


@pytest.mark.parametrize("kind", PAIRS)
def test_equal_values_are_equal(kind):
    make, _ = PAIRS[kind]
    assert compare(encoded(make()), encoded(make()), tolerance=STRICT) is None


@pytest.mark.parametrize("kind", PAIRS)
def test_barely_different_values_differ(kind):
    make, other = PAIRS[kind]
    found = compare(encoded(make()), encoded(other()), tolerance=STRICT)
    assert found is not None
    assert found.kind != "not_comparable"


def test_there_are_enough_kinds():
    assert len(PAIRS) >= 60


@pytest.mark.parametrize(
    "value", [None, True, -3, 2**80, 0.5, 1 + 2j, "a", "\ud800", b"x", ..., [1, (2.0,)], {3, "a"}, {1: [2]}]
)
def test_the_judge_writes_literals_as_the_encoder_does(value):
    assert canonical(literal(value)) == canonical(encoded(value))


def test_set_and_dict_order_do_not_depend_on_hashes():
    assert encoded({"a", "b", "c"}) == encoded({"c", "b", "a"})


def test_digests_of_long_values_leave_room_for_a_tolerance():
    numbers = [0.1 * index for index in range(9000)]
    near = [math.nextafter(number, 1) for number in numbers]
    far = [*numbers[:-1], numbers[-1] * (1 + 1e-6)]
    assert compare(encoded(numbers), encoded(near)) is None
    assert compare(encoded(numbers), encoded(near), tolerance=STRICT) is not None
    assert compare(encoded(numbers), encoded(far)) is not None


def test_what_looks_like_a_tag_is_only_content():
    for items in (["n", "<f8", "AAAA"], ["f", "nan"], ["big", 1, 2], ["a"], ["no", "x"]):
        assert encoded(items) == ["l", items]
    assert encoded([["f", "not hex"]] * 9000)[0] == "big"


def test_iterators_are_not_comparable():
    for value in (iter([]), (letter for letter in ""), map(len, [])):
        assert encoded(value)[0] == "no"
        assert compare(encoded(value), encoded(value)).kind == "not_comparable"


def test_too_much_is_not_comparable_and_says_so():
    small = encode.make_encoder(limits=encode_walk.Limits(nodes=100, read=1000))
    assert encoded(list(range(1000)), small)[:2] == ["no", "too large: more than 100 parts"]
    assert encoded([bytes(400)] * 3, small)[:2] == ["no", "too large: more than 1000 bytes"]
    assert encoded(list(range(50)), small)[0] == "l"


def test_addresses_do_not_get_in():
    assert encoded(Said("x")) == encoded(Said("x"))
    assert "0x" not in canonical(encoded(Said("x"))).replace("at 0x", "")


def test_cached_properties_are_no_state():
    class Lazy:
        def __init__(self):
            self.size = 3

        @functools.cached_property
        def double(self):
            return 6

    fresh, used = Lazy(), Lazy()
    assert used.double == 6
    assert encoded(fresh) == encoded(used)


def test_an_object_met_twice_is_told_once():
    shared = Bag(a=1)
    assert encoded([shared, shared])[1][1][0] == "again"
    # A patch may share what base does not.
    assert compare(encoded([Bag(a=1), Bag(a=1)]), encoded([shared, shared])) is None
    assert compare(encoded([shared, shared]), encoded([Bag(a=1), Bag(a=1)])) is None


def test_an_object_met_twice_stands_for_no_other_one():
    one, two = Bag(a=1), Bag(a=2)
    assert compare(encoded([one, two]), encoded([one, one])) is not None
    assert compare(encoded([one, one]), encoded([one, two])) is not None
    assert compare(encoded([one, two, one]), encoded([one, two, two])) is not None
    assert compare(encoded([one, two, Bag(a=2)]), encoded([one, two, two])) is None
    assert compare(encoded([Bag(a=one), Bag(a=Bag(a=1))]), encoded([Bag(a=one), Bag(a=one)])) is None
    assert compare(encoded([one, {1: one, 2: two}]), encoded([one, {1: one, 2: one}])) is not None


def test_an_object_met_in_a_set_is_found_from_there():
    class Key:
        def __init__(self, name):
            self.name = name

    def kept(first, then):
        return encoded([{first}, then])

    one = Key("a")
    assert compare(kept(one, one), kept(one, Key("a"))) is None
    assert compare(kept(one, one), kept(one, Key("b"))) is not None


def test_references_without_end_are_no_encoding():
    loop = ["o", "m:C", [["a", ["again", "m:C", 0]]], None, ["label", 0]]
    assert compare(encoded([Bag(a=1)]), ["l", [loop]]) is not None
    assert compare(["l", [loop]], ["l", [loop]]) is None


@pytest.mark.parametrize(
    "name",
    [
        "attest",
        "encode",
        "encode_builtins",
        "encode_leaf",
        "encode_numpy",
        "encode_objects",
        "encode_stdlib",
        "encode_walk",
    ],
)
def test_the_probes_are_written_for_python_3_8(name):
    source = pathlib.Path(encode.__file__).with_name(f"{name}.py").read_text(encoding="utf-8")
    assert ast.parse(source, feature_version=(3, 8))
