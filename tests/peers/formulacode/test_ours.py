"""Results of ours read back: believed as they stand, or inconclusive where their parts disagree."""

from __future__ import annotations

import json
from typing import Any, ClassVar

import pytest

from truelap.model import Base, Case, Evidence, Finding, Machine, Patch, StationRecord
from truelap.peers.formulacode import grade
from truelap.policy import load_policy
from truelap.report import files
from truelap.reward import with_reward
from truelap.verdict import decide, exit_code


class Timed(Evidence):
    section: ClassVar[str] = "timing"

    def summary(self) -> dict[str, Any]:
        return {"n_faster": 1, "n_slower": 0, "n_same": 1, "n_missing": 0, "speedup": 2.0}

    def artifacts(self) -> dict[str, Any]:
        return {
            "timing.json": {
                "benchmarks": {"b": {"decision": "faster", "log_ratio": 0.5}, "c": {"decision": "same"}}
            }
        }


@pytest.fixture
def result(tmp_path):
    """Write a result folder of ours and hand it over."""

    def make(*findings, **changed):
        case = Case(
            name="task",
            base=Base(given="HEAD", commit="a" * 40, tree="b" * 40),
            patch=Patch(sha256="f" * 64, applied=True, files=1),
            candidate_tree="c" * 40,
            findings=findings,
            evidence=(("time", Timed()),),
            stations=(StationRecord(name="time", status="done", seconds=1.0),),
        ).model_copy(update=changed)
        machine = Machine(system="Linux", cpu="x", cores=2, python="3.11.7", sandbox="bubblewrap")
        verdict = decide(
            case, load_policy(), seed=1, tool="truelap 0.1.0", machine=machine, required=("time",)
        )
        verdict = with_reward(verdict, case, load_policy())
        for name, content in files(verdict, case):
            (tmp_path / name).write_bytes(content)
        return tmp_path, verdict

    return make


def read(folder):
    return grade(folder, load_policy(), tool="truelap 0.1.0")


def edit(folder, **changed):
    path = folder / "verdict.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **changed}))


FAIL = Finding(code="tests:regressed", level="fail", message="why")
FAULT = Finding(code="station:time", level="inconclusive", message="noise")
UNKNOWN = Finding(code="weather:rain", level="fail", message="a kind of failure that truelap does not know")
REFUSED = Finding(code="refused:symlinks", level="fail", message="a link", path="x")


@pytest.mark.parametrize(
    ("findings", "code"),
    [
        ((), 0),
        ((FAIL,), 1),
        ((REFUSED,), 1),
        ((FAULT,), 3),
        ((FAIL, FAULT), 1),
        ((REFUSED, FAULT), 1),
        ((UNKNOWN,), 3),
    ],
)
def test_a_result_is_read_back_as_it_was_written(result, findings, code):
    folder, verdict = result(*findings)
    assert read(folder) == verdict
    assert exit_code(read(folder)) == code


def test_a_diff_that_does_not_apply_reads_back_too(result):
    folder, verdict = result(patch=Patch(sha256="0" * 64, applied=False, error="x.py:1"), evidence=())
    assert verdict.patch == {"submission_rejected": "tree_diff_failed"}
    assert read(folder) == verdict


@pytest.mark.parametrize(
    "changed",
    [
        {"outcome": "rejected"},
        {"outcome": "refused"},
        {"outcome": "inconclusive", "failure_reason": "not_measured"},
        {"failure_reason": "tamper"},
        {"speed": "slower"},
        {"timing": {}},
        {"stations": []},
        {"findings": [FAIL.model_dump()]},
        {"findings": [FAULT.model_dump()]},
        {"patch": {"submission_rejected": "tree_diff_failed"}},
        {"reward": {"value": 0.4, "scheme": "log-speedup", "reasons": []}},
        {"reward": {"value": None, "scheme": "log-speedup", "reasons": []}},
    ],
)
def test_an_accepted_result_that_contradicts_itself_is_inconclusive(result, changed):
    folder, _ = result()
    edit(folder, **changed)
    verdict = read(folder)
    assert (verdict.outcome, verdict.reward.value, exit_code(verdict)) == ("inconclusive", None, 3)
    assert verdict.findings[-1].code == "station:grade"


@pytest.mark.parametrize("outcome", ["accepted", "refused"])
def test_a_rejection_cannot_be_turned_into_something_else(result, outcome):
    folder, _ = result(FAIL)
    edit(folder, outcome=outcome, failure_reason=None if outcome == "accepted" else "no_patch")
    assert read(folder).outcome == "inconclusive"


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("reward.json", b'{"reward": 1e9}'),
        ("reward.json", b"{"),
        ("reward.json", b'{"reward": NaN}'),
        ("reward.json", None),
        ("reward.txt", b"9.0\n"),
        ("reward.txt", b"much\n"),
        ("reward.txt", None),
    ],
)
def test_a_reward_that_disagrees_is_no_reward(result, name, content):
    folder, _ = result()
    (folder / name).unlink()
    if content is not None:
        (folder / name).write_bytes(content)
    assert (read(folder).outcome, read(folder).reward.value) == ("inconclusive", None)


def test_an_inconclusive_result_may_not_carry_a_reward(result):
    folder, _ = result(FAULT)
    (folder / "reward.txt").write_text("6.0\n")
    assert read(folder).findings[-1].message == "reward.txt is there without a reward"


def test_an_inconclusive_verdict_may_not_hold_one_either(result):
    folder, _ = result(FAULT)
    edit(folder, reward={"value": 6.0, "scheme": "log-speedup", "reasons": []})
    verdict = read(folder)
    assert verdict.reward.value is None
    assert "verdict.json: a reward without an outcome" in [f.message for f in verdict.findings]


@pytest.mark.parametrize("name", ["timing.json", "patch_info.json", "reward-details.json"])
def test_a_result_without_what_it_was_made_from_is_inconclusive(result, name):
    folder, _ = result()
    (folder / name).unlink()
    verdict = read(folder)
    assert (verdict.outcome, verdict.reward.value, exit_code(verdict)) == ("inconclusive", None, 3)
    assert verdict.findings[-1].message == f"{name} is missing: the verdict was made from it"


@pytest.mark.parametrize("content", ["{}", "[]", '{"benchmarks": {"b": {"decision": "faster"}, "c": 1}}'])
def test_a_result_beside_another_ones_numbers_is_inconclusive(result, content):
    folder, _ = result()
    (folder / "timing.json").write_text(content)
    assert read(folder).findings[-1].message == "timing.json and verdict.json disagree"


@pytest.mark.parametrize("name", ["report.txt", "ctrf.json", "events.jsonl"])
def test_views_of_a_result_may_be_left_behind(result, name):
    folder, verdict = result()
    (folder / name).unlink(missing_ok=True)
    assert read(folder) == verdict


def test_a_refusal_never_had_what_nobody_measured(result):
    collected = StationRecord(name="collect", status="done", seconds=0.0)
    not_run = StationRecord(name="tests", status="not_run", seconds=0.0)
    folder, verdict = result(REFUSED, evidence=(), stations=(collected, not_run), refused=True)
    assert verdict.outcome == "refused"
    assert [f.message for f in read(folder).findings][1:] == [
        "patch.diff is missing: the verdict was made from it"
    ]
    (folder / "patch.diff").write_bytes(b"")
    assert read(folder) == verdict


def test_a_verdict_behind_a_link_is_not_read(result, tmp_path):
    folder, _ = result()
    (folder / "verdict.json").rename(folder / "elsewhere")
    (folder / "verdict.json").symlink_to("elsewhere")
    verdict = read(folder)
    assert (verdict.outcome, [f.code for f in verdict.findings]) == ("inconclusive", ["station:grade"])


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"[]",
        b'{"format": 2}',
        b'{"format": 1}',
        b'{"outcome": "accepted"}',
        b'{"seed": NaN}',
        b"\xff",
    ],
)
def test_what_is_not_a_verdict_is_inconclusive(result, content):
    folder, _ = result()
    (folder / "verdict.json").write_bytes(content)
    verdict = read(folder)
    assert (verdict.outcome, verdict.failure_reason) == ("inconclusive", "not_measured")
    assert "verdict.json" in verdict.findings[0].message


@pytest.mark.parametrize(
    "changed", [{"outcome": "great"}, {"more": 1}, {"seed": "1"}, {"seed": 1.5}, {"format": 2}]
)
def test_a_verdict_of_another_form_is_inconclusive(result, changed):
    folder, _ = result()
    edit(folder, **changed)
    assert read(folder).outcome == "inconclusive"


def test_a_key_that_stands_twice_is_not_believed(result):
    folder, _ = result(FAIL)
    path = folder / "verdict.json"
    path.write_text(path.read_text().rstrip().removesuffix("}") + ', "outcome": "accepted"}')
    assert read(folder).outcome == "inconclusive"


def test_a_result_that_is_not_finished_is_no_result(result):
    folder, _ = result()
    (folder / "verdict.json").unlink()
    assert read(folder).outcome == "inconclusive"
