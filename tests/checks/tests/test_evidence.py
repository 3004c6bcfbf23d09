"""The judge alone: what two sides' outcomes mean."""

import json

import pytest

from truelap.checks.tests.attest_judge import NO_VALUE
from truelap.checks.tests.evidence import TestsEvidence, judge
from truelap.checks.tests.messages import Plugin
from truelap.checks.tests.results import Fault, Node, Session
from truelap.checks.tests.selection import ALL
from truelap.checks.tests.sides import Side
from truelap.checks.tests.value_evidence import Ruled, SecretEvidence, ValueEvidence
from truelap.policy import load_policy

POLICY = load_policy()
IDS = ("a", "b", "c", "d")


def plugin(name="p", dist="", *, in_tree=False):
    return Plugin(name=name, dist=dist, in_tree=in_tree)


def side(outcomes=None, *, plugins=(), fault=None, **more):
    nodes = {
        name: Node(
            outcome=outcome, seconds=1.0, message="" if outcome == "passed" else f"{name} is {outcome}"
        )
        for name, outcome in {**dict.fromkeys(IDS, "passed"), **(outcomes or {})}.items()
        if outcome is not None
    }
    reason = Fault(code=fault, message="it ended", detail="x\ny", after="b") if fault else None
    session = Session(nodes=nodes, plugins=plugins, uncollected={}, warnings=1, fault=reason, seconds=2.0)
    return Side(sessions=(session,), **more)


def evidence(base, candidate, min_base_pass=3):
    return TestsEvidence(
        base=base,
        candidate=candidate,
        selection=ALL,
        config_file=None,
        min_base_pass=min_base_pass,
        pytest="9",
    )


def codes(found):
    return [(finding.code, finding.level) for finding in judge(found, POLICY)]


def test_the_same_on_both_sides_is_fine():
    assert codes(evidence(side(), side())) == []


@pytest.mark.parametrize(
    ("outcomes", "said"),
    [
        ({}, ("a", "t::b[2]", "t::c[9]")),
        ({"a": "failed", "t::b[1]": "missing"}, ("t::c[9]",)),
        ({"t::b[1]": "failed", "t::b[0]": "passed"}, ("a", "t::b[2]", "t::c[9]")),
    ],
)
def test_a_test_that_is_lost_already_is_not_accused_for_its_secret_values(outcomes, said):
    nodes = {**dict.fromkeys(("t::b[0]", "t::b[1]"), "passed")}
    lost = {**dict.fromkeys(nodes, outcomes.get("t::b[1]", "passed")), **outcomes}
    differs = dict.fromkeys(("a", "t::b[2]", "t::c[9]"), Ruled(status="differs"))
    found = evidence(side(nodes), side(lost)).model_copy(update={"secret": SecretEvidence(tests=differs)})
    assert found.perturbed == said
    assert ("tests:perturbed", "fail") in codes(found)


@pytest.mark.parametrize("outcome", ["failed", "error", "skipped", "xfailed", "xpassed", "missing", None])
def test_every_other_outcome_than_passed_is_a_regression(outcome):
    found = evidence(side(), side({"b": outcome}))
    assert found.regressed == ("b",)
    assert codes(found) == [("tests:regressed", "fail")]
    noted = [("tests:base_failing", "info")] if outcome in {"failed", "error"} else []
    assert codes(evidence(side({"b": outcome}), side({"b": outcome}))) == noted


@pytest.mark.parametrize(
    ("message", "told"),
    [
        ("m.py:6: in f\nE   TypeError: unhashable type", "m.py:7: no value: TypeError: unhashable type"),
        ("it hung", f"m.py:7: {NO_VALUE}"),
    ],
)
def test_what_was_raised_in_place_of_a_value_is_shown(message, told):
    mine = side({"b": "failed"})
    mine.sessions[0].nodes["b"] = Node(outcome="failed", seconds=1.0, message=message)
    values = ValueEvidence(tests={"b": Ruled(status="differs", why=f"m.py:7: {NO_VALUE}")})
    found = evidence(side(), mine).model_copy(update={"values": values})
    assert judge(found, POLICY)[0].message.endswith(f"b (failed; {told})")


def test_a_file_that_only_the_candidate_cannot_collect_is_told_with_its_reason():
    reasons = {"t/test_a.py": "E     File x\nE   SyntaxError: invalid syntax", "t/test_b.py": "E  other"}
    mine = side({"b": None})
    session = mine.sessions[0].model_copy(update={"uncollected": reasons})
    (found,) = judge(evidence(side(), Side(sessions=(session,))), POLICY)
    assert found.message == (
        "1 of 4 tests that pass at base do not: b (missing)"
        "; t/test_a.py cannot be collected (SyntaxError: invalid syntax)"
    )
    noted = judge(evidence(Side(sessions=(session,)), Side(sessions=(session,))), POLICY)
    assert {one.code for one in noted} == {"tests:base_uncollected"}


@pytest.mark.parametrize("passes", [0, 1, 2])
def test_too_few_passes_at_base_never_pass(passes):
    base = side(dict.fromkeys(IDS[passes:], "failed"))
    found = evidence(base, side() if passes else None)
    assert codes(found) == [("tests:too_few_base_passes", "inconclusive"), ("tests:base_failing", "info")]


def test_what_base_itself_does_not_deliver_is_named():
    failing = side({"d": "failed"}).sessions[0]
    reasons = {"t/test_gone.py": "Traceback\nModuleNotFoundError: No module named 'gone'", "...": "2 more"}
    session = failing.model_copy(update={"uncollected": reasons})
    base = Side(sessions=(session,))
    found = judge(evidence(base, base), POLICY)
    assert [(one.code, one.level, one.message) for one in found] == [
        (
            "tests:base_uncollected",
            "info",
            (
                "3 files of tests cannot be collected at base, so they are not judged: t/test_gone.py and 2 more"
                " (ModuleNotFoundError: No module named 'gone')"
            ),
        ),
        ("tests:base_failing", "info", "1 test fails at base, so it is not judged: d"),
    ]
    told = evidence(base, base).summary()
    assert (told["n_base_failing"], told["n_base_uncollected"]) == (1, 3)


def test_a_fault_of_base_is_no_fault_of_the_candidate():
    assert codes(evidence(side(fault="late"), None)) == [("tests:base_fault", "inconclusive")]
    assert codes(evidence(side(config_error="why"), None)) == [("tests:base_fault", "inconclusive")]


def test_a_fault_of_the_candidate_counts_even_when_every_test_had_passed():
    found = evidence(side(), side(fault="garbled"))
    assert found.regressed == ("session:garbled",)
    assert codes(found) == [("tests:session", "fail")]
    assert "it ended, last heard of b: y" in judge(found, POLICY)[0].message


@pytest.mark.parametrize(
    ("theirs", "named"),
    [
        (plugin(), []),
        (plugin("q"), ["plugin:q"]),
        (plugin(dist="other"), ["plugin:p"]),
        (plugin(in_tree=True), ["plugin:p"]),
    ],
)
def test_plugins_are_compared_by_name_origin_and_place(theirs, named):
    found = evidence(side(plugins=(plugin(), plugin("only at base"))), side(plugins=(theirs,)))
    assert list(found.regressed) == named
    assert codes(found) == [("tests:plugin", "fail")] * len(named)


@pytest.mark.parametrize("what", ["changed", "planted", "unreadable"])
def test_what_only_the_candidates_run_did_to_its_tree_is_tampering(what):
    mine = side(**{what: ("x", "tests/y.py")})
    found = evidence(side(**{what: ("x",)}), mine)
    assert [(f.code, f.path) for f in judge(found, POLICY)] == [("tamper:tree_changed", "tests/y.py")]
    assert codes(evidence(mine, mine)) == []


def test_the_artifact_holds_every_test_of_both_sides():
    found = evidence(
        side({"a": "failed"}), side({"b": None, "new": "passed", "c": "failed"}, plugins=(plugin("q"),))
    )
    table = found.artifacts()["tests.json"]
    json.dumps(table, allow_nan=False)
    assert {name: (row["base"], row["candidate"]) for name, row in table["tests"].items()} == {
        "a": ("failed", "passed"),
        "b": ("passed", "missing"),
        "c": ("passed", "failed"),
        "d": ("passed", "passed"),
        "new": ("missing", "passed"),
    }
    assert table["tests"]["c"]["message"] == "c is failed"
    assert table["tests"]["b"]["seconds"] == {"base": 1.0, "candidate": None}
    assert table["regressed"] == ["b", "c", "plugin:q"]
    assert table["n_base_pass"] == 3
    summary = found.summary()
    assert (summary["ran"], summary["n_selected"], summary["n_candidate_pass"], summary["n_regressed"]) == (
        True,
        4,
        3,
        3,
    )


def test_a_candidate_that_never_ran_has_no_outcomes():
    found = evidence(side(fault="late"), None)
    assert found.summary()["ran"] is False
    assert {row["candidate"] for row in found.artifacts()["tests.json"]["tests"].values()} == {None}


def test_messages_in_tests_json_are_long_enough_some_time():
    names = [f"t{n}" for n in range(30)]
    nodes = {name: Node(outcome="failed", seconds=1.0, message="x" * (1 << 20)) for name in names}
    session = Session(nodes=nodes, plugins=(), uncollected={}, warnings=0, fault=None, seconds=1.0)
    found = evidence(side(dict.fromkeys(names, "passed")), Side(sessions=(session,)))
    rows = found.artifacts()["tests.json"]["tests"]
    lengths = [len(rows[name]["message"]) for name in names]
    assert lengths[0] == 1 << 20
    assert "left out" in rows["t29"]["message"]
    assert sum(lengths) < (1 << 24) + 2000
