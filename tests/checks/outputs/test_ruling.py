"""What the judge makes of what three runs tell: pure, so each case is a few lines."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from truelap.checks.outputs.asking import Output
from truelap.checks.outputs.ruling import rule, says_something
from truelap.values import Tolerance, public


def number(value):
    return ["f", float(value).hex()]


def thing(**state):
    return ["o", "m:Thing", [[name, value] for name, value in sorted(state.items())], None]


def iterator(label, *items, end=None):
    return ["t", ["iterator", label, ["l", list(items)], end]]


def told(*values, **more):
    found = {("line 1", at): value for at, value in enumerate(values)}
    return {**found, ("line 1", -1): len(values), **{(name, 0): value for name, value in more.items()}}


def output(first, later=None, state=None, before=None):
    return Output(first, later, state or {}, before, None if later is None else 3)


def ruled(base, candidate, again=None):
    """One look each; `again` is base's second run, base's first where None."""
    sides = [value if isinstance(value, Output) else output(told(value)) for value in (base, candidate)]
    second = sides[0] if again is None else output(told(again))
    return rule(sides[0], second, sides[1], Tolerance(rtol=1e-8), 1e-4)


@pytest.mark.parametrize(
    ("base", "candidate", "status"),
    [
        (7, 7, "equal"),
        (7, 8, "differs"),
        (1, True, "differs"),
        (number(1), number(1 + 1e-12), "equal"),
        (number(1), number(1 + 1e-7), "differs"),
        (number("nan"), number("nan"), "equal"),
        (None, None, "not_comparable"),
        (True, True, "equal"),
        (True, False, "differs"),
        (None, 3, "differs"),
        (["st", ["a", "b"]], ["st", ["b", "a"]], "equal"),
        (["d", [["a", 1], ["b", 2]]], ["d", [["b", 2], ["a", 1]]], "equal"),
        (["l", [1, 2]], ["t", [1, 2]], "differs"),
        (["l", [1, 2]], iterator("lazy", 1, 2), "differs"),
        (iterator("lazy", 1, 2), iterator("lazy", 1, 2), "equal"),
        (iterator("lazy", 1, 2), iterator("builtins:list_iterator", 1, 2), "equal"),
        (iterator("lazy", 1, 2), iterator("lazy", 1), "differs"),
        (iterator("builtins:list_iterator", 1), iterator("lazy", 1), "differs"),
        (thing(a=1), thing(a=1, b=2), "equal"),
        (thing(a=1, b=2), thing(a=1), "differs"),
        (thing(a=1, _b=thing(_c=1)), thing(a=1, _b=3), "equal"),
        (thing(a=1, _b=2), thing(a=2, _b=3), "differs"),
        (thing(_b=2), thing(_b=3), "not_comparable"),
        (["no", "too large"], ["no", "too large"], "not_comparable"),
        (["no", "too large"], ["l", []], "not_comparable"),
        (["l", [["no", "an iterator"], 1]], ["l", [["no", "an iterator"], 1]], "not_comparable"),
        (["l", [["no", "an iterator"], 1]], ["l", [["no", "an iterator"], 2]], "differs"),
        (["big", "l", 9, "aa", "bb"], ["big", "l", 9, "cc", "dd"], "not_comparable"),
        (["big", "l", 9, "aa", "aa"], ["big", "l", 9, "cc", "cc"], "differs"),
        (["big", "l", 9, "aa", "bb"], ["big", "l", 9, "aa", "bb"], "equal"),
        (["x", "builtins:ValueError", ["no 3"]], ["x", "builtins:ValueError", ["no 4"]], "differs"),
    ],
)
def test_one_value(base, candidate, status):
    assert ruled(base, candidate).status == status


def large(reason="more than 9 parts", kind="builtins:list", count=10, parts=(1, 2)):
    return ["no", f"too large: {reason}", kind, kind, count, list(parts)]


@pytest.mark.parametrize(
    ("other", "status"),
    [
        ({}, "not_comparable"),
        ({"reason": "more than 9 bytes"}, "differs"),
        ({"kind": "pkg:Lazy"}, "differs"),
        ({"count": 11}, "differs"),
        ({"parts": (1, 3)}, "differs"),
    ],
)
def test_what_is_too_large_must_be_of_its_type_and_length_and_earns_nothing(other, status):
    base, candidate = output(told(large(), n=3)), output(told(large(**other), n=3))
    assert ruled(base, candidate).status == status


def test_parts_that_the_judge_draws_speak_for_what_is_too_large():
    base = output({**told(large()), ("line 1, sampled", 0): ["l", [1]]})
    assert ruled(base, base).status == "equal"


def test_what_base_does_not_reproduce_is_not_asked_for():
    came = ruled(7, 9, again=8)
    assert (came.status, came.left_out) == ("not_comparable", 1)
    assert "base itself" in came.reason


def test_the_spread_of_base_widens_the_tolerance_but_not_without_end():
    assert ruled(number(1), number(1 + 5e-7), again=number(1 + 1e-7)).status == "equal"
    assert ruled(number(1), number(1 + 5e-6), again=number(1 + 1e-7)).status == "differs"
    assert ruled(number(1), number(2), again=number(1 + 1e-3)).status == "not_comparable"
    assert ruled(number(1), number(1 + 5e-4), again=number(1 + 9e-5)).status == "differs"


def test_the_largest_error_is_told_with_its_place():
    came = ruled(["l", [number(1), number(2)]], ["l", [number(1), number(2 + 1e-9)]])
    assert came.status == "equal"
    assert came.largest_error == pytest.approx(5e-10, rel=1e-3)
    assert came.error_at == "first call, line 1 [1]"


def test_a_place_that_is_reached_less_often_differs():
    assert ruled(output(told(1, 2, 3)), output(told(1, 2))).status == "differs"
    assert ruled(output(told(1, 2)), output({("line 1", 0): 1, ("line 1", 1): 2})).status == "differs"
    assert ruled(output(told(1)), output({})).status == "differs"


def test_a_later_call_counts_like_the_first():
    base = output(told(1), later=told(1))
    assert ruled(base, output(told(1), later=told(1))).status == "equal"
    assert ruled(base, output(told(1), later=told(2))).status == "differs"
    assert ruled(base, output(told(1))).status == "differs"


def test_a_candidate_that_raises_is_missing_unless_base_does():
    raised = {("raised", 0): ["x", "builtins:MemoryError", []], ("raised", -1): 1}
    assert ruled(7, output(raised)).status == "missing"
    assert ruled(output(raised), output(raised)).status == "equal"
    other = {("raised", 0): ["x", "builtins:ValueError", []], ("raised", -1): 1}
    assert ruled(output(raised), output(other)).status == "differs"
    assert ruled(output(raised), output(told(1))).status == "not_comparable"


def test_work_in_place_tells_where_base_changes_something():
    def sides(after, before):
        return output(told(None), state={("self.x", 0): after}, before={("self.x", 0): before})

    sorted_, unsorted = ["l", [1, 2]], ["l", [2, 1]]
    base = sides(sorted_, unsorted)
    assert rule(base, base, sides(sorted_, None), Tolerance(), 1e-4).status == "equal"
    assert rule(base, base, sides(unsorted, None), Tolerance(), 1e-4).status == "differs"
    untouched = sides(unsorted, unsorted)
    assert rule(untouched, untouched, untouched, Tolerance(), 1e-4).status == "not_comparable"
    assert rule(untouched, untouched, sides(["l", []], None), Tolerance(), 1e-4).status == "differs"


@pytest.mark.parametrize(
    "candidate", [[], {}, ["l"], ["l", 3], ["t"], ["t", ["iterator"]], ["o"], "x", ["f", "zz"], [["l", []]]]
)
def test_a_form_that_is_none_is_a_difference_and_stops_nobody(candidate):
    for base in (["l", [1]], iterator("lazy", 1), thing(a=1), thing(_a=1), number(2)):
        assert ruled(base, candidate).status == "differs"


def test_private_attributes_are_no_part_of_what_is_public():
    assert public(["l", [thing(a=thing(_b=1), _c=2)]]) == ["l", [thing(a=thing())]]
    assert not says_something(thing(_a=1))
    assert says_something(thing(a=1))


def test_the_name_of_a_function_does_not_tell_what_it_does():
    assert ruled(["fn", "m:make.<locals>.made"], ["fn", "m:make.<locals>.made"]).status == "not_comparable"


_TAGS = (
    "l",
    "t",
    "o",
    "sub",
    "d",
    "f",
    "a",
    "big",
    "abig",
    "no",
    "x",
    "enum",
    "again",
    "iterator",
    "lazy",
    "_p",
    "p",
)
_WORDS = st.one_of(st.none(), st.booleans(), st.integers(), st.sampled_from(_TAGS), st.text(max_size=3))
_JSON = st.recursive(_WORDS, lambda parts: st.lists(parts, max_size=5), max_leaves=30)
_BASES = (
    ["l", [thing(_a=1), thing(a=1, _b=thing(_c=2)), number(2)]],
    iterator("lazy", thing(_a=1), 2),
    ["d", [["k", thing(_a=1)]]],
    ["sub", "m:L", ["l", [1]], [["a", thing(_b=1)]]],
)


@given(st.sampled_from(_BASES), _JSON, st.integers(0, 8))
def test_whatever_a_candidate_tells_the_judge_goes_on(base, candidate, place):
    mixed = [*base[:place], candidate, *base[place + 1 :]] if place < len(base) else candidate
    inner = [base[0], [thing(_a=5), *candidate]] if isinstance(candidate, list) else candidate
    for told_ in (candidate, mixed, inner, {"a": candidate}):
        came = ruled(base, output({("line 1", 0): told_, ("line 1", -1): candidate}))
        assert came.status == "differs"
        public(told_)


def test_what_is_nested_beyond_all_measure_stops_nobody():
    deep = []
    for _ in range(900):
        deep = [deep]
    base = ["l", [thing(_a=1), 1]]
    assert ruled(base, ["l", [thing(_a=2), deep]]).status == "differs"
    assert ruled(base, output({("line 1", 0): base, ("line 1", -1): deep})).status == "differs"
    assert ruled(base, output({("raised", 0): ["x", deep, []]})).status == "missing"
