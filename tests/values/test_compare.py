"""Where two values part, and by how much."""

import math
import traceback

import pytest

from truelap.values import Tolerance, compare, examine, literal


def differ(base, candidate, **tolerance):
    return compare(literal(base), literal(candidate), tolerance=Tolerance(**tolerance))


def test_the_same_is_no_difference():
    assert differ({"a": [1, (2.5, None)]}, {"a": [1, (2.5, None)]}) is None


def test_the_place_is_named():
    assert differ({"a": [1, {"b": 2}]}, {"a": [1, {"b": 3}]}).where == "[a][1][b]"


@pytest.mark.parametrize(
    ("base", "candidate"), [(1, True), (1, 1.0), ("1", 1), ([1], (1,)), (None, False), (b"a", "a")]
)
def test_types_are_exact(base, candidate):
    assert differ(base, candidate).kind == "type"


def test_floats_within_the_tolerance_are_the_same():
    assert differ(1.0, 1.0 + 1e-9) is None
    assert differ(0.0, 1e-15) is None
    found = differ([0.5, 2.0], [0.5, 2.5])
    assert (found.where, found.kind, found.error) == ("[1]", "number", 0.25)
    assert differ(1.0, 1.0 + 1e-9, rtol=0, atol=0) is not None


def test_single_precision_has_its_own_tolerance():
    base, near = ["n", "<f4", "AACAPw=="], ["n", "<f4", "HwCAPw=="]
    assert compare(base, near, tolerance=Tolerance(rtol=1e-9, atol=0)) is None
    assert compare(base, near, tolerance=Tolerance(rtol=1e-9, atol=0, single=0)) is not None


def test_nan_infinity_and_signed_zero():
    assert differ(math.nan, math.nan) is None
    assert differ(math.nan, 1.0).error == math.inf
    assert differ(math.inf, -math.inf) is not None
    assert differ(0.0, -0.0) is None
    assert differ(0.0, -0.0, signed_zero=True) is not None


def test_ints_have_no_tolerance():
    assert differ(10**15, 10**15 + 1).kind == "value"


def test_the_largest_error_is_told_even_when_it_is_tolerated():
    found = examine(literal([1.0, 2.0, 3.0]), literal([1.0, 2.0 + 1e-8, 3.0]))
    assert found.difference is None
    assert (found.error_at, found.largest_error) == ("[1]", pytest.approx(5e-9))


def test_sets_match_items_with_tolerance():
    assert differ({0.1, 0.5}, {0.1 + 1e-12, 0.5}) is None
    assert differ({0.1, 0.5}, {0.2, 0.5}) is not None
    assert differ({1, 2}, {1, 2, 3}) is not None


def test_dicts_by_key_and_order_only_on_demand():
    assert differ({1: 2, 3: 4}, {3: 4, 1: 2}) is None
    assert differ({1: 2, 3: 4}, {3: 4, 1: 2}, dict_order=True) is not None
    assert differ({1: 2}, {1: 2, 3: 4}) is not None


def test_the_order_of_an_ordered_dict_is_part_of_it():
    def ordered(content):
        return ["sub", "collections:OrderedDict", literal(content), []]

    assert compare(ordered({1: 2, 3: 4}), ordered({3: 4, 1: 2})) is not None
    assert compare(ordered({1: 2, 3: 4}), ordered({1: 2, 3: 4})) is None
    assert compare(ordered({1: 2, 3: 4}), ["sub", "collections:OrderedDict", 3, []]) is not None


def test_keys_that_look_alike_are_counted():
    pair = [["o", "m:C", [], None], 1]
    assert compare(["d", [pair, pair]], ["d", [pair]]) is not None
    assert compare(["d", [pair, pair]], ["d", [pair, pair]]) is None


def test_an_attribute_more_is_free_and_one_less_is_not():
    base, more = ["o", "m:C", [["a", 1]], None], ["o", "m:C", [["a", 1], ["b", 2]], None]
    assert compare(base, more) is None
    assert compare(more, base).kind == "missing"
    assert compare(base, ["o", "m:C", [["a", 2], ["b", 2]], None]).where == ".a"


def test_a_type_may_move_within_its_package_only():
    assert compare(["cls", "pkg.slow:C"], ["cls", "pkg.fast:C"]) is None
    assert compare(["cls", "pkg.slow:C"], ["cls", "other:C"]).kind == "type"
    assert compare(["cls", "pkg.slow:C"], ["cls", "pkg.slow:D"]).kind == "type"


def test_numbers_inside_reprs_have_the_tolerance():
    assert compare(["o", "m:C", [], "C(0.1, 3)"], ["o", "m:C", [], "C(0.10000000000000002, 3)"]) is None
    assert compare(["o", "m:C", [], "C(0.1, 3)"], ["o", "m:C", [], "C(0.1, 4)"]).kind == "text"


def test_messages_of_exceptions():
    base, other = ["x", "builtins:ValueError", ["bad 1"]], ["x", "builtins:ValueError", ["worse"]]
    assert compare(base, other).kind == "text"
    assert compare(base, other, tolerance=Tolerance(messages=False)) is None
    assert compare(base, ["x", "builtins:KeyError", ["bad 1"]]).kind == "type"


def test_what_cannot_be_encoded_is_never_equal_nor_hides_a_difference():
    no = ["no", "an iterator: m:C"]
    assert compare(no, no).kind == "not_comparable"
    assert compare(["l", [no, 1]], ["l", [no, 2]]).kind == "value"
    assert compare(["l", [1]], no).kind == "type"


@pytest.mark.parametrize(
    "hostile",
    [
        [],
        ["l"],
        ["l", 3],
        ["l", [[]]],
        ["l", {}],
        {"l": []},
        [["l"], []],
        ["l", [1, ["f", 3]]],
        [None],
        ["l", [["f", "x"], 1]],
    ],
)
def test_no_encoding_brings_the_judge_down(hostile):
    assert compare(["l", [["f", "0x1p0"], 1]], hostile) is not None


@pytest.mark.parametrize("data", ["", "AAAA", "!!!!", "AAAAAAAA8D8AAAAAAADwPw==", 7, None])
def test_no_array_brings_the_judge_down(data):
    assert compare(["a", "<f8", [1], "CF", "AAAAAAAA8D8="], ["a", "<f8", [1], "CF", data]) is not None
    assert compare(["n", "<f8", "AAAAAAAA8D8="], ["n", "<f8", data]) is not None


def test_deep_nesting_from_the_candidate_is_a_difference():
    deep = []
    for _ in range(5000):
        deep = ["l", [deep]]
    assert compare(["l", [1]], deep) is not None


def raised(function):
    try:
        function()
    except ArithmeticError:
        return traceback.format_exc()


def divide():
    return 1 / 0


def divide_deeper():
    return divide()


def test_where_something_was_raised_is_no_part_of_a_traceback_and_what_was_raised_is():
    base = raised(divide)
    assert differ(base, raised(divide_deeper)) is None
    assert differ(base, raised(lambda: 1.0 % 0)).kind == "value"
    assert differ(base, base.replace("Traceback", "A trace")) is not None
    assert differ('File "a", line 1\n', 'File "b", line 1\n') is not None


LOGGED = "INFO     pkg:core.py:{} saved 3 rows\n"
RECORDED = "{{message : X('old'), category : 'X', filename : '/t/pkg/core.py', lineno : {}, line : None}}"
WARNED = "/t/pkg/core.py:{}: DeprecationWarning: old\n  warn('{}')\n"


@pytest.mark.parametrize(
    "text", [LOGGED, RECORDED, "(core.py:{}) told", WARNED], ids=["log", "record", "(", "warn"]
)
def test_lines_of_files_that_a_patch_may_shift_are_no_difference_in_texts(text):
    base, candidate = text.format(8, "a"), text.format(21, "b")
    assert differ(base, candidate).kind == "value"
    assert differ(base, candidate, files=frozenset({"other.py"})).kind == "value"
    files = frozenset({"core.py"})
    assert differ(base, candidate, files=files) is None
    assert differ([base], [candidate], files=files) is None
    assert differ(base, candidate.replace("core.py", "cord.py"), files=files).kind == "value"
    moved = differ(base, candidate.replace("core.py", "test_core.py"), files=files | {"test_core.py"})
    assert (moved is None) == (text in (RECORDED, WARNED)), "a warning may be shown for its caller"
    for word, other in (("saved 3", "saved 4"), ("old", "new"), ("told", "said")):
        if word in candidate:
            assert differ(base, candidate.replace(word, other), files=files).kind == "value"
