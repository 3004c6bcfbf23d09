"""The beds of `make demo-real`, as far as they can be tried without downloading anything."""

from __future__ import annotations

import ast
import importlib.util
import sys
from pathlib import Path

import json5
import pytest

from truelap.task import load_task

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"


@pytest.fixture(scope="module")
def real():
    spec = importlib.util.spec_from_file_location("real", EXAMPLES / "real.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules["real"] = module
    spec.loader.exec_module(module)
    yield module
    del sys.modules["real"]


def benchmarks(suite: Path) -> set[str]:
    config = json5.loads((suite / "asv.conf.json").read_text())
    folder = suite / config["benchmark_dir"]
    assert (folder / "__init__.py").is_file()
    kinds = [kind for path in folder.glob("*.py") for kind in ast.parse(path.read_text()).body]
    return {
        f"{kind.name}.{part.name}"
        for kind in kinds
        if isinstance(kind, ast.ClassDef)
        for part in kind.body
        if isinstance(part, ast.FunctionDef) and part.name.startswith("time_")
    }


@pytest.mark.parametrize("name", ["networkx", "param"])
def test_each_suite_is_small_and_holds_what_is_expected_of_it(real, name):
    bed = next(bed for bed in real.BEDS if bed.name == name)
    found = benchmarks(EXAMPLES / f"{name}_suite")
    assert 6 <= len(found) <= 15
    assert set(bed.faster) <= found
    assert load_task(EXAMPLES / f"{name}.toml").benchmarks.config == "asv.conf.json"


def good(bed) -> tuple[dict, dict]:
    regressed = [f"tests/test_a.py::{part}" for part in bed.regressed]
    verdict = {
        "outcome": bed.outcome,
        "failure_reason": bed.failure_reason,
        "speed": bed.speed,
        "findings": [],
        "tests": {"n_base_pass": bed.tests, "regressed": regressed},
    }
    return verdict, {f"suite.{part}": {"speedup": least * 2} for part, least in bed.faster.items()}


def spoil(verdict: dict, timings: dict, how: str) -> None:
    if how == "tamper":
        verdict["findings"].append({"code": "tamper:tree_changed"})
    elif how == "one more regression":
        verdict["tests"]["regressed"].append("tests/test_a.py::test_other")
    elif how == "nothing tested":
        verdict["tests"] = {}
    elif how == "a benchmark is gone":
        timings.popitem()
    else:
        verdict[how] = "other"


HOWS = (
    "outcome",
    "failure_reason",
    "speed",
    "tamper",
    "one more regression",
    "nothing tested",
    "a benchmark is gone",
)


@pytest.mark.parametrize("name", ["networkx", "param"])
def test_what_is_expected_is_right(real, name):
    bed = next(bed for bed in real.BEDS if bed.name == name)
    assert all(line.right for line in real.judged(bed, *good(bed), seconds=10.0))
    assert not all(line.right for line in real.judged(bed, *good(bed), seconds=301.0))


@pytest.mark.parametrize("how", HOWS)
@pytest.mark.parametrize("name", ["networkx", "param"])
def test_anything_else_is_wrong(real, name, how):
    bed = next(bed for bed in real.BEDS if bed.name == name)
    verdict, timings = good(bed)
    spoil(verdict, timings, how)
    assert not all(line.right for line in real.judged(bed, verdict, timings, seconds=10.0))
