"""The judge's own comparison of two encoded values agrees with Python's, or says nothing."""

import collections
import itertools
import math

import pytest

from truelap.values import holds, is_data, literal, plain

VALUES = [
    0,
    1,
    True,
    None,
    2**70,
    0.5,
    1.0,
    1j,
    "",
    "a",
    "ab",
    b"a",
    (),
    (1,),
    [1],
    [1, [2]],
    {1},
    frozenset({1}),
    {1: 2},
    {},
]
OPERATORS = {
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
    "in": lambda a, b: a in b,
    "not in": lambda a, b: a not in b,
}


@pytest.mark.parametrize("operator", OPERATORS)
def test_as_python_would(operator):
    for left, right in itertools.product(VALUES, VALUES):
        try:
            expected = OPERATORS[operator](left, right)
        except (TypeError, ValueError):
            expected = None
        assert holds(operator, literal(left), literal(right)) is expected, (left, right)


def test_identity_of_singletons_only():
    assert holds("is", None, None) is True
    assert holds("is not", None, 0) is True
    assert holds("is", True, 1) is False
    assert holds("is", 1, 1) is None
    assert holds("is", ["o", "m:C", [], None], ["o", "m:C", [], None]) is None


def test_objects_with_their_own_equality_are_not_judged():
    assert holds("==", ["o", "m:C", [], None], 1) is None
    assert holds("==", ["sub", "m:C", ["l", [1]], []], ["l", [1]]) is None
    assert (
        holds("==", ["a", "<f8", [1], "CF", "AAAAAAAA8D8="], ["a", "<f8", [1], "CF", "AAAAAAAA8D8="]) is None
    )
    assert holds("approx", 1, 1) is None


def test_numbers_of_numpy_and_the_standard_library():
    assert holds("==", ["n", "<f8", "AAAAAAAA8D8="], 1) is True
    assert holds("<", ["v", "fraction", 1, 3], ["v", "decimal", "0.5"]) in (True, None)
    assert holds("==", ["v", "decimal", "1.0"], 1) is True
    ordered = ["sub", "collections:OrderedDict", ["d", [["a", 1]]], []]
    assert plain(ordered) == collections.OrderedDict(a=1)
    assert holds("==", ordered, literal({"a": 1})) is True


def test_nan_inside_a_container_depends_on_identity():
    assert holds("!=", literal(math.nan), literal(math.nan)) is True
    assert holds("==", literal([math.nan]), literal([math.nan])) is None


@pytest.mark.parametrize("value", [1.5, "a", [1]])
def test_a_range_without_end_keeps_nobody_busy(value):
    endless = ["r", 0, 10**18, 1]
    assert holds("in", literal(value), endless) is None
    assert holds("not in", literal(value), endless) is None
    assert holds("in", 7, ["r", 0, 10, 1]) is True


@pytest.mark.parametrize(
    "malformed",
    [["l"], ["d"], ["d", [[1]]], ["sub"], ["sub", "m:C"], ["i"], ["f"], ["f", "0x1p99999"], ["c", "0x1p0"], ["b"], ["n", "<f8"],
     ["n", "", ""], ["v"], ["v", "decimal"], ["r"], ["s", "zz"], []],
)  # fmt: skip
def test_what_is_no_encoding_is_said_in_one_way(malformed):
    with pytest.raises(ValueError):
        plain(malformed)
    assert holds("==", malformed, 1) in (None, False)


@pytest.mark.parametrize(
    "hostile",
    [["l", 3], ["f", "x"], ["i", "0xg"], [[]], ["r", "a"], ["d", [[["l", []], 1]]], ["n", "<f8", "A"]],
)
def test_nothing_brings_the_judge_down(hostile):
    assert holds("==", hostile, 1) in (None, False)
    assert holds("in", 1, hostile) in (None, False)


@pytest.mark.parametrize(
    "value",
    [
        *(
            [],
            ["i"],
            ["i", 3],
            ["b"],
            ["c"],
            ["c", "0x1p0"],
            ["l"],
            ["l", 3],
            ["d", [1]],
            ["d", [[["l", []], 1]]],
        ),
        *(
            ["r"],
            ["r", "a"],
            ["n", 3, "x"],
            ["v"],
            ["v", "decimal", "x"],
            ["v", "fraction", 1, 0],
            ["sub", "a:B"],
        ),
        *(["f", 3], ["f", "0x1p99999999"], [None], [["l", []]], ["st", [["l", []]]]),
    ],
    ids=repr,
)
def test_what_is_no_encoding_is_said_to_be_none(value):
    with pytest.raises(ValueError):
        plain(value)
    assert holds("==", value, 1) is not True


def test_nothing_is_worked_out_that_has_no_end():
    with pytest.raises(ValueError):
        plain(["v", "fraction", "1e999999999", None])
    assert holds("in", ["f", "0x1p-1"], ["r", 0, 1 << 60, 1]) is None
    assert holds("in", 3, ["r", 0, 10, 1]) is True


UNDEFINED = ["o", "pkg.core:_Undefined", [], "<Undefined>"]


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (3, UNDEFINED),
        (["l", [1]], ["enum", "pkg.core:Kind", "UNDEFINED", 1]),
        (UNDEFINED, ["o", "pkg.core:Other", [], None]),
        ("text", 3),
        (["fn", "pkg.core:f"], UNDEFINED),
        (["cls", "pkg.core:C"], UNDEFINED),
    ],
)
def test_values_of_two_types_are_two_objects(left, right):
    assert holds("is", left, right) is False
    assert holds("is not", left, right) is True


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (UNDEFINED, UNDEFINED),
        (["l", [1]], ["l", [1]]),
        (["l", [1]], ["l", [2]]),
        (["again", "pkg.core:_Undefined"], UNDEFINED),
        (["no", "too deep"], UNDEFINED),
        (["i", "0x8000000000000000"], 3),
        (3, 3),
    ],
)
def test_of_one_type_or_none_that_is_known_the_judge_cannot_tell(left, right):
    assert holds("is", left, right) is None


BOX = ["o", "m:Box", [], None]


@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_plain_data_is_data(value):
    assert is_data(literal(value))


@pytest.mark.parametrize(
    "value",
    [
        ["a", "<f8", [2], "C", ""],
        ["big", "l", 9, "", ""],
        ["l", ["o", "no", "up"]],
        ["sub", "m:Pair", ["t", [1, 2]], []],
        ["dq", None, [1]],
        ["f", "nan"],
    ],
)
def test_arrays_and_digests_are_data(value):
    assert is_data(value)


@pytest.mark.parametrize(
    "value",
    [
        BOX,
        ["no", "too large"],
        ["fn", "m:f"],
        ["l", [1, ["t", [BOX]]]],
        ["d", [[1, BOX]]],
        ["d", [[BOX, 1]]],
        ["sub", "m:Pair", ["t", []], [["box", BOX]]],
        ["dq", None, [BOX]],
        ["ao", "O", [1], "C", [BOX]],
        ["as", [1], "C", [["box", BOX]]],
        [],
    ],
)
def test_what_holds_an_object_is_none(value):
    assert not is_data(value)
