"""What is changed about an argument, and what stays promised of it."""

import re
from collections import Counter
from random import Random

import bench_changes
import pytest
from bench_changes import ALONE, changed, changes, copied, put

np = pytest.importorskip("numpy")

SORTED = [1, 2, 3, 5]
MIXED = [3, 1, 2, 7, 5]
REPEATED = [3, 1, 2, 1, 5]


def made(value, change, seed=1):
    return changed(value, change, Random(seed), np)


@pytest.mark.parametrize(
    ("value", "names"),
    [
        (7, ["one less", "one more"]),
        (1, []),
        (-4, []),
        (True, []),
        (1 << 40, []),
        (0.5, ["a little smaller"]),
        (0.0, []),
        (float("nan"), []),
        ("name", []),
        ("a text of words that goes on", ["shorter"]),
        (b"bytes that go on and on", ["shorter"]),
        (range(5), ["one shorter", "one longer"]),
        (range(1), []),
        ([1], []),
        ({"a": 1, "b": 2}, ["one shorter", "two swapped", ALONE + "two swapped"]),
        ({"a": [1], "b": [2]}, []),
        (SORTED, ["one shorter", ALONE + "one shorter"]),
        (SORTED[::-1], ["one shorter", ALONE + "one shorter"]),
        ([(0, 2), (1, 5)], ["one shorter", ALONE + "one shorter"]),
        ([object(), object()], ["one shorter", ALONE + "one shorter"]),
        ([None, 3], ["one shorter", ALONE + "one shorter"]),
        (tuple(MIXED), ["one shorter", "shuffled", "two swapped"]),
        (MIXED, ["one shorter", "shuffled", "two swapped", ALONE + "one shorter", ALONE + "two swapped"]),
        (tuple(REPEATED), ["one shorter", "one longer", "shuffled", "two swapped", "one replaced"]),
        (object(), []),
        ({1, 2}, []),
        (np.array(SORTED), ["one shorter"]),
        (np.array(MIXED), ["one shorter", "shuffled", "two swapped", ALONE + "two swapped"]),
        (np.eye(3), []),
        (np.ones((3, 2)), ["one shorter", "shuffled"]),
        (np.array(3), []),
        (np.array([object(), None]), []),
    ],
    ids=lambda value: re.sub(" at 0x[0-9a-f]+", "", str(value))[:30],
)
def test_what_can_be_changed(value, names):
    assert changes(value, np) == names


def test_no_promise_is_broken():
    for value in (
        SORTED,
        MIXED,
        REPEATED,
        tuple(MIXED),
        np.array(MIXED),
        np.array(REPEATED),
        {"a": 1, "b": 2},
    ):
        for change in changes(value, np):
            for seed in range(5):
                other = made(value, change.removeprefix(ALONE), seed)
                assert type(other) is type(value)
                before, after = ([*one.values()] if type(one) is dict else [*one] for one in (value, other))
                assert set(after) <= set(before)
                assert max(Counter(after).values()) == 1 or max(Counter(before).values()) > 1
                assert abs(len(after) - len(before)) == (change.rpartition(" ")[2] in {"shorter", "longer"})
                assert after != before
    assert made(SORTED, "one shorter") == SORTED[:-1]


def test_single_values_are_changed_a_little():
    assert (made(7, "one less"), made(7, "one more"), made(64.0, "a little smaller")) == (6, 8, 63.0)
    assert made(range(2, 8, 2), "one longer") == range(2, 10, 2)
    assert made(range(2, 8, 2), "one shorter") == range(2, 6, 2)
    assert list(made(range(5, 0, -1), "one longer")) == [5, 4, 3, 2, 1, 0]
    assert made("one\ntwo\nthree three\n", "shorter") == "one\ntwo\n"
    assert made("one two three", "shorter") == "one two"
    assert made(b"onetwothree", "shorter") == b"onetwothre"


def test_a_copy_shares_no_container_and_every_object():
    thing, inner = object(), [1, 2]
    value = {"a": [inner, (inner, thing)], "b": np.arange(3)}
    other = copied(value, np)
    inner.append(3)
    value["b"][0] = 9
    assert other["a"][0] == [1, 2]
    assert other["a"][1][1] is thing
    assert other["b"].tolist() == [0, 1, 2]
    assert bench_changes.copied([inner], np, 1)[0] is inner


@pytest.mark.parametrize("value", [[1, 2, 3], {"a": 1, "b": 2}, np.array([1, 2])])
def test_an_object_gets_its_content_back(value):
    before, ours = copied(value, np), value
    put(value, made(value, "two swapped", 2))
    assert str(value) != str(before)
    put(value, before)
    assert (str(value), value is ours) == (str(before), True)
