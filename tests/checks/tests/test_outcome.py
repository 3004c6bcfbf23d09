"""What a session's messages amount to, and which ones no true session can send."""

import pytest

from truelap.checks.tests.messages import parse
from truelap.checks.tests.outcome import Fold
from truelap.errors import StepFault


def hello():
    return {"type": "hello"}


def collected(*ids, last=True):
    return {"type": "collected", "ids": list(ids), "last": last}


def phase(name, when, outcome="passed", **more):
    shape = {"xfail": False, "sub": False, "seconds": 0.5, "text": "" if outcome == "passed" else "why"}
    return {"type": "phase", "id": name, "when": when, "outcome": outcome, **shape, **more}


def end(code=0, text=""):
    return {"type": "end", "exit": code, "warnings": 2, "text": text}


def run(name="t", call="passed", setup="passed", teardown="passed", **more):
    phases = [phase(name, "setup", setup, **(more if setup != "passed" else {}))]
    if setup == "passed":
        phases.append(phase(name, "call", call, **more))
    return [*phases, phase(name, "teardown", teardown)]


def folded(*messages):
    fold = Fold()
    for message in messages:
        fold.add(parse(message))
    return fold.session(None, 1.0)


@pytest.mark.parametrize(
    ("phases", "outcome"),
    [
        (run(), "passed"),
        (run(call="failed"), "failed"),
        (run(setup="failed"), "error"),
        (run(teardown="failed"), "error"),
        (run(call="skipped"), "skipped"),
        (run(setup="skipped"), "skipped"),
        (run(call="skipped", xfail=True), "xfailed"),
        (run(setup="skipped", xfail=True), "xfailed"),
        (run(call="passed", xfail=True), "xpassed"),
        (run()[:2], "missing"),
        (run()[:1], "missing"),
        ([], "missing"),
    ],
)
def test_the_outcome_of_one_test(phases, outcome):
    assert folded(hello(), collected("t"), *phases, end()).nodes["t"].outcome == outcome


def test_seconds_are_of_all_phases_and_the_message_is_of_the_worst():
    node = folded(hello(), collected("t"), *run(call="failed"), end(1)).nodes["t"]
    assert (node.seconds, node.message) == (1.5, "why")


@pytest.mark.parametrize(
    ("sub", "outcome"), [("failed", "failed"), ("skipped", "skipped"), ("passed", "passed")]
)
def test_a_test_is_no_better_than_its_worst_subtest(sub, outcome):
    setup, call, teardown = run()
    messages = [hello(), collected("t"), setup, phase("t", "call", sub, sub=True), call, teardown, end()]
    assert folded(*messages).nodes["t"].outcome == outcome


def test_subtests_may_be_told_before_the_phases_around_them():
    sub = phase("t", "call", "failed", sub=True)
    assert folded(hello(), collected("t"), sub, *run(), end()).nodes["t"].outcome == "failed"
    again = [phase("t", "setup"), phase("t", "call", "rerun"), phase("t", "call", sub=True), *run()]
    assert folded(hello(), collected("t"), sub, *again, end()).nodes["t"].outcome == "passed"


@pytest.mark.parametrize("told", [(), ("teardown",)])
def test_a_rerun_starts_over(told):
    first = [phase("t", "setup"), phase("t", "call", "rerun"), *(phase("t", when) for when in told)]
    assert folded(hello(), collected("t"), *first, *run(), end()).nodes["t"].outcome == "passed"
    assert folded(hello(), collected("t"), *first, *run(call="failed"), end()).nodes["t"].outcome == "failed"
    assert folded(hello(), collected("t"), *first, end()).nodes["t"].outcome == "missing"
    assert folded(hello(), collected("t"), *first, *first, *run(), end()).nodes["t"].outcome == "passed"


def test_an_id_collected_twice_runs_twice_and_the_worst_counts():
    twice = [hello(), collected("t", "t")]
    assert folded(*twice, *run(), *run(call="failed"), end()).nodes["t"].outcome == "failed"
    assert folded(*twice, *run(), *run(), end()).nodes["t"].outcome == "passed"
    assert folded(*twice, *run(), end()).nodes["t"].outcome == "missing"


@pytest.mark.parametrize(
    "messages",
    [
        [collected("t")],
        [hello(), hello()],
        [hello(), collected("t"), collected("t")],
        [hello(), phase("t", "setup")],
        [hello(), collected("t", last=False), phase("t", "setup")],
        [hello(), collected("t"), phase("other", "setup")],
        [hello(), collected("t"), phase("t", "call")],
        [hello(), collected("t"), phase("t", "teardown")],
        [hello(), collected("t"), phase("t", "setup"), phase("t", "setup")],
        [hello(), collected("t"), phase("t", "setup"), phase("t", "teardown")],
        [hello(), collected("t"), phase("t", "setup", "failed"), phase("t", "call")],
        [hello(), collected("t"), *run(), *run()],
        [hello(), collected("t"), *run(), phase("t", "call", sub=True)],
        [hello(), collected("t"), *run(call="failed"), phase("t", "call")],
        [hello(), collected("t"), end(), phase("t", "setup")],
        [hello(), collected("t"), end(), end()],
    ],
)
def test_what_no_session_says_is_garbled(messages):
    with pytest.raises(StepFault, match="worker") as caught:
        folded(*messages)
    assert caught.value.code == "garbled"


@pytest.mark.parametrize(
    "change",
    [
        {"extra": 1},
        {"id": ""},
        {"id": 3},
        {"id": "a\udc80"},
        {"when": "before"},
        {"outcome": "fine"},
        {"seconds": -1.0},
        {"seconds": float("inf")},
        {"seconds": "1"},
        {"xfail": 0},
        {"text": "x" * 9000},
        {"type": "verdict"},
    ],
)
def test_the_schema_takes_nothing_else(change):
    good = phase("t", "setup")
    parse(good)
    with pytest.raises(StepFault):
        parse({**good, **change})
    for name in good:
        with pytest.raises(StepFault):
            parse({key: value for key, value in good.items() if key != name})


def test_what_could_not_be_collected_is_kept_with_its_reason():
    failed = {"type": "collector", "id": "a.py", "outcome": "failed", "text": "ImportError"}
    passed = {"type": "collector", "id": "b.py", "outcome": "passed", "text": ""}
    assert folded(hello(), failed, passed, collected(), end(2)).uncollected == {"a.py": "ImportError"}


def uncollectable(count, text):
    fold = Fold()
    fold.add(parse(hello()))
    for n in range(count):
        fold.add(parse({"type": "collector", "id": f"f{n}.py", "outcome": "failed", "text": text}))
    return fold.session(None, 1.0).uncollected


def test_a_flood_of_what_could_not_be_collected_is_counted_and_not_kept():
    found = uncollectable(16_000, "\U0001f600" * 8000)
    assert len(found) == 201
    assert found["..."] == "15800 more"
    assert sum(map(len, found.values())) < 200 * 2001


def test_a_suite_that_needs_much_that_is_missing_is_kept_whole():
    found = uncollectable(200, "ImportError: no module named x")
    assert (len(found), set(found.values())) == (200, {"ImportError: no module named x"})


def listed(lists):
    """How a session that lists such ids ends, and after how many lists."""
    fold, taken = Fold(), 0
    fold.add(parse(hello()))
    for ids in lists:
        try:
            fold.add(parse(collected(*ids, last=False)))
        except StepFault as fault:
            return fault.code, taken
        taken += 1
    return None, taken


def test_wide_letters_count_for_what_they_take():
    wide = [f"{n}{chr(0x1F600) * 8000}" for n in range(100)]
    lists = ([f"{part}{name}" for name in wide] for part in range(10, 99))
    assert listed(lists) == ("oversized", 83)


def test_many_short_texts_count_too():
    lists = ([f"{part}{n}" for n in range(40_000)] for part in range(10, 99))
    assert listed(lists)[0] == "oversized"


def test_a_flood_is_cut_off():
    def flood():
        for part in range(200):
            yield parse(collected(*(f"{part}-{n}-{'x' * 8000}" for n in range(200)), last=False))

    fold = Fold()
    fold.add(parse(hello()))
    with pytest.raises(StepFault) as caught:
        all(fold.add(message) is None for message in flood())
    assert caught.value.code == "oversized"


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("candidate values secret", "candidate, with changed literals: collecting tests"),
        ("base values 1 mutant", "base, run 2, package with a planted fault: collecting tests"),
    ],
)
def test_whoever_watches_reads_plain_words(name, said):
    assert Fold(name).how_far == said


def test_whoever_watches_is_told_how_far_it_is():
    fold = Fold("base values")
    said = []
    for message in (hello(), collected("a", last=False), collected("b"), phase("a", "setup")):
        fold.add(parse(message))
        said.append(fold.how_far)
    assert said == [
        "base: collecting tests",
        "base: collecting tests",
        "base: 0 of 2, the first one",
        "base: 1 of 2, a",
    ]
