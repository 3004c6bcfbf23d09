"""numpy's values: dtype, shape and bytes as they are, without padding and pointers; recognised by identity alone."""

import json
import sys

import pytest

from truelap.values import Tolerance, compare

numpy = pytest.importorskip("numpy")
encode = pytest.importorskip("encode")

ENCODER = encode.make_encoder(numpy)
STRICT = Tolerance(rtol=0, atol=0, signed_zero=True, array_order=True)


def encoded(value):
    return json.loads(json.dumps(ENCODER.encode(value)[0]))


def padded(filler):
    raw = numpy.full(32, filler, dtype="u1")
    found = raw.view(numpy.dtype([("a", "u1"), ("b", "i8")], align=True))
    found["a"], found["b"] = 1, 2
    return found


class Sub(numpy.ndarray):
    pass


PAIRS = {
    "float64": (lambda: numpy.float64(0.1), lambda: 0.1),
    "float32": (lambda: numpy.float32(0.1), lambda: numpy.float64(numpy.float32(0.1))),
    "bool": (lambda: numpy.bool_(True), lambda: True),
    "int64": (lambda: numpy.int64(1), lambda: numpy.int32(1)),
    "complex64": (lambda: numpy.complex64(1j), lambda: numpy.complex64(2j)),
    "longdouble": (lambda: numpy.longdouble(1) / 3, lambda: numpy.longdouble(1 / 3)),
    "longdouble array": (lambda: numpy.ones(2, "g") / 3, lambda: numpy.ones(2, "g") / 7),
    "text": (lambda: numpy.str_("a"), lambda: "a"),
    "datetime64": (lambda: numpy.datetime64("2020-01-01"), lambda: numpy.datetime64("2020-01-02")),
    "dtype": (lambda: numpy.dtype("<f8"), lambda: numpy.dtype(">f8")),
    "array": (lambda: numpy.arange(3), lambda: numpy.array([0, 1, 3])),
    "array dtype": (lambda: numpy.zeros(3, "f4"), lambda: numpy.zeros(3, "f8")),
    "array shape": (lambda: numpy.zeros((2, 3)), lambda: numpy.zeros((3, 2))),
    "array or scalar": (lambda: numpy.array(1.0), lambda: numpy.float64(1.0)),
    "empty array": (lambda: numpy.zeros((0, 3)), lambda: numpy.zeros((3, 0))),
    "byte order": (lambda: numpy.arange(3, dtype="<i4"), lambda: numpy.arange(3, dtype=">i4")),
    "memory order": (lambda: numpy.ones((2, 3)), lambda: numpy.ones((2, 3), order="F")),
    "strided": (lambda: numpy.arange(6)[::2], lambda: numpy.arange(6)[1::2]),
    "one ulp": (lambda: numpy.array([0.1, 1]), lambda: numpy.nextafter([0.1, 1], 2)),
    "nan": (lambda: numpy.array([numpy.nan, 1]), lambda: numpy.array([1, numpy.nan])),
    "signed zero": (lambda: numpy.zeros(2), lambda: -numpy.zeros(2)),
    "objects": (lambda: numpy.array([1, None, [2]], object), lambda: numpy.array([1, None, [3]], object)),
    "structured": (lambda: padded(0), lambda: padded(0)[::-1][:1]),
    "structured scalar": (lambda: padded(0)[0], lambda: numpy.zeros(1, "u1,i8")[0]),
    "masked": (lambda: numpy.ma.array([1, 2], mask=[0, 1]), lambda: numpy.ma.array([1, 2], mask=[1, 0])),
    "recarray": (lambda: numpy.rec.array([(1,)]), lambda: numpy.zeros(1, "i8")),
    "subclass": (lambda: numpy.arange(3).view(Sub), lambda: numpy.arange(3)),
    "large": (lambda: numpy.arange(50_000.0), lambda: numpy.arange(50_000.0) + 1e-3),
    "large ints": (lambda: numpy.arange(50_000), lambda: numpy.arange(50_000)[::-1]),
    "in a list": (lambda: [numpy.arange(2)], lambda: [[0, 1]]),
}


@pytest.mark.parametrize("kind", PAIRS)
def test_equal_and_barely_different(kind):
    make, other = PAIRS[kind]
    assert compare(encoded(make()), encoded(make()), tolerance=STRICT) is None
    assert compare(encoded(make()), encoded(other()), tolerance=STRICT) is not None


def test_padding_is_no_value():
    assert encoded(padded(0)) == encoded(padded(255))


def test_large_arrays_leave_room_for_a_tolerance():
    numbers = numpy.linspace(1, 2, 50_000)
    near = numpy.nextafter(numbers, 3)
    assert compare(encoded(numbers), encoded(near)) is None
    assert compare(encoded(numbers), encoded(near), tolerance=STRICT) is not None
    assert compare(encoded(numbers), encoded(numbers * (1 + 1e-5))) is not None


FLOATS = ["f2", "f4", "f8", "c8", "c16"]


def parts(kind):
    draw = numpy.random.default_rng(1)
    return [(draw.random(100_000) * scale).astype(kind) for scale in (1, 3, 7)]


@pytest.mark.parametrize("kind", FLOATS)
def test_another_order_of_summing_is_no_other_long_array(kind):
    one, two, three = parts(kind)
    found, other = (one + two) + three, one + (two + three)
    assert not numpy.array_equal(found, other)
    single = {"f2": 1e-2}.get(kind, 1e-5)
    assert compare(encoded(found), encoded(other), tolerance=Tolerance(single=single)) is None


def one_row(numbers):
    numbers[5_000:5_400] *= 1.001


def one_number(numbers):
    numbers[70_000] *= 1.05


def exchanged(numbers):
    numbers[[70_000, 70_001]] = numbers[[70_001, 70_000]] + numpy.asarray([0.5, -0.5], numbers.dtype)


def not_a_number(numbers):
    numbers[7] = numpy.nan


@pytest.mark.parametrize("kind", FLOATS[1:])
@pytest.mark.parametrize("change", [one_row, one_number, exchanged, not_a_number])
def test_a_wrong_part_of_a_long_array_shows_in_its_rows_sum(kind, change):
    numbers = parts(kind)[2]
    wrong = numbers.copy()
    change(wrong)
    assert compare(encoded(numbers), encoded(wrong)) is not None


@pytest.mark.parametrize("large", [numpy.finfo("f8").max, 1e15, 1e6, -1e300, numpy.inf])
def test_a_large_number_in_each_row_hides_no_other(large):
    numbers = parts("f8")[0][:9_000]
    numbers[::30] = large
    rest = numpy.arange(9_000) % 30 != 0
    other, wrong = numbers.copy(), numbers.copy()
    other[rest] *= 1 + 1e-15
    wrong[rest] = 0.25
    with numpy.errstate(all="raise"):
        assert compare(encoded(numbers), encoded(other)) is None
        assert compare(encoded(numbers), encoded(wrong)) is not None


def test_what_is_not_finite_must_stand_where_it_stood():
    numbers = parts("f4")[0]
    numbers[3] = numpy.inf
    other = numpy.nextafter(numbers, numpy.float32(2))
    other[3] = numpy.inf
    assert compare(encoded(numbers), encoded(other)) is None
    other[3], other[4] = other[4], other[3]
    assert compare(encoded(numbers), encoded(other)) is not None


def test_digests_inside_long_lists_too():
    rows = [numpy.linspace(1, 2, 100) * index for index in range(1, 200)]
    assert compare(encoded(rows), encoded([numpy.nextafter(row, 1e9) for row in rows])) is None
    assert compare(encoded(rows), encoded([row + 1e-3 for row in rows])) is not None


def test_the_largest_error_and_where_it_stands():
    found = compare(encoded(numpy.ones((2, 3))), encoded(numpy.array([[1, 1, 1], [1, 1, 1.5]])))
    assert (found.where, found.error) == ("[1, 2]", 0.5)


def test_a_lying_subclass_is_read_by_ndarrays_own_methods():
    def fail(*_, **__):
        raise AssertionError("asked")

    class Liar(numpy.ndarray):
        __array__ = __array_function__ = __array_ufunc__ = __eq__ = __hash__ = __len__ = __iter__ = (
            __getitem__
        ) = fail
        dtype = shape = tobytes = tolist = view = property(fail)

    liar = numpy.ndarray.view(numpy.arange(3), Liar)
    assert encoded(liar)[2] == encoded(numpy.arange(3))


def test_an_impostor_is_no_array():
    impostor = type("ndarray", (), {"__module__": "numpy", "tobytes": lambda self: b"", "shape": (3,)})()
    assert encoded(impostor)[0] == "o"


def test_without_numpy_an_array_is_only_an_object():
    plain = encode.make_encoder()
    assert plain.encode(numpy.arange(3))[0][0] == "o"
    assert "numpy" in sys.modules
