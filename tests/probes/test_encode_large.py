"""Values of many parts: a wrong one is found, and one that is right up to rounding is accepted."""

import json
import math

import pytest

from truelap.values import compare

encode = pytest.importorskip("encode", reason="the probes' folder is added by conftest")
encode_large = pytest.importorskip("encode_large")
encode_walk = pytest.importorskip("encode_walk")

COUNT = 3000
SMALL = encode.make_encoder(limits=encode_walk.Limits(size=1 << 10, whole=1000, nodes=20_000))
FEW = encode.make_encoder(limits=encode_walk.Limits(nodes=500, whole=400))
FLOATS = [0.1 * place for place in range(COUNT)]


class Lazy(list):
    def __eq__(self, other):
        return list(other) == [place * place for place in range(len(self))]

    __hash__ = None


class Held:
    def __init__(self, rows):
        self.rows = rows


def encoded(value, encoder=SMALL):
    """As it arrives at the judge."""
    return json.loads(json.dumps(encoder.encode(value)[0]))


def found(base, candidate, encoder=SMALL):
    difference = compare(encoded(base, encoder), encoded(candidate, encoder))
    return difference and difference.kind


def changed(numbers, place, number):
    return [*numbers[:place], number, *numbers[place + 1 :]]


def test_a_long_row_of_whole_numbers_is_compared_to_the_last():
    squares = [place * place for place in range(60_000)]
    usual = encode.make_encoder()
    assert found(squares, [sum([place] * 2) * place // 2 for place in range(60_000)], usual) is None
    assert found(squares, Lazy([7] * 60_000), usual) == "type"
    assert found(Lazy(squares), Lazy([7] * 60_000), usual) == "digest"
    assert found(Held(squares), Held(changed(squares, 59_999, 1)), usual) == "digest"
    assert found(squares, changed(squares, 1, True), usual) == "digest"


def test_rounding_is_no_difference_in_any_order_that_is_free():
    near = [math.nextafter(number, math.inf) for number in FLOATS]
    assert encoded(FLOATS)[0] == "much"
    assert found(FLOATS, near) is None
    assert found(set(FLOATS), set(near)) is None
    rows = {place: (number, str(place)) for place, number in enumerate(FLOATS)}
    again = {place: (near[place], str(place)) for place in reversed(range(COUNT))}
    assert found(rows, again) is None
    assert found(dict.fromkeys(FLOATS, 0.5), dict.fromkeys(reversed(near), 0.5)) is None


@pytest.mark.parametrize(
    "wrong",
    [
        changed(FLOATS, 77, 7.8),
        changed(FLOATS, 77, math.nan),
        changed(FLOATS, 77, math.inf),
        changed(FLOATS, 77, 1e308),
        changed(FLOATS, 77, 8),
        [*FLOATS[1:], FLOATS[0]],
        changed(changed(FLOATS, 5, FLOATS[99]), 99, FLOATS[5]),
        FLOATS[:-1],
        tuple(FLOATS),
        Lazy(FLOATS),
    ],
)
def test_one_wrong_float_among_many_is_a_difference(wrong):
    assert found(FLOATS, wrong) not in (None, "not_comparable", "malformed")


def test_sums_that_are_none_are_a_difference():
    base = encoded(FLOATS)
    for sums in ([], [[COUNT, []]] * 2, [[COUNT, [["nan", "nan"]] * 250], [0, [["nan", "nan"]]]]):
        other = [*base[:3], "", base[4], base[5], sums, base[7]]
        assert compare(base, other).kind in ("malformed", "number", "shape")


def test_numbers_of_numpy_are_summed_too():
    numpy = pytest.importorskip("numpy")
    limits = encode_walk.Limits(size=1 << 10, whole=1000, nodes=20_000)
    encoder = encode.make_encoder(numpy, limits)
    single = [numpy.float32(number) for number in FLOATS]
    near = [numpy.nextafter(number, numpy.float32(9e9)) for number in single]
    assert found(single, near, encoder) is None
    assert found(single, changed(single, 9, numpy.float32(1)), encoder) == "number"
    assert found([numpy.int64(1)] * COUNT, [numpy.int64(2)] * COUNT, encoder) == "digest"


def test_what_is_too_large_says_of_what_type_and_length_it_is_and_some_of_its_parts():
    rows = [(place, str(place)) for place in range(COUNT)]
    told = encoded(rows, FEW)
    assert told[1:5] == ["too large: more than 500 parts", "builtins:list", "builtins:list", COUNT]
    assert len(told[5]) == encode_large.SAMPLED
    assert found(rows, list(rows), FEW) == "not_comparable"
    assert found(rows, [(0, "0")] * COUNT, FEW) == "value"
    assert found(rows, rows[1:], FEW) == "shape"
    assert found(rows, Lazy(rows), FEW) == "type"
    assert found(Held(rows), Held(rows[1:]), FEW) == "shape"
    assert found(rows, [bytes(1 << 20)] * 70, FEW) not in (None, "not_comparable")
    assert found(rows, iter(rows), FEW) == "value"
    assert found([1], rows, FEW) == found(rows, [1], FEW) == "type"


def test_what_stands_in_a_dictionary_may_be_met_in_another_order():
    one, two = [(place,) for place in range(600)], [(place,) for place in range(700)]
    assert found({"a": one, "b": two}, {"b": two, "a": one}, FEW) == "not_comparable"


def test_an_iterator_may_become_another_one():
    assert found(iter([1]), map(len, [])) == "not_comparable"
