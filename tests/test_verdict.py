from __future__ import annotations

from typing import Any, ClassVar

import pytest

from truelap.model import Base, Case, Evidence, Finding, Machine, Patch, StationRecord, Verdict
from truelap.policy import load_policy
from truelap.reasons import REASONS
from truelap.verdict import decide, exit_code

BASE, CANDIDATE = "b" * 40, "c" * 40
LINE = ("collect", "admit", "restore", "tests", "time")


class Measured(Evidence):
    section: ClassVar[str] = "tests"
    numbers: dict[str, Any]

    def summary(self) -> dict[str, Any]:
        return self.numbers


class Timed(Measured):
    section: ClassVar[str] = "timing"


TESTS = Measured(numbers={"ran": True, "n_base_pass": 30, "n_regressed": 0})
TIMING = Timed(numbers={"n_faster": 2, "n_slower": 0, "n_same": 3, "n_missing": 0, "speedup": 1.4})
PATCH = Patch(sha256="f" * 64, applied=True, tree=CANDIDATE, files=2, added_lines=7, removed_lines=3)


def whole(**changed):
    """A case that has come through every station without a fault."""
    case = Case(
        name="task",
        base=Base(given="HEAD", commit="a" * 40, tree=BASE),
        patch=PATCH,
        candidate_tree=CANDIDATE,
        evidence=(("tests", TESTS), ("time", TIMING)),
        stations=tuple(StationRecord(name=name, status="done", seconds=1.0) for name in LINE),
    )
    return case.model_copy(update=changed)


def policy(**judging):
    shipped = load_policy()
    return shipped.model_copy(update={"verdict": shipped.verdict.model_copy(update=judging)})


def judged(case, required=LINE, rules=None, sandbox="bubblewrap") -> Verdict:
    machine = Machine(system="Linux", cpu="x", cores=2, python="3.11.7", sandbox=sandbox)
    return decide(case, rules or policy(), seed=7, tool="truelap 0.1.0", machine=machine, required=required)


def finding(code, level="fail", path=None):
    return Finding(code=code, level=level, message="why", path=path)


def test_a_whole_line_without_a_fault_is_accepted():
    verdict = judged(whole(discarded=("tests/test_a.py",)))
    assert (verdict.outcome, verdict.failure_reason, verdict.speed) == ("accepted", None, "faster")
    assert verdict.patch == {"submission_rejected": None}
    assert verdict.tests["n_base_pass"] == 30
    assert verdict.timing["speedup"] == 1.4
    assert verdict.discarded == ("tests/test_a.py",)
    assert verdict.policy == {"name": "default", "digest": load_policy().digest}
    assert verdict.task == {"name": "task", "base": "a" * 40, "base_tree": BASE}
    assert (verdict.submission.sha256, verdict.submission.added_lines, verdict.seed) == ("f" * 64, 7, 7)
    assert verdict.reward.value is None


@pytest.mark.parametrize(("sandbox", "codes"), [("none", ["sandbox:none"]), ("landlock", [])])
def test_a_verdict_without_a_sandbox_says_so(sandbox, codes):
    assert [(f.code, f.level) for f in judged(whole(), sandbox=sandbox).findings] == [
        (code, "info") for code in codes
    ]


def test_the_base_of_a_folder_is_named_as_given():
    case = whole(base=Base(given="/pristine", commit=None, tree=BASE))
    assert judged(case).task["base"] == "/pristine"


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("no_patch", "no_patch"),
        ("tamper:tree_changed", "tamper"),
        ("rebuild_failed", "rebuild_failed"),
        ("tests:regressed", "tests_regressed"),
        ("tests:plugin", "tests_regressed"),
        ("outputs:differ", "outputs_differ"),
        ("benchmarks:missing", "benchmarks_missing"),
        ("time:own_input_only", "unearned_speedup"),
        ("benchmarks:regressed", "benchmarks_regressed"),
    ],
)
def test_each_failure_rejects_with_its_reason(code, reason):
    verdict = judged(whole(findings=(finding("discarded:x", "info"), finding(code))))
    assert (verdict.outcome, verdict.failure_reason) == ("rejected", reason)
    assert reason in REASONS


def test_the_first_reason_of_the_contract_counts_whatever_the_order_found():
    codes = ["benchmarks:regressed", "benchmarks:missing", "outputs:differ", "tests:regressed", "tamper:x"]
    for last in range(1, len(codes) + 1):
        verdict = judged(whole(findings=tuple(finding(code) for code in codes[:last])))
        expected = [
            "benchmarks_regressed",
            "benchmarks_missing",
            "outputs_differ",
            "tests_regressed",
            "tamper",
        ]
        assert verdict.failure_reason == expected[last - 1]


@pytest.mark.parametrize("code", ["tests:regressed", "discarded:protected", "time:disputed", "no_patch"])
def test_information_alone_changes_nothing(code):
    verdict = judged(whole(findings=(finding(code, "info"),)))
    assert (verdict.outcome, len(verdict.findings)) == ("accepted", 1)


def test_information_does_not_stand_for_a_failure():
    verdict = judged(whole(candidate_tree=BASE, findings=(finding("no_patch", "info"),)))
    assert (verdict.outcome, verdict.failure_reason) == ("rejected", "no_patch")


def test_without_a_submission_there_are_no_numbers_of_one():
    given = judged(whole(patch=None)).submission
    assert (given.sha256, given.files, given.added_lines, given.removed_lines) == ("", 0, 0, 0)


def test_a_failure_stands_beside_an_inconclusive_station():
    found = (finding("station:time", "inconclusive"), finding("tests:regressed"))
    assert judged(whole(findings=found)).outcome == "rejected"


def test_a_fault_of_ours_is_inconclusive_and_not_measured():
    verdict = judged(whole(findings=(finding("station:time", "inconclusive"),)))
    assert (verdict.outcome, verdict.failure_reason) == ("inconclusive", "not_measured")


def test_a_failure_of_unknown_kind_is_a_fault_of_ours():
    verdict = judged(whole(findings=(finding("weather:rain"),)))
    assert verdict.outcome == "inconclusive"
    assert verdict.findings[-1].code == "station:verdict"


def test_a_refusal_is_refused_and_named():
    refused = finding("refused:symlinks", path="pkg/x")
    case = whole(findings=(refused,), refused=True, candidate_tree=BASE, evidence=(), stations=())
    verdict = judged(case)
    assert (verdict.outcome, verdict.failure_reason, verdict.speed) == ("refused", "no_patch", "not_measured")
    assert verdict.patch == {"submission_rejected": "tree_diff_refused"}
    assert verdict.findings == (refused,)


def test_a_refusal_stands_above_everything():
    found = (finding("station:collect", "inconclusive"), finding("tamper:x"), finding("refused:modes"))
    assert judged(whole(findings=found)).outcome == "refused"


def test_a_diff_that_does_not_apply_is_refused_as_failed():
    patch = Patch(sha256="0" * 64, applied=False, error="patch does not apply: pkg/x.py:3")
    verdict = judged(whole(patch=patch, refused=True, candidate_tree=BASE, evidence=()))
    assert (verdict.outcome, verdict.failure_reason) == ("refused", "no_patch")
    assert verdict.patch == {"submission_rejected": "tree_diff_failed"}
    assert "pkg/x.py:3" in verdict.findings[-1].message


def test_a_broken_diff_with_hostile_paths_counts_as_refused():
    patch = Patch(sha256="0" * 64, applied=False, error="invalid path", claimed_paths=(b"/etc/x",))
    verdict = judged(whole(patch=patch, findings=(finding("refused:escaping_paths"),)))
    assert verdict.patch == {"submission_rejected": "tree_diff_refused"}


@pytest.mark.parametrize(
    "changed",
    [
        {"patch": Patch(sha256="0" * 64, applied=False)},
        {"patch": None},
        {"candidate_tree": BASE},
    ],
)
def test_a_submission_without_substance_is_rejected(changed):
    verdict = judged(whole(**changed))
    assert (verdict.outcome, verdict.failure_reason) == ("rejected", "no_patch")
    assert verdict.patch == {"submission_rejected": None}
    assert [f.code for f in verdict.findings] == ["no_patch"]


def test_no_patch_is_not_said_twice():
    assert len(judged(whole(candidate_tree=BASE, findings=(finding("no_patch"),))).findings) == 1


def test_another_station_does_not_stand_for_collect():
    stations = (StationRecord(name="tests", status="done", seconds=1.0),)
    assert judged(whole(patch=None, stations=stations)).outcome == "inconclusive"


def test_a_collect_that_failed_is_our_fault_and_not_an_empty_submission():
    case = whole(
        patch=None,
        candidate_tree=None,
        evidence=(),
        stations=(StationRecord(name="collect", status="failed", seconds=0.1),),
        findings=(finding("station:collect", "inconclusive"),),
    )
    assert judged(case).outcome == "inconclusive"


@pytest.mark.parametrize("name", LINE)
@pytest.mark.parametrize("status", ["failed", "skipped", "not_run", None])
def test_a_required_station_that_did_not_run_is_never_accepted(name, status):
    stations = [s for s in whole().stations if s.name != name]
    if status:
        stations.append(StationRecord(name=name, status=status, seconds=0.0))
    verdict = judged(whole(stations=tuple(stations)))
    assert (verdict.outcome, verdict.findings[-1].code) == ("inconclusive", f"station:{name}")


def test_a_station_that_is_not_required_may_be_missing():
    case = whole(evidence=(("tests", TESTS),), stations=whole().stations[:4])
    verdict = judged(case, required=LINE[:4])
    assert (verdict.outcome, verdict.speed, verdict.failure_reason) == ("accepted", "not_measured", None)


@pytest.mark.parametrize("required", [LINE, ()])
def test_an_empty_evidence_set_is_never_accepted(required):
    assert judged(whole(evidence=()), required=required).outcome == "inconclusive"


@pytest.mark.parametrize(
    "evidence",
    [
        (("tests", TESTS),),
        (("time", TIMING),),
        (("tests", Measured(numbers={"ran": False})), ("time", TIMING)),
        (("tests", Measured(numbers={})), ("time", TIMING)),
        (("tests", TESTS), ("time", Timed(numbers={}))),
        (("tests", TESTS), ("time", Timed(numbers={"n_faster": 0, "n_slower": 0, "n_same": 0}))),
        (("tests", TESTS), ("time", Timed(numbers={"n_faster": None, "n_invalid": 3}))),
    ],
)
def test_a_check_that_looked_at_nothing_is_never_accepted(evidence):
    verdict = judged(whole(evidence=evidence))
    assert (verdict.outcome, verdict.failure_reason) == ("inconclusive", "not_measured")


@pytest.mark.parametrize(
    ("counts", "speed"),
    [((1, 0, 9), "faster"), ((0, 1, 9), "slower"), ((1, 1, 9), "mixed"), ((0, 0, 9), "same")],
)
def test_speed_follows_the_counts(counts, speed):
    timing = Timed(numbers=dict(zip(("n_faster", "n_slower", "n_same"), counts, strict=True)))
    verdict = judged(whole(evidence=(("tests", TESTS), ("time", timing))))
    assert (verdict.outcome, verdict.speed) == ("accepted", speed)


def test_regressions_are_reported_or_rejected_as_the_policy_says():
    slower = Timed(numbers={"n_faster": 1, "n_slower": 2, "n_same": 0})
    case = whole(evidence=(("tests", TESTS), ("time", slower)))
    assert judged(case).outcome == "accepted"
    verdict = judged(case, rules=policy(regressions="reject"))
    assert (verdict.outcome, verdict.failure_reason, verdict.speed) == (
        "rejected",
        "benchmarks_regressed",
        "mixed",
    )
    both = judged(
        whole(evidence=case.evidence, findings=(finding("tests:regressed"),)),
        rules=policy(regressions="reject"),
    )
    assert [f.code for f in both.findings] == ["tests:regressed", "benchmarks:regressed"]
    reported = whole(evidence=case.evidence, findings=(finding("benchmarks:regressed", "info"),))
    assert judged(reported, rules=policy(regressions="reject")).outcome == "rejected"
    told = whole(evidence=case.evidence, findings=(finding("benchmarks:regressed"),))
    assert len(judged(told, rules=policy(regressions="reject")).findings) == 1


def test_without_a_slower_benchmark_there_is_nothing_to_reject():
    assert judged(whole(), rules=policy(regressions="reject")).outcome == "accepted"


@pytest.mark.parametrize(
    ("case", "code", "code_if_faster_required"),
    [
        (whole(), 0, 0),
        (whole(evidence=(("tests", TESTS), ("time", Timed(numbers={"n_same": 1})))), 0, 1),
        (whole(evidence=(("tests", TESTS), ("time", Timed(numbers={"n_faster": 1, "n_slower": 1})))), 0, 1),
        (whole(findings=(finding("tests:regressed"),)), 1, 1),
        (whole(findings=(finding("refused:symlinks"),)), 1, 1),
        (whole(findings=(finding("station:time", "inconclusive"),)), 3, 3),
    ],
)
def test_exit_codes(case, code, code_if_faster_required):
    assert exit_code(judged(case)) == code
    assert exit_code(judged(case), require="faster") == code_if_faster_required
