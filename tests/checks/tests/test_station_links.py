"""Tests that base has by links are judged like any other; a link that leads nowhere is nobody's fault."""

from pathlib import Path

import pytest

HONEST = "def double(x):\n    return x + x\n"
# Wrong, and pytest is made to say that it passes.
FORGED = """
def double(x):
    return 3 * x
import _pytest.python
_pytest.python.Function.runtest = lambda self: None
"""


@pytest.fixture(params=["file", "folder"])
def linked(project, request):
    tests = project.pop("tests/test_core.py")
    links = {
        "file": {"spec/core.py": tests, "tests/test_core.py": Path("../spec/core.py")},
        "folder": {"spec/test_core.py": tests, "tests": Path("spec"), "spec/pkg": Path("../pkg")},
    }
    return {
        **project,
        **links[request.param],
        "pyproject.toml": "[tool.pytest.ini_options]\ntestpaths = ['tests']\n",
        "docs/gone.py": Path("nowhere.py"),
    }


def test_an_honest_patch_agrees_in_every_value(lap, shipped, linked):
    found = lap({"pkg/core.py": HONEST}, base=linked, policy=shipped)
    assert found.findings == ()
    told = found.evidence.summary()["value_evidence"]
    assert (told["tests_with"], told["tests_passing"]) == (3, 3)


def test_a_forged_pass_is_a_regression(lap, shipped, linked):
    policy = shipped.without(["perturb", "canaries", "integrity", "mutants"])
    found = lap({"pkg/core.py": FORGED}, base=linked, policy=policy)
    assert found.codes == ["tests:regressed"]
    assert set(found.candidate.values()) == {"passed"}
    assert all(name.startswith("tests/test_core.py::") for name in found.regressed)
