"""The judge's ruling on each test: from values alone, with what base cannot reproduce left out."""

import pytest

from truelap.checks.tests.attest_judge import judge_test
from truelap.checks.tests.attest_known import learn, read, tells
from truelap.checks.tests.attest_marks import Operand, Site
from truelap.checks.tests.attest_shares import shares
from truelap.values import Tolerance

EQUAL = Site(
    1, 10, "test", "compare", ("==",), (Operand(0, "claim"), Operand(1, "claim", known=True, constant=3))
)
AMONG = Site(
    2,
    11,
    "test",
    "compare",
    ("in",),
    (Operand(0, "claim"), Operand(1, "claim", known=True, constant=["l", [3, 4]])),
)
BOTH = Site(3, 12, "test", "compare", ("==",), (Operand(0, "claim"), Operand(1, "claim")))
TRUTH = Site(4, 13, "test", "truth", (), (Operand(0, "claim"), Operand(1, "witness")))
RAISES = Site(5, 14, "test", "raises", (), (Operand(0, "claim"),))
OTHER = Site(6, 15, "test", "compare", ("is not",), (Operand(0, "claim"), Operand(1, "claim")))
HANDED = Site(7, 16, "test", "handed", (), (Operand(0, "claim"),))
BELOW = Site(
    8, 17, "test", "compare", ("<=",), (Operand(0, "claim"), Operand(1, "claim", known=True, constant=10))
)
CLOSE = Site(9, 18, "test", "truth", (), (Operand(0, "claim"), Operand(1, "witness")), close=(1e-3, 0.0))
BACK = Site(10, 19, "test.key", "compare", ("==",), (Operand(0, "claim"), Operand(1, "claim")), back=True)
SITES = {site.id: site for site in (EQUAL, AMONG, BOTH, TRUTH, RAISES, OTHER, HANDED, BELOW, CLOSE, BACK)}


def values(*events):
    return read([list(event) for event in events])


def rule(base, candidate, *, others=None, **options):
    return judge_test(learn([base, *(others or [base])]), candidate, SITES, **options)


def test_the_same_values_agree():
    sent = values((1, 0, 3), (4, 0, True))
    found = rule(sent, sent)
    assert (found.status, found.compared, found.telling, found.unstable) == ("agrees", 2, 1, 0)


def test_other_values_differ_and_say_where():
    found = rule(values((1, 0, 3), (1, 0, 3)), values((1, 0, 3), (1, 0, 4)))
    (deviation,) = found.deviations
    assert found.status == "differs"
    assert (deviation.site, deviation.slot, deviation.occurrence, deviation.weak) == (1, 0, 1, False)
    assert str(deviation.difference) == "value: 3 became 4 (value)"


def test_missing_and_extra_values_differ():
    sent = values((1, 0, 3), (1, 0, 3))
    assert rule(sent, values((1, 0, 3))).deviations[0].difference.kind == "missing"
    assert rule(sent, {}).status == "differs"
    assert rule(sent, values((1, 0, 3), (1, 0, 3), (1, 0, 3))).deviations[0].difference.kind == "extra"
    assert rule(sent, values((1, 0, 3), (1, 0, 3), (99, 0, 3))).deviations[0].site == 99


@pytest.mark.parametrize("perturbed", [False, True])
def test_what_a_helper_is_handed_must_be_base_s_where_that_is_data(perturbed):
    box = ["o", "m:Box", [["width", 3]], None]
    for base, candidate, status in (
        (3, 4, "differs"),
        (["l", ["o", "x"]], ["l", ["o", "y"]], "differs"),
        (3, box, "differs"),
        (box, ["o", "m:Box", [["width", 4]], None], "weak"),
        (["t", [1, box]], ["t", [2, box]], "weak"),
    ):
        found = rule(values((7, 0, base)), values((7, 0, candidate)), perturbed=perturbed)
        assert found.status == status, (base, candidate)
    assert rule(values((7, 0, box)), {}).status == "differs"


def test_only_truths_and_names_are_no_evidence():
    sent = values((4, 0, True), (4, 1, ["cls", "m:C"]))
    assert rule(sent, sent).status == "silent"
    assert rule(sent, values((4, 0, False), (4, 1, ["cls", "m:C"]))).status == "differs"
    assert not any(map(tells, (True, None, ["no", "x"], ["fn", "m:f"], ["o", "m:C", [], None])))
    assert all(map(tells, (0, "", ["l", []], ["o", "m:C", [["a", 1]], None], ["x", "m:E", []])))


def test_floats_have_a_tolerance():
    sent, near = values((3, 0, ["f", (0.3).hex()])), values((3, 0, ["f", (0.1 + 0.2).hex()]))
    assert rule(sent, near).status == "agrees"
    assert rule(sent, near, tolerance=Tolerance(rtol=0, atol=0)).status == "differs"


def test_what_base_does_not_reproduce_is_left_out():
    base, other = values((1, 0, 3), (3, 0, 0.5)), values((1, 0, 3), (3, 0, 0.75))
    found = rule(base, values((1, 0, 3), (3, 0, 9)), others=[other])
    assert (found.status, found.unstable) == ("agrees", 1)
    assert rule(base, values((1, 0, 4), (3, 0, 9)), others=[other]).status == "differs"


def test_the_same_values_in_any_order():
    base, other = values((3, 0, 1), (3, 0, 2)), values((3, 0, 2), (3, 0, 1))
    assert rule(base, values((3, 0, 2), (3, 0, 1)), others=[other]).status == "agrees"
    assert rule(base, values((3, 0, 2), (3, 0, 2)), others=[other]).status == "differs"


def test_counts_that_chance_decides_weigh_little_but_silence_does_not():
    base = values((1, 0, 3), (3, 0, 1), (3, 0, 1), (3, 0, 1))
    other = values((1, 0, 3), (3, 0, 1), (3, 0, 1))
    assert rule(base, values((3, 0, 1), (3, 0, 1)), others=[other]).status == "weak"
    assert rule(base, {}, others=[other]).status == "differs"
    assert rule(base, values((1, 0, 4), (3, 0, 1)), others=[other]).status == "differs"


def test_an_assertion_that_holds_all_the_same_by_the_judges_own_comparison():
    sent = values((2, 0, 3))
    assert rule(sent, values((2, 0, 4))).status == "weak"
    assert rule(sent, values((2, 0, 5))).status == "differs"
    assert rule(sent, values((2, 0, ["o", "m:EqualsAll", [], None]))).status == "differs"
    assert rule(values((1, 0, 3)), values((1, 0, ["f", (3.0).hex()]))).status == "weak"


def test_two_wrong_values_that_are_equal_to_each_other_do_not_count():
    sent = values((3, 0, 1), (3, 1, 1))
    assert rule(sent, values((3, 0, 2), (3, 1, 2))).status == "differs"


def test_with_changed_literals_only_the_values_count():
    base = values((2, 0, 7))
    assert rule(base, values((2, 0, 8))).status == "weak"
    assert rule(base, values((2, 0, 8)), perturbed=True).status == "differs"
    assert rule(base, base, perturbed=True).status == "agrees"


def test_with_changed_literals_too_an_assertion_that_holds_at_both_is_weak():
    assert rule(values((8, 0, 7)), values((8, 0, 4)), perturbed=True).status == "weak"
    assert rule(values((8, 0, 7)), values((8, 0, 11)), perturbed=True).status == "differs"
    # What holds at neither says nothing.
    assert rule(values((8, 0, 12)), values((8, 0, 11)), perturbed=True).status == "differs"


@pytest.mark.parametrize("perturbed", [False, True])
@pytest.mark.parametrize("holds", [False, True])
def test_what_is_asked_to_be_close_must_be_so_to_base(perturbed, holds):
    def ruled(found):
        sent = values((9, 0, holds), (9, 1, ["f", (2.0).hex()]))
        return rule(sent, values((9, 0, holds), (9, 1, found)), perturbed=perturbed).status

    assert ruled(["f", (2.0015).hex()]) == "weak"
    assert ruled(["f", (2.5).hex()]) == "differs"
    assert ruled(["o", "m:EqualsAll", [], None]) == "differs"
    assert ruled(["l", []]) == "differs"


@pytest.mark.parametrize("perturbed", [False, True])
def test_how_often_and_in_which_order_code_is_called_back_is_weak_but_not_with_what(perturbed):
    def ruled(*found):
        base = values(*(event for n in (1, 2, 3) for event in ((10, 0, n), (10, 1, n))))
        sent = values(*(event for n in found for event in ((10, 0, n), (10, 1, n))))
        return rule(base, sent, perturbed=perturbed).status

    assert ruled(3, 2, 1) == "agrees"
    assert ruled(3, 1) == ruled(2, 1, 3, 3) == ruled() == "weak"
    assert ruled(4) == "differs"


@pytest.mark.parametrize("perturbed", [False, True])
def test_a_sentinel_of_another_type_is_still_another_object(perturbed):
    old, new = ["o", "m:Nothing", [], "<nothing>"], ["enum", "m:Kind", "NOTHING", 1]
    sent = values((6, 0, 3), (6, 1, old))
    assert rule(sent, values((6, 0, 3), (6, 1, new)), perturbed=perturbed).status == "weak"
    assert rule(sent, values((6, 0, new), (6, 1, new)), perturbed=perturbed).status == "differs"
    assert rule(sent, values((6, 0, 4), (6, 1, new)), perturbed=perturbed).status == "differs"


def test_what_no_assertion_looks_at_is_weak():
    sent = values((4, 0, True), (4, 1, 5))
    assert rule(sent, values((4, 0, True), (4, 1, 6))).status == "weak"
    assert rule(sent, values((4, 0, True))).status == "differs"


def test_truths_of_another_value():
    sent = values((4, 0, 5))
    assert rule(sent, values((4, 0, 6))).status == "weak"
    assert rule(sent, values((4, 0, 0))).status == "differs"


def test_exceptions_by_type_and_message():
    sent = values((5, 0, ["x", "builtins:KeyError", ["a"]]))
    assert rule(sent, values((5, 0, ["x", "builtins:KeyError", ["b"]]))).status == "weak"
    assert rule(sent, values((5, 0, ["x", "builtins:ValueError", ["a"]]))).status == "differs"
    assert rule(sent, values((5, 0, None))).status == "differs"


def heard(*pairs):
    return values((5, 1, ["l", [["t", [["cls", kind], text]] for kind, text in pairs]]))


@pytest.mark.parametrize("perturbed", [False, True])
def test_warnings_by_category_and_number_whatever_they_say(perturbed):
    old, new = ("builtins:DeprecationWarning", "old"), ("builtins:DeprecationWarning", "gone in 2.0")
    for sent, status in (
        (heard(new, old), "weak"),
        (heard(new), "differs"),
        (heard(new, old, old), "differs"),
        (heard(("builtins:UserWarning", "old"), old), "differs"),
        (values((5, 1, ["l", [3, ["t", []]]])), "differs"),
    ):
        assert rule(heard(old, old), sent, perturbed=perturbed).status == status, sent


def thing(*state):
    return ["o", "m:Box", [list(pair) for pair in state], None]


@pytest.mark.parametrize("perturbed", [False, True])
def test_what_an_object_holds_for_itself_is_weak_and_tells_nothing(perturbed):
    base = thing(["_items", 3], ["_memo", 4])
    for sent in (thing(["_data", 3]), thing(["_items", 5], ["_memo", 4]), thing()):
        found = rule(values((1, 0, base)), values((1, 0, sent)), perturbed=perturbed)
        assert (found.status, found.telling, found.private) == ("weak", 0, {(1, 0)})
        assert rule(values((1, 0, ["l", [base]])), values((1, 0, ["l", [sent]]))).status == "weak"
    other = ["o", "m:Other", [["_items", 3]], None]
    for wrong in (other, ["l", []], None, 3):
        assert rule(values((1, 0, base)), values((1, 0, wrong))).status == "differs"
    public = rule(values((1, 0, thing(["items", 3]))), values((1, 0, thing(["data", 3]))))
    assert public.status == "differs"
    same = rule(values((1, 0, base)), values((1, 0, base)))
    assert (same.status, same.telling) == ("agrees", 1)


def test_what_objects_hold_for_themselves_where_they_come_in_any_order():
    one, two = thing(["_n", 1]), thing(["_n", 2])
    base, again = values((3, 0, one), (3, 0, two)), values((3, 0, two), (3, 0, one))
    renamed = values((3, 0, thing(["_m", 1])), (3, 0, thing(["_m", 2])))
    assert rule(base, renamed, others=[base, again]).status == "weak"
    assert rule(base, values((3, 0, 1), (3, 0, 2)), others=[base, again]).status == "differs"


def test_strong_deviations_come_first_and_few_are_kept():
    base = values(*((2, 0, 3) for _ in range(9)), (1, 0, 3))
    found = rule(base, values(*((2, 0, 4) for _ in range(9)), (1, 0, 9)), keep=3)
    assert [deviation.weak for deviation in found.deviations] == [False, True, True]


def test_shares_of_a_suite():
    truths = {
        "f::a": learn([values((1, 0, 3), (4, 0, True))] * 2),
        "f::b": learn([values((4, 0, True))] * 2),
        "f::c[1]": learn([values((1, 0, 4))] * 2),
        "f::d": learn([values((3, 0, 4)), values((3, 0, 5))]),
    }
    perturbed = {"f::a": learn([values((1, 0, 9))] * 2), "f::b": learn([{}] * 2), "f::c[2]": learn([{}] * 2)}
    found = shares(truths, perturbed)
    assert (found.tests, found.with_values, found.with_secret) == (4, 2, 2)
    assert (found.sites, found.sites_with_values) == (3, 1)
    assert found.silent == ("f::b", "f::d")


def test_what_could_not_be_told_is_not_lent_what_its_neighbours_compare():
    no, much = ["no", "too large: more than 3 parts", "m:C", "m:C", None, []], ["much", "l", 9, "", "", False]
    lazy = ["no", "an iterator: m:C"]
    truths = {
        "f::large": learn([values((1, 0, no), (2, 0, 3))] * 2),
        "f::partly": learn([values((3, 0, [*much, [], False]), (4, 0, 3))] * 2),
        "f::whole": learn([values((5, 0, [*much, [], True]))] * 2),
        "f::lazy": learn([values((6, 0, lazy), (6, 1, 3))] * 2),
        "f::only_lazy": learn([values((7, 0, lazy), (8, 0, 3))] * 2),
    }
    found = shares(truths, {})
    assert found.untold == found.silent == ("f::large", "f::partly", "f::only_lazy")
    assert (found.with_values, found.sites, found.sites_with_values) == (2, 8, 5)
