"""What is told of a call: bounded, in order, and by nobody's word but the value's."""

import itertools
from types import SimpleNamespace

import bench_output
import pytest


@pytest.fixture
def recorder():
    return bench_output.make_recorder(None)


def told(recorder, func, *args):
    case = SimpleNamespace(benchmark=SimpleNamespace(func=func), args=args, skip=NotImplementedError)
    return {(place, at): value for place, at, value in recorder.call(case)}


def test_nothing_is_told_unless_it_is_asked_for(recorder):
    values = [1]
    assert recorder("a", 1) == 1
    assert recorder.items("a", values) is values
    assert recorder.look is None


def test_a_long_loop_is_told_in_part_and_counted_whole(recorder):
    found = told(recorder, lambda: [recorder("a", n) for n in range(1000)])
    assert found.pop(("a", -1)) == 1000
    assert found.pop(("a, afterwards", 0), None) is None
    assert [at for _, at in found] == [*range(32), 63, 127, 255, 511]
    assert all(value == at for (_, at), value in found.items())


def test_what_a_loop_runs_over_is_told_and_passed_on(recorder):
    found = told(recorder, lambda: list(recorder.items("a", (n for n in range(3)))) and None)
    assert found == {("a", 0): 0, ("a", 1): 1, ("a", 2): 2, ("a", -1): 3}


def test_a_dropped_iterator_is_worked_through_up_to_a_bound(recorder):
    def failing():
        yield 1
        raise ValueError("no")

    def one(value):
        return told(recorder, lambda: recorder.dropped("a", value) and None)["a", 0]

    assert one(n for n in range(2)) == ["t", ["iterator", "lazy", ["l", [0, 1]], None]]
    assert one(map(str, [1])) == ["t", ["iterator", "lazy", ["l", ["1"]], None]]
    assert one(iter([1]))[1][1] == "builtins:list_iterator"
    assert one(failing())[1][2:] == [["l", [1]], ["x", "builtins:ValueError", ["no"]]]
    endless = one(itertools.count())[1]
    assert (endless[1], len(endless[2][1]), endless[3]) == ("lazy", bench_output.ITEMS, "more")


def test_a_value_that_is_changed_later_is_told_again(recorder):
    def func():
        values = recorder("a", [2, 1])
        values.sort()

    found = told(recorder, func)
    assert (found["a", 0], found["a, afterwards", 0]) == (["l", [2, 1]], ["l", [1, 2]])


def test_an_exception_is_told_and_a_skip_is_not_swallowed(recorder):
    assert told(recorder, lambda: 1 / 0)["raised", 0][:2] == ["x", "builtins:ZeroDivisionError"]

    def skipping():
        raise NotImplementedError

    with pytest.raises(NotImplementedError):
        told(recorder, skipping)
    assert recorder.look is None


def test_what_is_returned_counts_where_the_suite_could_not_be_changed(recorder):
    assert told(recorder, lambda n: n + 1, 3) == {("result", 0): 4, ("result", -1): 1}


def test_the_state_is_arguments_and_public_attributes(recorder):
    class Suite:
        shared = 1

        def time_it(self, size):
            pass

    suite = Suite()
    suite.numbers, suite._cache = [1], {2: 3}
    case = SimpleNamespace(benchmark=SimpleNamespace(func=suite.time_it), args=(5,))
    found = {place: value for place, at, value in recorder.state(case) if not at}
    assert found == {"argument 1": 5, "self.numbers": ["l", [1]]}


def test_long_values_stay_within_the_size_of_a_message(recorder):
    found = told(recorder, lambda: recorder("a", ["ä" * 1000] * 1040) and None)
    assert found["a", 0][0] == "big"
    events = [[place, at, value] for (place, at), value in found.items()]
    assert bench_output.frames(events) == [events]
    many = [["p", at, "x" * 900_000] for at in range(3)]
    assert [len(frame) for frame in bench_output.frames(many)] == [1, 1, 1]


def test_what_is_told_of_a_call_is_bounded(recorder, monkeypatch):
    monkeypatch.setattr(bench_output, "LOOK_CHARS", 1000)
    found = told(recorder, lambda: [recorder("a", "x" * 400) for _ in range(5)] and None)
    assert [found["a", at][:1] for at in range(5)] == ["x", "x", "x", ["no"], ["no"]]


class Holder:
    def __init__(self, **parts):
        vars(self).update(parts)


def test_of_a_long_value_parts_are_told_that_the_judge_draws(monkeypatch):
    monkeypatch.setitem(bench_output.LIMITS, "size", 1 << 16)
    recorder = bench_output.make_recorder(None)

    def one(value, sample):
        case = SimpleNamespace(
            benchmark=SimpleNamespace(func=lambda: recorder.dropped("a", value) and None), args=(), skip=()
        )
        return {place: told for place, at, told in recorder.call(case, sample) if "sampled" in place}

    floats = [n / 7 for n in range(9000)]
    first, again, other = one(floats, 1), one(list(floats), 1), one(floats, 2)
    assert first == again != other
    assert len(first["a, sampled"][1]) == bench_output.SAMPLED
    backwards = dict(reversed([(n, n / 7) for n in range(5000)]))
    assert one(({}, backwards), 1) == one(({}, dict(sorted(backwards.items()))), 1)
    assert list(one(({}, backwards), 1)) == ["a, sampled[1].values"]
    assert one([1.5] * 100, 1) == {}
    held, more = Holder(b=floats, c=(floats,)), Holder(a=floats, b=floats, c=(floats,))
    assert list(one(held, 1)) == ["a, sampled.b", "a, sampled.c[0]"]
    assert one(held, 1).items() <= one(more, 1).items()


def test_of_a_long_array_parts_are_told():
    numpy = pytest.importorskip("numpy")
    recorder = bench_output.make_recorder(numpy)
    case = SimpleNamespace(benchmark=SimpleNamespace(func=lambda: numpy.ones((500, 500))), args=(), skip=())
    found = {place: told for place, at, told in recorder.call(case, 3) if at == 0}
    assert found["result"][0] == "abig"
    assert found["result, sampled"][:3] == ["a", "<f8", [bench_output.SAMPLED]]
