"""The whole line on the smallest library: results, exits, and what is left behind."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest

import truelap
from truelap import demo, model
from truelap.errors import UsageError
from truelap.policy import load_policy
from truelap.task import Task
from truelap.verify import line, verify
from truelap.world import procfs
from truelap.world.output import RESULT_FILES, Output

ALWAYS = {"verdict.json", "patch.diff", "patch_info.json", "events.jsonl", "report.txt"}


@pytest.fixture
def work(tmp_path) -> Path:
    folder = tmp_path / "work"
    folder.mkdir()
    return folder


@pytest.fixture
def settings(tmp_path, work) -> truelap.Settings:
    return truelap.Settings(
        python=Path(sys.executable), seed=5, effort="quick", out=tmp_path / "out", work=work
    )


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def test_the_line_is_what_the_design_says():
    stations = [station.name for station in line(truelap.verify)]
    assert stations == ["collect", "admit", "restore", "rebuild", "tests", "outputs", "time"]


def test_every_check_comes_after_what_it_needs():
    from truelap.checks import outputs, tests, timing

    order = [station.name for station in line(None)]
    for name, check in (("tests", tests), ("outputs", outputs), ("time", timing)):
        assert set(check.NEEDS) <= set(order[: order.index(name)])


def test_a_faster_patch_is_accepted_and_everything_is_written(tiny, settings, work, tmp_path):
    verdict = truelap.verify(tiny.folder, base="HEAD", patch=tmp_path / "faster.diff", settings=settings)
    assert (verdict.outcome, verdict.speed, verdict.failure_reason) == ("accepted", "faster", None), (
        verdict.findings
    )
    assert verdict.seed == 5
    found = names(settings.out)
    assert found >= ALWAYS | {
        "reward.json",
        "reward.txt",
        "tests.json",
        "timing.json",
        "test_edits.json",
        "ctrf.json",
    }
    assert found <= set(RESULT_FILES)
    assert json.loads((settings.out / "verdict.json").read_text()) == verdict.model_dump(mode="json")
    assert float((settings.out / "reward.txt").read_text()) == verdict.reward.value > 0
    assert names(work) == set()


def test_results_are_written_after_everything_is_dead(tiny, settings, work, tmp_path, monkeypatch):
    seen = {}
    written = Output.write

    def write(self, files):
        seen["work"], seen["children"] = names(work), procfs.descendants(os.getpid())
        written(self, files)

    monkeypatch.setattr(Output, "write", write)
    verify(tiny.folder, base="HEAD", patch=tmp_path / "wrong.diff", settings=settings, only="tests")
    assert seen["work"] == set()
    # A launcher that waits for the next plan may still be ending; it never held a byte of a tree.
    assert all(
        procfs.state(pid) in {"Z", ""} or b"launch" in Path(f"/proc/{pid}/cmdline").read_bytes()
        for pid in seen["children"]
    )


def test_a_wrong_patch_is_rejected(tiny, settings, tmp_path):
    # Tests alone ask for no benchmark.
    settings = settings.model_copy(update={"bench": "nothing"})
    verdict = verify(tiny.folder, base="HEAD", patch=tmp_path / "wrong.diff", settings=settings, only="tests")
    assert (verdict.outcome, verdict.failure_reason) == ("rejected", "tests_regressed")
    # One check alone is no result: nothing that a trainer could take for one.
    assert verdict.reward.value is None
    assert names(settings.out) & {"verdict.json", "reward.json", "reward.txt"} == set()
    assert "tests.json" in names(settings.out)


def test_a_refusal_runs_nothing(tiny, settings, tmp_path):
    tiny.write({"sitecustomize.py": "raise SystemExit"})
    verdict = verify(tiny.folder, base="HEAD", worktree=tiny.folder, settings=settings)
    assert (verdict.outcome, verdict.failure_reason) == ("refused", "no_patch")
    assert verdict.patch == {"submission_rejected": "tree_diff_refused"}
    ran = {station.name: station.status for station in verdict.stations}
    assert (ran["tests"], ran["time"]) == ("not_run", "not_run")
    assert "sitecustomize.py" in (settings.out / "tree_diff_refused.txt").read_text()


def test_an_older_result_does_not_outlive_a_new_run(tiny, settings, tmp_path):
    settings.out.mkdir()
    for name in ("verdict.json", "reward.txt", "tree_diff_refused.txt"):
        (settings.out / name).write_text("old")
    tiny.write({"tests/test_more.py": ""})
    verdict = verify(tiny.folder, base="HEAD", worktree=tiny.folder, settings=settings)
    assert (verdict.outcome, verdict.failure_reason) == ("rejected", "no_patch")
    assert "tree_diff_refused.txt" not in names(settings.out)
    assert (settings.out / "reward.txt").read_text() != "old"


def test_a_usage_error_leaves_an_older_result_alone(tiny, settings, tmp_path):
    settings.out.mkdir()
    (settings.out / "verdict.json").write_text("old")
    with pytest.raises(UsageError, match="nowhere"):
        verify(tiny.folder, base="nowhere", patch=tmp_path / "faster.diff", settings=settings)
    assert (settings.out / "verdict.json").read_text() == "old"


@pytest.mark.parametrize("chosen", ["bench", "include"])
def test_a_choice_that_holds_no_benchmark_is_told_before_any_test_runs(tiny, settings, tmp_path, chosen):
    words = []
    task = Task.model_validate({"benchmarks": {"include": ["nothing"]}}) if chosen == "include" else Task()
    settings = settings.model_copy(update={"bench": "nothing" if chosen == "bench" else None})
    with pytest.raises(UsageError, match=r"none of the 1 benchmark of base, for example bench\.time_total$"):
        verify(
            tiny.folder,
            base="HEAD",
            patch=tmp_path / "faster.diff",
            settings=settings,
            task=task,
            progress=words.append,
        )
    assert words[-1].startswith("listing the benchmarks of ")
    assert not any(word.startswith("tests: ") for word in words)


def test_a_fault_of_ours_is_inconclusive_and_pays_nothing(tiny, settings, tmp_path, monkeypatch):
    from truelap.checks import tests

    def gather(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(tests, "gather", gather)
    verdict = verify(tiny.folder, base="HEAD", patch=tmp_path / "faster.diff", settings=settings)
    assert verdict.outcome == "inconclusive"
    assert verdict.reward.value is None
    assert names(settings.out) >= ALWAYS
    assert names(settings.out) & {"reward.json", "reward.txt"} == set()
    assert {station.name: station.status for station in verdict.stations}["time"] == "not_run"


def test_the_task_file_may_name_the_base(tiny, settings, tmp_path):
    task = Task.model_validate({"task": {"base": "HEAD", "name": "mine"}})
    tiny.write({"tests/test_more.py": ""})
    verdict = verify(tiny.folder, worktree=tiny.folder, task=task, settings=settings)
    assert verdict.task["name"] == "mine"


@pytest.mark.parametrize(
    ("named", "said"),
    [
        ({"patch": Path("x")}, "no base is named"),
        (
            {"base": "HEAD", "base_dir": Path("x"), "patch": Path("x")},
            "--base and --base-dir each name a base",
        ),
        ({"base": "HEAD"}, "no submission is named"),
        ({"base": "HEAD", "head": "HEAD", "patch": Path("x")}, "--patch and --head each name a submission"),
    ],
)
def test_exactly_one_base_and_one_submission(tiny, settings, named, said):
    with pytest.raises(UsageError, match=said):
        verify(tiny.folder, settings=settings, **named)


def test_public_names_are_few_and_all_there():
    assert len(truelap.__all__) <= 12
    assert all(getattr(truelap, name) is not None for name in truelap.__all__)
    assert truelap.Verdict is model.Verdict
    assert truelap.load_policy is load_policy
    with pytest.raises(AttributeError):
        truelap.nothing_of_the_kind  # noqa: B018


@pytest.mark.parametrize("first", ["truelap", "truelap.verify", "truelap.demo"])
def test_verify_can_be_called_whatever_was_imported_first(first):
    import subprocess

    program = f"import {first}, truelap; assert callable(truelap.verify); import truelap.verify as v; v.verify; v.line"
    subprocess.run([sys.executable, "-c", program], check=True)
    assert demo.verify is verify


def test_a_build_command_may_lead_to_the_interpreter_from_the_repository(
    tiny, settings, tmp_path, monkeypatch
):
    monkeypatch.chdir("/")
    build = [[os.path.relpath(sys.executable, tiny.folder), "-c", "open('built.txt', 'w').write('x')"]]
    task = Task.model_validate({"environment": {"build": build}})
    patch = tmp_path / "wrong.diff"
    verdict = verify(tiny.folder, base="HEAD", patch=patch, task=task, settings=settings, only="outputs")
    assert verdict.failure_reason == "outputs_differ", verdict.findings
    assert {station.name: station.status for station in verdict.stations}["rebuild"] == "done"


def test_a_build_command_that_leads_out_of_the_tree_ends_the_run_before_it_begins(tiny, settings, tmp_path):
    task = Task.model_validate({"environment": {"build": [["../make.sh"]]}})
    words = []
    with pytest.raises(UsageError, match=r"\.\./make\.sh leads out of the tree's root"):
        verify(
            tiny.folder,
            base="HEAD",
            patch=tmp_path / "faster.diff",
            task=task,
            settings=settings,
            progress=words.append,
        )
    assert words == []


def test_a_faster_c_extension_is_built_and_accepted(make_repo, settings, work):
    repo = make_repo("compiled")
    source = """
#include <Python.h>
static PyObject *total(PyObject *self, PyObject *args) {
    volatile long sum = 0;
    for (long i = 0; i < 200000; i++) sum += 1;
    return PyLong_FromLong(sum);
}
static PyMethodDef methods[] = {{"total", total, METH_NOARGS, ""}, {0}};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "_c", "", -1, methods};
PyMODINIT_FUNC PyInit__c(void) { return PyModule_Create(&module); }
"""
    repo.commit(
        {
            "p/__init__.py": "from p._c import total\n",
            "p/_c.c": source,
            "setup.py": "from setuptools import Extension, setup\n"
            'setup(name="p", ext_modules=[Extension("p._c", ["p/_c.c"])])\n',
            "tests/test_p.py": "import pytest\nfrom p import total\n\n\n"
            "@pytest.mark.parametrize('n', range(3))\ndef test_total(n):\n    assert total() == 200000\n",
            "asv.conf.json": '{"version": 1, "project": "p", "benchmark_dir": "benchmarks"}\n',
            "benchmarks/__init__.py": "",
            "benchmarks/bench.py": "from p import total\n\n\ndef time_total():\n    total()\n",
        }
    )
    repo.write({"p/_c.c": source.replace("i++) sum += 1", "i += 8) sum += 8")})
    verdict = verify(repo.folder, base="HEAD", worktree=repo.folder, settings=settings)
    assert (verdict.outcome, verdict.speed) == ("accepted", "faster"), verdict.findings
    assert {station.name: station.status for station in verdict.stations}["rebuild"] == "done"
    assert "build_ext" in (settings.out / "rebuild.log").read_text()


def test_the_other_layout_is_written_beside_ours(tiny, settings, tmp_path):
    from truelap.peers.formulacode import write_layout

    verify(tiny.folder, base="HEAD", patch=tmp_path / "faster.diff", settings=settings, layout=write_layout)
    assert names(settings.out / "formulacode") >= {"reward.json", "test_results.json", "lsv"}
    assert (settings.out / "verdict.json").exists()


def test_data_that_a_helper_of_the_tests_reads_is_base_s(tiny, settings, tmp_path):
    tiny.commit(
        {
            "ci/expected.py": "from pathlib import Path\n"
            "WANTED = [int(n) for n in Path(__file__).with_name('wanted.txt').read_text().split()]\n",
            "ci/wanted.txt": "0 0 1 3",
            "tests/test_wanted.py": "import pytest\nfrom ci.expected import WANTED\nfrom tiny import total\n\n\n"
            "@pytest.mark.parametrize('n', range(4))\ndef test_wanted(n):\n    assert total(n) == WANTED[n]\n",
            "tests/test_total.py": "",
        }
    )
    tiny.write({"ci/wanted.txt": "0 0 0 0", "tiny/__init__.py": "def total(n):\n    return 0\n"})
    policy = load_policy().without(["values", "perturb", "canaries", "mutants"])
    judged = {"base": "HEAD", "worktree": tiny.folder, "settings": settings, "only": "tests"}
    verdict = verify(tiny.folder, policy=policy, **judged)
    assert [f.path for f in verdict.findings if f.code == "discarded:test_data"] == ["ci/wanted.txt"]
    assert verdict.failure_reason == "tests_regressed", verdict.findings
