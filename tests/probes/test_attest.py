"""The recorder: sends what it gets, gives it back unchanged, stays within its limits, and decides nothing."""

import os
import warnings

import pytest

attest = pytest.importorskip("attest")
encode = pytest.importorskip("encode")


class Sent(list):
    def events(self, test="t"):
        return [event for message in self if message["test"] == test for event in message["events"]]


@pytest.fixture
def sent():
    return Sent()


@pytest.fixture
def recorder(sent):
    made = attest.Recorder(
        sent.append, encode.make_encoder(), failures=(AssertionError, pytest.fail.Exception)
    )
    made.begin("t")
    return made


def test_values_come_back_and_are_sent_at_the_end(recorder, sent):
    value = [1, object()]
    assert recorder(3, 0, value) is value
    assert sent == []
    recorder.end()
    assert sent.events() == [[3, 0, ["l", [1, ["o", "builtins:object", [], None]]]]]


def test_a_condition_is_sent_and_a_check_finds_no_fault(recorder, sent):
    assert recorder.untruth(3, [1]) is False
    assert recorder.untruth(3, "") is False
    recorder.end()
    assert sent.events() == [[3, 0, True], [3, 0, False]]


def test_what_a_handler_looks_at_is_sent_once_and_its_kinds_come_back(recorder, sent):
    def meet(error):
        try:
            if error:
                raise error
        except recorder.raised(3, (KeyError, OSError)):
            return "caught"
        except ValueError:
            return "passed on"

    assert [meet(KeyError("a")), meet(None), meet(ValueError("b"))] == ["caught", None, "passed on"]
    recorder.end()
    assert [event[2][:2] for event in sent.events()] == [
        ["x", "builtins:KeyError"],
        ["x", "builtins:ValueError"],
    ]


def test_what_is_sent_is_the_value_at_that_moment(recorder, sent):
    value = [1]
    recorder(0, 0, value)
    value.append(2)
    recorder.end()
    assert sent.events() == [[0, 0, ["l", [1]]]]


def test_each_test_gets_its_own_events(recorder, sent):
    recorder(0, 0, 1)
    recorder.begin("u")
    recorder(0, 0, 2)
    recorder.end()
    assert (sent.events("t"), sent.events("u")) == ([[0, 0, 1]], [[0, 0, 2]])


def test_long_tests_are_sent_in_batches(recorder, sent):
    for index in range(200):
        recorder(index, 0, "x" * 4000)
    assert len(sent) > 1
    recorder.end()
    assert len(sent.events()) == 200


def test_many_occurrences_end_in_one_digest(recorder, sent):
    for index in range(attest.DETAILED + 50):
        recorder(1, 0, index)
    recorder.end()
    events = sent.events()
    assert len(events) == attest.DETAILED + 1
    assert events[-1][:2] == [1, 0]
    assert events[-1][2][:3] == ["big", "tail", 50]


def test_the_digest_of_the_rest_tells_values_apart(sent):
    def tail(last):
        recorder = attest.Recorder(sent.append, encode.make_encoder())
        recorder.begin("t")
        for index in [*range(attest.DETAILED + 5), last]:
            recorder(1, 0, index)
        recorder.end()
        return sent.pop()["events"][-1]

    assert tail(1) == tail(1)
    assert tail(1) != tail(2)


def test_a_test_has_a_budget_of_bytes(recorder, sent):
    for index in range(1000):
        recorder(index, 0, "x" * 16000)
    recorder.end()
    assert sum(len(str(message)) for message in sent) < 2 * attest.TEST_BYTES
    assert len(sent.events()) == 1000


class Big:
    shown = 0

    def __repr__(self):
        Big.shown += 1
        return "x" * 20000


def test_values_that_are_dear_are_all_counted_but_few_are_read(recorder, sent):
    Big.shown = 0
    for _ in range(1000):
        recorder(1, 0, Big())
    recorder.end()
    events = sent.events()
    assert Big.shown < 20
    assert len(events) - 1 + events[-1][2][2] == 1000


def test_one_dear_place_does_not_silence_the_others(recorder, sent):
    for _ in range(100):
        recorder(1, 0, Big())
    recorder(2, 0, "small")
    recorder.end()
    assert [2, 0, "small"] in sent.events()


def test_a_fault_of_the_encoder_is_sent_as_such(recorder, sent):
    view = memoryview(b"a")
    view.release()
    recorder(0, 0, view)
    recorder.end()
    assert sent.events() == [[0, 0, ["no", "fault: ValueError"]]]


def test_expected_exceptions(recorder, sent):
    with recorder.manager(1, pytest.raises(ValueError, match="bad")) as caught:
        raise ValueError("bad", 3)
    assert caught.value.args == ("bad", 3)
    with pytest.raises(KeyError), recorder.manager(2, pytest.raises(ValueError)):
        raise KeyError("other")
    with pytest.raises(pytest.fail.Exception), recorder.manager(3, pytest.raises(ValueError)):
        pass
    recorder.end()
    assert sent.events() == [
        [1, 0, ["x", "builtins:ValueError", ["bad", 3]]],
        [2, 0, ["x", "builtins:KeyError", ["other"]]],
        [3, 0, None],
    ]


def test_expected_warnings(recorder, sent):
    with recorder.manager(1, pytest.warns(UserWarning, match="care")) as heard:
        warnings.warn("careful", UserWarning, stacklevel=1)
    assert len(heard) == 1
    recorder.end()
    assert sent.events()[1] == [1, 1, ["l", [["t", [["cls", "builtins:UserWarning"], "careful"]]]]]


def test_functions_that_are_expected_to_raise(recorder, sent):
    def boom(*, key):
        raise KeyError(key)

    with pytest.raises(KeyError):
        recorder.function(1, boom)(key=2)
    assert recorder.function(2, len)("ab") == 2
    recorder.end()
    assert sent.events() == [[1, 0, ["x", "builtins:KeyError", [2]]], [2, 0, 2]]


def test_soft_recording_goes_on(sent):
    recorder = attest.Recorder(
        sent.append, encode.make_encoder(), failures=(AssertionError, pytest.fail.Exception), soft=True
    )
    recorder.begin("t")

    def check(value):
        assert value
        return "passed"

    assert recorder.truth(1, []) is True
    assert recorder.soft(2, check)(0) is None
    assert recorder.soft(3, check)(1) == "passed"
    with recorder.manager(4, pytest.raises(ValueError)):
        pass
    with recorder.manager(5, pytest.raises(ValueError)):
        raise KeyError
    with pytest.raises(TypeError):
        recorder.soft(6, len)(3)
    recorder.end()
    assert [event[:2] for event in sent.events()] == [[1, 0], [2, -1], [3, -1], [4, 0], [5, 0]]


def test_a_forked_child_is_silent(recorder, sent):
    recorder(0, 0, 1)
    child = os.fork()
    if not child:
        recorder.end()
        os._exit(len(sent))
    assert os.waitpid(child, 0)[1] == 0
    recorder.end()
    assert sent.events() == [[0, 0, 1]]


def test_values_that_record_while_they_are_encoded(recorder, sent):
    class Asks:
        def __repr__(self):
            recorder(9, 0, 1)
            return "asks"

    recorder(1, 0, [Asks(), 2])
    recorder.end()
    assert sorted(event[0] for event in sent.events()) == [1, 9]
