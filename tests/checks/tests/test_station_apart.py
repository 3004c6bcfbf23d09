"""Test files run apart: what one leaves behind in the process helps no other."""

import pytest

CORE = "def start():\n    return 1\n\n\ndef double(x):\n    return 2 * x\n"
FIRST = "from core import start\n\n\n" + "".join(
    f"def test_{n}():\n    assert start() == 1\n\n\n" for n in "abc"
)
SECOND = "from core import double\n\n\n" + "".join(
    f"def test_{n}():\n    assert double({n}) == {2 * n}\n\n\n" for n in (1, 2, 3)
)
BASE = {"core.py": CORE, "test_a.py": FIRST, "test_b.py": SECOND}
# Right only after the other file's tests have run.
LEANING = """_ready = []


def start():
    _ready.append(1)
    return 1


def double(x):
    return 2 * x if _ready else 3 * x
"""
HONEST = "_known = {}\n\n\ndef start():\n    return 1\n\n\ndef double(x):\n    return _known.setdefault(x, x + x)\n"


@pytest.fixture
def apart(shipped):
    """Every file takes long enough for a process of its own."""
    return shipped.model_copy(update={"tests": shipped.tests.model_copy(update={"group_s": 1e-6})})


def test_a_function_that_leans_on_another_files_tests_is_found_out(lap, apart):
    found = lap({"core.py": LEANING}, base=BASE, policy=apart)
    assert found.regressed == [f"test_b.py::test_{n}" for n in (1, 2, 3)]


def test_without_the_defence_it_passes(lap, apart):
    policy = apart.without(["fresh_process", "perturb", "canaries", "mutants"])
    assert lap({"core.py": LEANING}, base=BASE, policy=policy).findings == ()


def test_a_memo_that_nothing_leans_on_is_fine(lap, apart):
    assert lap({"core.py": HONEST}, base=BASE, policy=apart).findings == ()


def test_tests_that_need_each_others_state_at_base_are_not_asked_for(lap, apart):
    """They are base's own fault, and no reason to lose the others."""
    leaning = {**BASE, "core.py": LEANING}
    found = lap({"core.py": LEANING + "# A comment.\n"}, base=leaning, policy=apart)
    assert found.codes == ["tests:unsteady"]
    passed = [name for name, outcome in found.base.items() if outcome == "passed"]
    assert passed == [f"test_a.py::test_{n}" for n in "abc"]
    assert found.evidence.values.n_with == 3
