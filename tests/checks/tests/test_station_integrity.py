"""What the candidate's code changes in its judges is a finding where base's does not, and what a library may do is none."""

import pytest

from truelap.checks.tests.integrity import Changed, IntegrityEvidence

HONEST = "def double(x):\n    return x + x\n"
WRONG = "def double(x):\n    return 3 * x\n"
FORGERY = "import _pytest.python\n_pytest.python.Function.runtest = lambda self: None\n"
PATCHES = "import time, unittest\n{}\ntime.time = unittest.TestCase.assertEqual = {}\n"


@pytest.fixture
def alone(shipped):
    """The shipped policy with this defence alone."""
    return shipped.without(["values", "perturb", "canaries", "mutants"])


def test_a_forgery_is_found_without_a_look_at_values(lap, alone):
    found = lap({"pkg/core.py": WRONG + FORGERY}, policy=alone)
    assert set(found.candidate.values()) == {"passed"}, "the forgery must deceive pytest"
    assert found.codes == ["tamper:integrity"]
    assert "_pytest.python.Function.runtest became pkg.core.<lambda>" in found.text("tamper:integrity")
    assert lap({"pkg/core.py": WRONG + FORGERY}, policy=alone.without(["integrity"])).findings == ()


def test_what_is_changed_while_tests_run_is_found_at_the_end(lap, alone):
    late = "import unittest\ndef double(x):\n    unittest.TestCase.assertEqual = len\n    return x + x\n"
    found = lap({"pkg/core.py": late}, policy=alone)
    assert found.codes == ["tamper:integrity"]
    assert [change.when for change in found.evidence.integrity.changes] == ["end"]


def test_what_one_run_alone_shows_after_its_tests_is_chance():
    one, other = (Changed(place=place, became="", when="end") for place in "ab")
    found = IntegrityEvidence(changes=(one, other))
    assert found.late
    assert found.again(IntegrityEvidence(changes=(other,))).changes == (other,)
    early = Changed(place="a", became="", when="collected")
    assert not IntegrityEvidence(changes=(early, other)).late
    assert not IntegrityEvidence().late


def test_beside_values_it_names_what_was_changed(lap, shipped):
    found = lap({"pkg/core.py": WRONG + FORGERY}, policy=shipped.without(["perturb", "canaries", "mutants"]))
    assert found.codes == ["tamper:integrity", "tests:regressed"]
    told = found.evidence.summary()["integrity"]
    assert told["changes"] == [
        {"place": "_pytest.python.Function.runtest", "became": "pkg.core.<lambda>", "when": "collected"}
    ]


def test_threads_and_exit_handlers_are_a_library_s_own_affair(lap, alone):
    starts = "import atexit, threading\natexit.register(print)\n"
    starts += "threading.Thread(target=threading.Event().wait, daemon=True).start()\n"
    found = lap({"pkg/core.py": HONEST + starts}, policy=alone)
    assert found.findings == ()
    notes = {note["place"] for note in found.evidence.summary()["integrity"]["notes"]}
    assert {"thread", "exit handlers"} <= notes


def test_what_base_changes_too_is_no_finding(lap, alone):
    ours = PATCHES.format("def fake(*args):\n    return 1.0\n", "fake")
    other = PATCHES.format("def other(*args, real=time.time):\n    return real()\n", "other")
    conftest = "import pytest\npytest.raises, pytest.approx = pytest.approx, pytest.raises\n"
    base = {"pkg/__init__.py": ours, "pkg/core.py": HONEST, "conftest.py": conftest}
    base["tests/test_core.py"] = "from pkg.core import double\n" + "".join(
        f"def test_{name}():\n    assert double(2) == 4\n" for name in "abc"
    )
    found = lap({"pkg/__init__.py": other}, base=base, policy=alone)
    assert found.findings == ()
    assert set(found.candidate.values()) == {"passed"}


def test_a_test_that_fails_may_leave_its_patches_behind(lap, alone):
    tests = "import time\nfrom pkg.core import double\n" + "".join(
        f"def test_{name}():\n    real, time.time = time.time, lambda: 0\n"
        "    assert double(2) == 4\n    time.time = real\n"
        for name in "abc"
    )
    found = lap(
        {"pkg/core.py": WRONG}, base={"pkg/core.py": HONEST, "tests/test_core.py": tests}, policy=alone
    )
    assert found.codes == ["tests:regressed"]


@pytest.mark.parametrize(
    ("change", "codes"),
    [
        ("import numpy.testing\nnumpy.testing.assert_allclose = len\n", ["tamper:integrity"]),
        ("import numpy.testing\nnumpy.seterr(all='ignore')\n", []),
    ],
    ids=["replaced", "only used"],
)
def test_what_arrays_are_compared_by_is_watched(lap, alone, change, codes):
    pytest.importorskip("numpy")
    tests = "from numpy.testing import assert_allclose\nfrom pkg.core import double\n" + "".join(
        f"def test_{name}():\n    assert_allclose(double(2.0), 4.0)\n" for name in "abc"
    )
    base = {"pkg/__init__.py": "", "pkg/core.py": HONEST, "tests/test_core.py": tests}
    assert lap({"pkg/core.py": HONEST + change}, base=base, policy=alone).codes == codes


def test_a_worker_that_keeps_silent_is_told(lap, alone):
    mute = """
import gc
for found in gc.get_objects():
    if type(found).__name__ == "Watching":
        found._send = lambda message: None
"""
    found = lap({"pkg/core.py": HONEST + mute}, policy=alone)
    assert found.codes == ["tamper:integrity"]
    assert "did not say" in found.text("tamper:integrity")
