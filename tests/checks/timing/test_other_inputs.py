"""A gain for the benchmark's own input alone is none; one of work that is saved is there for other inputs as well. For real."""

import pytest

from truelap.checks.timing import other_inputs
from truelap.checks.timing.rounds import Rounds
from truelap.policy import load_policy

FILES = {
    "asv.conf.json": '{"benchmark_dir": "benches"}',
    "benches/__init__.py": "",
    "benches/b.py": """
import lib

class Suite:
    def setup(self):
        self.numbers = [n * 7919 % 1009 for n in range(400)]
        self.few = (3, 1, 2)
        self.text = " ".join("word%d" % (n * 37 % 101) for n in range(120))

    def time_windows(self): lib.windows(self.numbers, 40)
    def time_once(self): lib.windows(self.numbers, width=40)
    time_once.number = 20
    def time_words(self): lib.words(self.text)
    def time_few(self): lib.slow(self.few)
""",
    "lib.py": """
def windows(numbers, width):
    return [sum(numbers[start:start + width]) for start in range(len(numbers) - width + 1)]

def words(text):
    found = text.split()
    return {word: found.count(word) for word in found}

def slow(few):
    return sum(sorted(few) for _ in range(200)) if not few else [sorted(few) for _ in range(200)]
""",
}

HONEST = """
def windows(numbers, width):
    found, total = [], sum(numbers[:width])
    for start in range(len(numbers) - width + 1):
        found.append(total)
        if start + width < len(numbers):
            total += numbers[start + width] - numbers[start]
    return found

def words(text):
    found = {}
    for word in text.split():
        found[word] = found.get(word, 0) + 1
    return found

def slow(few):
    return [sorted(few)] * 200
"""

MEMO = """
known = {}

def windows(numbers, width):
    key = tuple(numbers), width
    if key not in known:
        known[key] = [sum(numbers[start:start + width]) for start in range(len(numbers) - width + 1)]
    return list(known[key])

def words(text):
    if text not in known:
        found = text.split()
        known[text] = {word: found.count(word) for word in found}
    return dict(known[text])

def slow(few):
    return [sorted(few)] * 200
"""


def found(came):
    return {
        case.id.rpartition("_")[2]: (case.decision, case.own_input and case.own_input.status)
        for case in came.evidence.cases
    }


def test_work_that_is_saved_is_saved_for_other_inputs(timed):
    came = timed(FILES, {"lib.py": HONEST})
    assert found(came) == {
        "windows": ("faster", "borne_out"),
        "once": ("faster", "borne_out"),
        "words": ("faster", "borne_out"),
        "few": ("faster", "not_tried"),
    }, [case.own_input for case in came.evidence.cases]
    assert "no argument" in came["b.Suite.time_few"].own_input.reason
    assert came.codes() == []


def test_an_answer_that_is_remembered_is_no_gain(timed):
    came = timed(FILES, {"lib.py": MEMO})
    assert found(came)["windows"] == ("same", "own_input_only"), came["b.Suite.time_windows"].own_input
    assert found(came)["words"] == ("same", "own_input_only"), came["b.Suite.time_words"].own_input
    assert found(came)["once"][0] == "same"
    assert "time:own_input_only" in came.codes()
    assert came["b.Suite.time_windows"].reason.startswith("own input only: x")
    assert len(came["b.Suite.time_windows"].own_input.found) == 2


def test_without_the_defence_it_is_paid(timed):
    came = timed(FILES, {"lib.py": MEMO}, policy=load_policy().without(["siblings"]), bench="windows")
    assert found(came) == {"windows": ("faster", None)}


@pytest.mark.parametrize(
    ("late", "looks", "came_out"),
    [
        ("candidate", 0, ("same", "own_input_only")),
        ("base", 0, ("faster", "not_tried")),
        # One look did not show the gain, and nobody could look again: that may be chance.
        ("base", 1, ("faster", "not_tried")),
    ],
)
def test_who_takes_all_the_time_with_other_inputs_bears_it(timed, monkeypatch, late, looks, came_out):
    answers, source = iter([None] * looks), MEMO if looks else HONEST
    used_up = type("UsedUp", (Rounds,), {"late": lambda self, track: next(answers, late)})
    monkeypatch.setattr(other_inputs, "Rounds", used_up)
    came = timed(FILES, {"lib.py": source}, bench="windows")
    assert found(came) == {"windows": came_out}
    own = came["b.Suite.time_windows"].own_input
    assert "the time for all benchmarks was used up" in own.reason
    assert len(own.found) == looks
