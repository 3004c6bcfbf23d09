from __future__ import annotations

import json
import math
from typing import Any, ClassVar

import pytest

from truelap.errors import WorldError
from truelap.model import Base, Case, Evidence, Finding, Machine, Patch, StationRecord, Verdict
from truelap.policy import load_policy
from truelap.report import files, finite, json_bytes, render_text, reward_numbers, visible
from truelap.reward import with_reward
from truelap.verdict import decide

ROW = {"base": "passed", "seconds": {"base": 0.5, "candidate": 0.25}, "message": ""}


class Files(Evidence):
    section: ClassVar[str] = ""
    content: dict[str, Any]

    def artifacts(self) -> dict[str, Any]:
        return self.content


class Tests(Files):
    __test__ = False
    section: ClassVar[str] = "tests"

    def summary(self) -> dict[str, Any]:
        regressed = self.content["tests.json"]["regressed"]
        counts = {"n_base_pass": 4, "n_regressed": len(regressed)}
        return {"ran": True, "strategy": "mapped", "regressed": regressed, **counts}


class Timed(Files):
    section: ClassVar[str] = "timing"

    def summary(self) -> dict[str, Any]:
        return {
            "n_faster": 1,
            "n_slower": 0,
            "n_same": 1,
            "n_missing": 0,
            "n_invalid": 0,
            "speedup": math.sqrt(2),
        }


TIMING = Timed(
    content={
        "timing.json": {
            "benchmarks": {
                "b.time_a": {"decision": "faster", "log_ratio": math.log(2), "interval": [0.1, math.inf]},
                "b.time_b": {"decision": "same", "log_ratio": 0.01},
            }
        }
    }
)


def outcomes_of(regressed, **rows):
    return Tests(content={"tests.json": {"tests": rows, "regressed": list(regressed)}})


def made(*, findings=(), evidence=None, policy=None, **changed) -> tuple[Verdict, Case]:
    policy = policy or load_policy()
    case = Case(
        name="task",
        base=Base(given="HEAD", commit="a" * 40, tree="b" * 40),
        patch=Patch(sha256="f" * 64, applied=True, files=2, added_lines=7, removed_lines=3),
        candidate_tree="c" * 40,
        findings=tuple(findings),
        evidence=(("tests", outcomes_of(())), ("time", TIMING)) if evidence is None else evidence,
        stations=(StationRecord(name="tests", status="done", seconds=1.0),),
    ).model_copy(update=changed)
    machine = Machine(system="Linux", cpu="x", cores=2, python="3.11.7", sandbox="bubblewrap")
    verdict = decide(case, policy, seed=1, tool="truelap 0.1.0", machine=machine, required=("tests",))
    return with_reward(verdict, case, policy), case


def written(**given) -> dict[str, bytes]:
    return dict(files(*made(**given)))


def strict(content: bytes) -> Any:
    def refuse(text):
        raise AssertionError(text)

    return json.loads(content, parse_constant=refuse)


def test_verdict_comes_last_and_reads_back():
    verdict, case = made()
    names = [name for name, _ in files(verdict, case)]
    assert names[-1] == "verdict.json"
    assert Verdict.model_validate_json(dict(files(verdict, case))["verdict.json"]) == verdict


def test_an_accepted_patch_has_every_file():
    found = written()
    assert set(found) == {
        *("patch_info.json", "tests.json", "timing.json", "ctrf.json", "report.txt"),
        *("reward.json", "reward.txt", "reward-details.json", "verdict.json"),
    }
    assert strict(found["patch_info.json"]) == {
        "applied": True,
        "files": 2,
        "added_lines": 7,
        "removed_lines": 3,
    }


def test_reward_json_is_flat_and_holds_the_keys_of_the_contract():
    numbers = strict(written()["reward.json"])
    assert list(numbers) == [
        *(
            "reward",
            "speedup",
            "n_faster",
            "n_slower",
            "n_same",
            "n_missing",
            "n_regressed_tests",
            "n_output_differences",
        )
    ]
    assert all(type(value) in (int, float) and math.isfinite(value) for value in numbers.values())
    assert numbers["reward"] == pytest.approx(math.log(2) / 2)
    assert numbers["speedup"] == pytest.approx(math.sqrt(2))


def test_reward_txt_is_the_same_number():
    found = written()
    assert float(found["reward.txt"]) == strict(found["reward.json"])["reward"]


def test_inconclusive_has_no_reward_file_at_all():
    found = written(findings=[Finding(code="station:time", level="inconclusive", message="noise")])
    assert not {"reward.json", "reward.txt", "reward-details.json"} & set(found)
    assert strict(found["verdict.json"])["reward"]["value"] is None
    assert found["report.txt"].decode().startswith("INCONCLUSIVE: noise\n")


def test_no_number_means_no_reward_file():
    shipped = load_policy()
    policy = shipped.model_copy(update={"reward": shipped.reward.model_copy(update={"scheme": "advantage"})})
    verdict, case = made(policy=policy)
    assert verdict.outcome == "accepted"
    assert "reward.json" not in dict(files(verdict, case))
    with pytest.raises(WorldError, match=r"no reward\.json"):
        reward_numbers(verdict)


def test_a_refusal_has_its_two_files():
    refused = [
        Finding(code="refused:symlinks", level="fail", message="a symbolic link", path="pkg/a\nb"),
        Finding(code="discarded:startup_files", level="info", message="kept", path="x.pth"),
    ]
    found = written(findings=refused, refused=True, candidate_tree="b" * 40, evidence=())
    assert found["agent_tree.txt"] == b"tree_diff_refused\n"
    assert found["tree_diff_refused.txt"] == b"pkg/a\\nb\trefused:symlinks\ta symbolic link\n"
    assert strict(found["reward.json"])["reward"] == -1.0
    assert strict(found["reward.json"])["speedup"] == 1.0
    assert "ctrf.json" not in found


def test_a_diff_that_does_not_apply_has_them_too():
    patch = Patch(sha256="f" * 64, applied=False, error="does not apply: x.py:1")
    found = written(patch=patch, evidence=())
    assert found["agent_tree.txt"] == b"tree_diff_failed\n"
    assert b"does not apply: x.py:1" in found["tree_diff_refused.txt"]
    assert strict(found["patch_info.json"])["applied"] is False


def test_an_accepted_patch_has_neither():
    assert not {"agent_tree.txt", "tree_diff_refused.txt"} & set(written())


def test_evidence_fills_files_of_any_kind():
    kinds = {
        "patch.diff": b"\xff\x00",
        "rebuild.log": "built \udcff",
        "protected_restore.json": {"ran": True},
    }
    found = written(evidence=(("collect", Files(content=kinds)),))
    assert found["patch.diff"] == b"\xff\x00"
    assert found["rebuild.log"] == b"built \\udcff"
    assert strict(found["protected_restore.json"]) == {"ran": True}


@pytest.mark.parametrize("name", ["verdict.json", "reward.json", "../x", "a/b", ".hidden"])
def test_evidence_may_not_write_what_is_not_its_own(name):
    with pytest.raises(WorldError, match="may not write"):
        written(evidence=(("collect", Files(content={name: {}})),))


def test_numbers_that_json_cannot_hold_become_null():
    assert strict(written()["timing.json"])["benchmarks"]["b.time_a"]["interval"] == [0.1, None]
    assert finite((math.nan, {1: -math.inf})) == [None, {"1": None}]
    assert json_bytes({"a": "\u202e"}) == b'{\n  "a": "\\u202e"\n}\n'


def test_ctrf_counts_what_it_lists():
    outcomes = ("passed", "failed", "skipped", "xpassed", "missing", None)
    rows = {f"t.py::test_{i}": {**ROW, "candidate": outcome} for i, outcome in enumerate(outcomes)}
    rows["t.py::test_broken"] = {**ROW, "base": "failed", "candidate": "failed"}
    rows["t.py::test_regressed"] = {**ROW, "candidate": "skipped", "message": "no"}
    report = strict(
        written(evidence=(("tests", outcomes_of(["t.py::test_regressed"], **rows)),))["ctrf.json"]
    )
    listed = report["results"]["tests"]
    assert [row["status"] for row in listed] == [
        "passed",
        "failed",
        "skipped",
        "other",
        "failed",
        "pending",
        "other",
        "failed",
    ]
    assert (report["reportFormat"], listed[0]["duration"], listed[-1]["message"]) == ("CTRF", 250, "no")
    summary = report["results"]["summary"]
    assert (
        summary["tests"]
        == len(listed)
        == sum(summary[k] for k in ("passed", "failed", "skipped", "pending", "other"))
    )
    assert summary["stop"] - summary["start"] == 250 * len(listed)


def test_ctrf_has_a_message_for_failures_alone_and_a_duration_always():
    rows = {
        "skipped": {**ROW, "candidate": "skipped", "base": "skipped", "message": "not here", "seconds": 1.5},
        "failed": {**ROW, "candidate": "failed", "seconds": {"base": 0.5, "candidate": None}},
    }
    skipped, failed = strict(written(evidence=(("tests", outcomes_of((), **rows)),))["ctrf.json"])["results"][
        "tests"
    ]
    assert ("message" in skipped, skipped["duration"]) == (False, 1500)
    assert ("message" in failed, failed["duration"], failed["status"]) == (False, 0, "failed")


def test_details_show_the_gates_in_rewardkits_shape():
    found = strict(
        written(findings=[Finding(code="tests:regressed", level="fail", message="two")])[
            "reward-details.json"
        ]
    )
    assert (found["reward"]["score"], found["reward"]["kind"], found["reward"]["warnings"]) == (
        -1.0,
        "programmatic",
        [],
    )
    gates = {gate["name"]: gate for gate in found["reward"]["criteria"]}
    assert [gate["value"] for gate in gates.values()] == [1.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0]
    assert [gate["reasoning"] for gate in gates.values()] == ["", "", "", "two", "", "", "", ""]
    assert [gate["raw"] for gate in gates.values()] == [True] * 3 + [False] * 5
    assert {gate["weight"] for gate in gates.values()} == {1.0}
    assert gates["outputs"]["error"] == "not decided: tests_regressed"
    assert set(gates["tests"]) == {"name", "value", "raw", "weight", "description", "reasoning", "error"}
    accepted = strict(written()["reward-details.json"])["reward"]["criteria"]
    assert all(gate["value"] == 1.0 and gate["error"] is None for gate in accepted)


def test_the_text_is_readable_at_a_glance():
    text = render_text(made(discarded=("a", "b"))[0])
    assert text.splitlines() == [
        "ACCEPTED  faster x1.414 (geometric mean)",
        f"  task      task, base {'a' * 40}",
        "  python    3.11.7",
        "  patch     2 files, +7 -3; put back to base: 2",
        "  tests     4 of 4 pass again (chosen: those of the changed files)",
        "  timing    1 faster, 0 slower, 1 same, 0 missing, 0 not timed",
        "  reward    0.3466 (log-speedup: mean of ln(speed-up) over 2 benchmarks, 1 of",
        "            them changed)",
    ]


@pytest.mark.parametrize("check", [None, "tests"])
@pytest.mark.parametrize("findings", [(), (Finding(code="station:time", level="inconclusive", message="x"),)])
def test_the_first_line_says_that_there_was_no_sandbox(check, findings):
    verdict = made(findings=findings)[0]
    bare = verdict.model_copy(update={"machine": verdict.machine.model_copy(update={"sandbox": "none"})})
    assert "[NO SANDBOX]" in render_text(bare, check).splitlines()[0]
    assert "[NO SANDBOX]" not in render_text(verdict, check)


@pytest.mark.parametrize(
    ("files", "failing", "said"),
    [
        (0, 0, ""),
        (1, 0, "; 1 file cannot be collected at base: not judged"),
        (0, 2, "; 2 tests fail at base: not judged"),
        (1, 1, "; 1 file cannot be collected and 1 test fails at base: not judged"),
    ],
)
def test_what_base_leaves_unasked_is_counted(files, failing, said):
    tests = {"ran": True, "n_base_pass": 7, "n_base_uncollected": files, "n_base_failing": failing}
    verdict = made()[0].model_copy(update={"tests": tests})
    assert f"  tests     7 of 7 pass again{said}" in " ".join(render_text(verdict).split("\n            "))
    assert f"  tests     7 of 7 pass again{said}" in " ".join(
        render_text(verdict, "tests").split("\n            ")
    )


@pytest.mark.parametrize(
    ("without", "said"),
    [
        ([], "are judged by what they compare, by 3 of 4 assertions reached timing"),
        (["t.py::a", "t.py::b"], "reached; taken at pytest's word: t.py::a, t.py::b timing"),
        (
            [f"t.py::{n}" for n in "abcdef"],
            ": t.py::a, t.py::b, t.py::c, t.py::d, t.py::e and 1 more, see tests.json",
        ),
    ],
)
def test_tests_without_values_are_named(without, said):
    told = {"tests_passing": 9, "tests_with": 9 - len(without), "share": 0.5, "without": without}
    tests = {"ran": True, "n_base_pass": 9, "n_regressed": 2, "regressed": ["t.py::x", "t.py::y"]}
    told |= {"assertions": 4, "assertions_with": 3}
    verdict = made()[0].model_copy(update={"tests": tests | {"value_evidence": told}})
    text = " ".join(render_text(verdict).split())
    assert f"7 of 9 pass again values {9 - len(without)} of 9 tests that pass at base (50%)" in text
    assert said in text


def test_what_was_tried_in_secret_is_told_and_nothing_where_nothing_was():
    tests = {
        "ran": True,
        "n_base_pass": 6,
        "perturbed": {"tests": 6, "tests_changed": 5},
        "canaries": {"ran": 3, "passed": ["t.py::a"]},
        "mutants": {"ran": 2, "killed": 1, "survived": []},
    }
    told = made()[0].model_copy(update={"tests": tests})
    said = (
        "secret other literals in 5 of 6 tests; canaries: 3 ran, 1 passed; mutants: 2 ran, 1 made a test fail"
    )
    assert said in " ".join(render_text(told, "tests").split())
    off = told.model_copy(update={"tests": tests | {key: {} for key in ("perturbed", "canaries", "mutants")}})
    assert "secret" not in render_text(off, "tests")


def test_modules_that_base_cannot_import_are_counted():
    timing = {"n_same": 1, "n_failed_modules": 1}
    said = "1 module of the suite cannot be imported at base: its benchmarks are not timed"
    verdict = made()[0].model_copy(update={"timing": timing})
    assert said in " ".join(render_text(verdict).split())
    assert said in " ".join(render_text(verdict, "time").split())
    assert "imported" not in render_text(made()[0])


def row(name, decision, base=None, candidate=None, **more) -> dict[str, Any]:
    ratio = None if base is None else base / candidate
    return {
        "id": name,
        "decision": decision,
        "base_s": base,
        "candidate_s": candidate,
        "speedup": ratio,
        **more,
    }


class Listed(Timed):
    def summary(self) -> dict[str, Any]:
        return {**super().summary(), **self.content["summary"]}

    def artifacts(self) -> dict[str, Any]:
        return {"timing.json": {"benchmarks": {}}}


def told(rows, **counts) -> list[str]:
    evidence = (("time", Listed(content={"summary": {"benchmarks": rows, **counts}})),)
    return render_text(made(evidence=evidence)[0]).splitlines()


def test_benchmarks_are_a_table_of_80_columns_with_what_is_left_out_counted():
    name = f"benchmarks.{'very_' * 20}long_name-3"
    rows = [
        row("b.time_gone", "missing", reason=f"it raised {'x' * 90}"),
        row("b.time_slow", "slower", 0.002, 0.004),
        row(name, "faster", 12.34567, 0.5),
        row("b.time_b-0", "same", 1e-7, 1e-7, params=["10", "'x'"]),
        row("b.mem_b", "invalid", reason="not timed: benchmarks of kind mem are not measured yet"),
        row("b.track_b", "invalid", reason="not timed: benchmarks of kind track are not measured yet"),
    ]
    rows[2]["params"] = ["1" * 50]
    rows.insert(3, row("b.Time.time_long", "same", 1e-7, 1e-7, params=["10", "x" * 50]))
    counts = {"n_faster": 8, "n_slower": 1, "n_same": 10, "n_missing": 1, "n_invalid": 2}
    lines = told(rows, **counts)
    start = next(n for n, line in enumerate(lines) if line.endswith("benchmark"))
    table = lines[start:]
    assert table[0] == "               base  candidate  speed-up  benchmark"
    assert table[1].startswith("  missing   b.time_gone: it raised xxx")
    assert table[1].endswith("xxx...")
    assert table[2] == "  slower    2.00 ms    4.00 ms     x0.50  b.time_slow"
    assert table[3] == "  faster     12.3 s     500 ms    x24.69"
    assert table[4].startswith(f"{'':12}...ery_")
    assert table[4].endswith("_very_long_name-3")
    assert table[5] == "  same       100 ns     100 ns     x1.00  b.Time.time_long (10, xxxxxxxxxxxx...)"
    assert table[6] == "  same       100 ns     100 ns     x1.00  b.time_b-0 (10, 'x')"
    assert table[7] == "  untimed   2 benchmarks of kind mem, track: not measured yet"
    assert table[8:] == ["  and 15 more in timing.json"]
    assert max(map(len, table)) == 80
    evidence = (("time", Listed(content={"summary": {"benchmarks": rows, **counts}})),)
    report = written(evidence=evidence)["report.txt"].decode()
    assert f"  x24.69  {name} ({'1' * 50})\n" in report
    assert f"b.Time.time_long (10, {'x' * 50})\n" in report


def test_what_is_no_time_is_told_where_it_changed():
    values = [
        {"id": "b.mem_a", "decision": "higher", "base": [1e6], "candidate": [2e6], "unit": "bytes"},
        {"id": "b.track_a", "decision": "same", "base": [1], "candidate": [1], "unit": "unit"},
        {"id": "b.track_\x1b", "decision": "missing", "reason": "gone"},
    ]
    lines = told([row("b.time_a", "same", 1e-7, 1e-7)], n_same=1, n_values=3, values=[*values, "x"])
    assert "  numbers   1 higher, 2 same (memory and other values that are no times)" in lines
    assert lines[-2] == "  higher    b.mem_a: 1e+06 became 2e+06 bytes"
    assert lines[-1].startswith("  missing   b.track_")
    assert lines[-1].endswith(": gone")
    assert "\x1b" not in lines[-1]


@pytest.mark.parametrize("rows", [None, [], "x", [3], [{}], [{"id": "\x1b[2J", "speedup": "x"}]])
def test_a_table_of_a_folder_that_others_wrote_is_borne_with(rows):
    assert "\x1b" not in "".join(told(rows))


def test_whose_interpreter_ran_is_told():
    verdict, _ = made()
    assert "  python    3.11.7\n" in render_text(verdict)
    own = verdict.machine.model_copy(update={"details": {"own_interpreter": True}})
    told = render_text(verdict.model_copy(update={"machine": own}))
    assert "  python    3.11.7, truelap's own; --python names another\n" in told


def test_tests_that_regressed_are_named_and_those_left_out_counted():
    names = [f"tests/test_a.py::test_{n}" for n in range(12)]
    tests = outcomes_of([*names, "plugin:evil"], **{name: {**ROW, "candidate": "failed"} for name in names})
    lines = render_text(made(evidence=(("tests", tests),))[0]).splitlines()
    start = lines.index("  tests that pass at base and not with the patch:")
    assert lines[start + 1 : start + 11] == [f"    {name}" for name in names[:10]]
    assert lines[start + 11] == "    and 2 more in tests.json"


def test_a_test_that_a_finding_names_is_not_listed_again():
    names = ["t.py::test_a", "t.py::test_ab"]
    tests = outcomes_of(names, **{name: {**ROW, "candidate": "failed"} for name in names})
    told = Finding(code="tests:regressed", level="fail", message="2 do not: t.py::test_ab (failed)")
    lines = render_text(made(findings=[told], evidence=(("tests", tests),))[0]).splitlines()
    assert lines[-2:] == ["  more tests that pass at base and not with the patch:", "    t.py::test_a"]


@pytest.mark.parametrize(
    ("regressed", "findings", "said"),
    [
        ((), (), "tests: 4 of 4 pass again"),
        (
            ("a::b", "plugin:x"),
            (Finding(code="tests:regressed", level="fail", message="one"),),
            "tests: 3 of 4 pass again; 1 check of the judge's own failed: tests_regressed",
        ),
        (
            (),
            (Finding(code="tests:few", level="inconclusive", message="one"),),
            "tests: nothing can be said (4 of 4 pass again)",
        ),
    ],
)
def test_one_check_says_what_it_found_and_claims_no_outcome(regressed, findings, said):
    evidence = (("tests", outcomes_of(regressed)),)
    text = render_text(made(findings=findings, evidence=evidence)[0], "tests")
    assert text.splitlines()[0] == said
    assert text.splitlines()[-1] == "One check alone is no verdict; `truelap verify` gives one."
    assert not any(word in text for word in ("ACCEPTED", "REJECTED", "INCONCLUSIVE", "reward"))


def test_the_time_check_counts_and_a_refusal_is_not_run():
    assert (
        render_text(made()[0], "time").splitlines()[0]
        == "time: 1 faster, 0 slower, 1 same, 0 missing, x1.414 (geometric mean)"
    )
    refused = [Finding(code="refused:modes", level="fail", message="odd")]
    text = render_text(made(findings=refused, refused=True, evidence=())[0], "time")
    assert text.splitlines()[0] == "time: not run: no_patch (refused:modes)"


def test_paths_of_which_the_same_is_said_share_a_line():
    same = [Finding(code="discarded:x", level="info", message="is ours", path=f"p{n}") for n in range(7)]
    lines = render_text(made(findings=same)[0]).splitlines()
    assert lines[-1] == "  info         discarded:x p0, p1, p2, p3, p4 and 2 more: is ours"


def test_the_text_of_a_refusal_says_nothing_about_what_was_not_measured():
    refused = Finding(code="refused:modes", level="fail", message="odd")
    text = render_text(made(findings=[refused], refused=True, candidate_tree="b" * 40, evidence=())[0])
    assert text.splitlines() == [
        "REFUSED: no_patch (refused:modes)",
        f"  task      task, base {'a' * 40}",
        "  patch     2 files, +7 -3",
        "  reward    -1.0000 (log-speedup: refused: no_patch)",
        "  fail         refused:modes odd",
    ]


def test_the_headline_names_what_is_behind_the_reason():
    broken = made(patch=Patch(sha256="f" * 64, applied=False, error="x.py:1"), evidence=())[0]
    assert render_text(broken).startswith("REFUSED: no_patch (tree_diff_failed)\n")
    lost = Finding(code="tests:regressed", level="fail", message="two")
    other = Finding(code="tests:perturbed", level="fail", message="one")
    assert render_text(made(findings=[other])[0]).startswith("REJECTED: tests_regressed (tests:perturbed)\n")
    assert render_text(made(findings=[other, lost])[0]).startswith("REJECTED: tests_regressed\n")


def test_a_speed_that_is_not_credited_stands_in_no_first_line():
    fail = Finding(code="tamper:x", level="fail", message="bad")
    doubt = Finding(code="station:x", level="inconclusive", message="gave up")
    for finding, first in ((fail, "REJECTED: tamper (tamper:x)"), (doubt, "INCONCLUSIVE: gave up")):
        lines = render_text(made(findings=[finding])[0]).splitlines()
        assert lines[0] == first
        told = " ".join(line.strip() for line in lines[1:])
        assert "0 not timed; measured x1.414 (geometric mean), not credited" in told
    assert "not credited" not in render_text(made()[0])
    assert "not credited" not in render_text(made(findings=[fail])[0], "time")


def test_what_cannot_be_said_is_explained_and_claims_no_speed():
    doubts = [
        Finding(code="station:x", level="inconclusive", message=f"\x1b{'the station gave up ' * 6}{n}")
        for n in "12"
    ]
    lines = render_text(made(findings=doubts)[0]).splitlines()
    assert lines[0].startswith("INCONCLUSIVE: \\x1bthe station gave up the")
    assert lines[1] == f"  {'the station gave up ' * 3}1"
    assert "not_measured" not in lines[0] + lines[1]
    assert "faster" not in lines[0] + lines[1]


def test_the_text_of_exactly_as_many_findings_as_are_shown_has_no_rest():
    infos = [Finding(code="discarded:x", level="info", message=f"{i}") for i in range(20)]
    assert render_text(made(findings=infos)[0]).splitlines()[-1].endswith("19")


def test_the_text_lists_failures_first_and_not_without_end():
    infos = [Finding(code="discarded:x", level="info", message=f"{i}") for i in range(30)]
    text = render_text(
        made(findings=[*infos, Finding(code="tamper:x", level="fail", message="bad", path="p")])[0]
    )
    lines = text.splitlines()
    assert lines[0].startswith("REJECTED: tamper (tamper:x)")
    assert [line for line in lines if line.startswith("  fail")] == ["  fail         tamper:x p: bad"]
    assert next(line for line in lines if line[2:6] in {"fail", "info"}).startswith("  fail")
    assert lines[-1] == "  and 11 more in verdict.json"


def test_no_control_character_of_a_submission_reaches_the_terminal():
    hostile = "x\x1b[2J\r\n\u202e\x9b\udcff"
    text = render_text(
        made(name=hostile, findings=[Finding(code="tests:x", level="fail", message=hostile, path=hostile)])[0]
    )
    assert not {"\x1b", "\r", "\u202e", "\x9b", "\udcff"} & set(text)
    assert visible("é ok") == "é ok"
