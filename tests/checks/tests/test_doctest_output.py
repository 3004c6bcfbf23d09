"""What an example printed, held against what is wanted: by the flags that base had on."""

import pytest

from truelap.checks.tests.attest_judge import judge_test
from truelap.checks.tests.attest_known import learn
from truelap.checks.tests.doctest_book import learnt
from truelap.checks.tests.doctest_output import Printed, computes_alike, meets, output
from truelap.checks.tests.messages import parse


def site(want, exc=None):
    return Printed(id=1, line=1, scope="m", kind="prints", want=want, exc=exc)


def sent(text, *flags, how="printed"):
    return ["t", [how, text, ["l", list(flags)]]] if text else None


@pytest.mark.parametrize(
    ("want", "base", "candidate", "flags", "met"),
    [
        ("3\n", "3\n", "4\n", (), False),
        ("[1, ..., 9]\n", "[1, 2, 9]\n", "[1, 3, 9]\n", ("ELLIPSIS",), True),
        ("[1, ..., 9]\n", "[1, 2, 9]\n", "[1, 3, 8]\n", ("ELLIPSIS",), False),
        ("1   2\n", "1 2\n", "1\n2\n", ("NORMALIZE_WHITESPACE",), True),
        ("3.14\n", "3.14159\n", "3.1416\n", ("NUMBER",), True),
        ("3.14\n", "3.14159\n", "3.2\n", ("NUMBER",), False),
        ("3\n", "3\n", "4\n", ("NUMBER",), False),
        ("u'a'\n", "'a'\n", "'a'\n", ("ALLOW_UNICODE",), True),
        ("0.1\n", "0.10000001\n", "0.10000002\n", ("FLOAT_CMP",), True),
        ("0.3\n", "0.30000001\n", "0.30000002\n", (), True),
        ("0.3\n", "0.31\n", "0.32\n", (), False),
        ("", "", "4\n", (), False),
        ("1e999\n", "1e999\n", "9e99999999999\n", ("NUMBER",), True),
    ],
)
def test_what_is_wanted(want, base, candidate, flags, met):
    assert meets(site(want), sent(base, *flags), sent(candidate, *flags)) is met


def test_a_way_to_compare_that_only_the_candidate_names_is_none():
    assert not meets(site("3\n"), sent("3\n"), sent("4\n", "SOMEHOW"))


def test_the_detail_of_an_exception_counts_unless_it_is_switched_off():
    expected = site("Traceback...", "ValueError: no\n")
    pair = [sent(f"ValueError: {text}\n", how="raised") for text in ("no", "never")]
    assert not meets(expected, *pair)
    assert computes_alike(*pair)
    flags = [
        sent(f"ValueError: {text}\n", "IGNORE_EXCEPTION_DETAIL", how="raised") for text in ("no", "never")
    ]
    assert meets(expected, *flags)
    other = sent("TypeError: no\n", "IGNORE_EXCEPTION_DETAIL", how="raised")
    assert not meets(expected, flags[0], other)
    assert not computes_alike(flags[0], other)
    assert not meets(expected, flags[0], sent("ValueError: no\n"))


@pytest.mark.parametrize(
    "value", [[], ["t"], ["l", 3], {}, 3, "x", ["t", ["printed", 3, ["l", []]]], ["t", []]]
)
def test_what_is_no_output_meets_nothing(value):
    assert output(value) is None
    assert not meets(site("3\n"), sent("3\n"), value)
    assert not computes_alike(sent("3\n"), value)


def test_what_base_does_not_reproduce_must_still_be_wanted():
    place = (1, 0)
    runs = [{place: [sent(f"<Box at 0x{n}>\n", "ELLIPSIS")]} for n in (1, 2)]
    truth = learn(runs)
    assert truth[place].stability == "unstable"
    sites = {1: site("<Box at 0x...>\n")}
    for text, status in (("<Box at 0x3>\n", "silent"), ("<Bag at 0x3>\n", "differs")):
        assert judge_test(truth, {place: [sent(text, "ELLIPSIS")]}, sites).status == status


def told(home, call, want):
    example = {"source": "f()\n", "want": want, "exc": None, "line": 1, "indent": 0, "options": {}}
    test = {"name": "m.f", "file": "m.py", "line": 3, "doc": "..", "examples": [example, example]}
    return parse({"type": "doctest", "home": home, "call": call, "test": test if want else None})


def test_the_book_keeps_what_can_be_told():
    book = learnt(
        [[told("a.py", 0, "1\n"), told("t.py::t", 0, "2\n")], [told("a.py", 0, "3\n"), told("b.py", 0, "")]]
    )
    assert book.ids == {"a.py::m.f", "t.py::t"}
    assert [placed.test.examples[0].want for placed in book.tests] == ["1\n", "2\n"]
    assert len(book.sites) == len(book.homes) == 4
    assert {each["want"] for *_, test in book.sent(soft=True) for each in test["examples"]} == {""}
