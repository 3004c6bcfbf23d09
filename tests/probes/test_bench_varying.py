"""Inputs that change before each call: close to the benchmark's own, and hardly ever the same twice."""

from types import SimpleNamespace

import bench_output
import pytest
from bench_siblings import Call
from bench_varying import Spot, Varying, varied

np = pytest.importorskip("numpy")
NUMBERS = [n * 37 % 101 for n in range(64)]


@pytest.mark.parametrize("kind", [list, np.array])
def test_every_call_gets_another_input_near_to_the_own_one(kind):
    value, seen, spot = kind(NUMBERS), set(), Spot("argument 1", 7)
    for _ in range(2000):
        spot.turn((value, 3), {})
        now = tuple(value.tolist() if kind is np.array else value)
        assert sorted(now) == sorted(NUMBERS)
        assert sum(one != other for one, other in zip(now, NUMBERS, strict=True)) <= 4
        seen.add(now)
    assert len(seen) > 1990


def test_texts_and_tuples_are_made_anew():
    words = [f"word{n}" for n in NUMBERS]
    for value, parts in (
        (tuple(NUMBERS), list),
        (" ".join(words), str.split),
        ("\n".join(f"a line of {word}" for word in words), str.splitlines),
    ):
        seen, spot, named = set(), Spot("argument 2", 7), Spot("argument text", 7)
        for _ in range(200):
            first, now, last = spot.turn((3, value, 5), {})
            again = {"text": value}
            assert (named.turn((), again), again["text"]) == ((), now)
            assert (first, last, type(now)) == (3, 5, type(value))
            assert sorted(parts(now)) == sorted(parts(value))
            assert sum(one != other for one, other in zip(parts(now), parts(value), strict=True)) <= 4
            seen.add(now)
        assert len(seen) > 195


def test_an_object_that_is_new_is_left_as_it_comes_and_a_short_one_alone():
    spot = Spot("argument width", 7)
    for _ in range(5):
        value = list(NUMBERS)
        spot.turn((), {"width": value})
        assert sum(one != other for one, other in zip(value, NUMBERS, strict=True)) <= 4
    value.clear()
    spot.turn((), {"width": value})
    assert value == []


def test_only_what_the_plan_names_is_changed():
    def total(numbers, more=()):
        return list(numbers)

    varying = Varying([["line 1.0 f", "argument 1"]], 5)
    assert varying.called("line 2.0 g", total) is total
    numbers, found = list(NUMBERS), varying.called("line 1.0 f", total)
    assert found(numbers, more=numbers) == numbers != NUMBERS


def test_what_can_be_varied():
    def planned(*args, **named):
        return [name for _, name in varied({"place": Call(print, args, named, np)}, np)]

    assert planned(list(NUMBERS), 5, np.array(NUMBERS), again=list(NUMBERS)) == [
        "argument 1",
        "argument 3",
        "argument again",
    ]
    assert planned(sorted(NUMBERS), NUMBERS[:31], "text" * 20, "a b " * 12, dict(enumerate(NUMBERS))) == []
    assert planned(tuple(NUMBERS), "a b " * 20, "a b\n" * 40) == ["argument 1", "argument 2", "argument 3"]


def test_a_recorder_varies_what_a_benchmark_calls():
    recorder = bench_output.make_recorder(None)
    numbers, got = list(NUMBERS), []

    def func():
        recorder.called("line 1.0 f", got.append)(numbers)

    case = SimpleNamespace(args=(), suite=None, benchmark=SimpleNamespace(func=func))
    plan = [["line 1.0 f", "argument 1"]]
    assert recorder.vary(case, {"plan": plan, "seed": 3}) == plan
    assert numbers == NUMBERS
    func()
    assert numbers != NUMBERS
