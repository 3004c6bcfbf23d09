"""The station end to end: what counts as a regression, and what an honest patch may do."""

import pytest

FASTER = {"pkg/core.py": "def double(x):\n    return x + x\n"}
ALL_OUTCOMES = """
import unittest
import pytest
from pkg.core import double


@pytest.mark.parametrize("value", [1, "\\u00e9", "a\\x00b", b"\\xff", "x::y[z]", "\\ud800"])
def test_values(value):
    assert double(value) == value * 2


@pytest.mark.skip(reason="not today")
def test_skipped():
    raise AssertionError


@pytest.mark.xfail(reason="known")
def test_xfailed():
    assert double(1) == 3


@pytest.mark.xfail(reason="known")
def test_xpassed():
    assert double(1) == 2


def test_failing():
    assert double(1) == 3


@pytest.fixture
def broken():
    raise RuntimeError("no fixture")


def test_error(broken):
    pass


@pytest.fixture
def untidy():
    yield
    raise RuntimeError("no teardown")


def test_teardown_error(untidy):
    pass


class TestUnit(unittest.TestCase):
    def test_plain(self):
        self.assertEqual(double(2), 4)

    def test_subtests(self):
        for value in range(3):
            with self.subTest(value=value):
                self.assertEqual(double(value), 2 * value)

    @unittest.expectedFailure
    def test_expected(self):
        self.assertEqual(double(2), 5)
"""


def test_an_honest_patch_passes(lap):
    found = lap(FASTER)
    assert found.findings == ()
    assert set(found.base.values()) == {"passed"}
    assert found.candidate == found.base
    assert found.evidence.selection.strategy == "all"


MAPPED = {"tests": {"select": "mapped"}}
TWO = {
    "pkg/__init__.py": "",
    "pkg/core.py": FASTER["pkg/core.py"],
    "pkg/user.py": "from pkg.core import double\n\n\ndef four():\n    return double(True) + double(1)\n",
    "tests/test_core.py": "from pkg.core import double\n"
    + "".join(f"def test_{n}():\n    assert double({n}) == {2 * n}\n" for n in (2, 3, 4)),
    "tests/test_user.py": "from pkg.user import four\n\n\ndef test_four():\n    assert four() == 4\n",
}
WRONG_FOR_OTHERS = {"pkg/core.py": "def double(x):\n    return 0 if x is True else 2 * x\n"}


def test_tests_of_another_module_count_by_default(lap):
    found = lap(WRONG_FOR_OTHERS, base=TWO)
    assert found.regressed == ["tests/test_user.py::test_four"]
    assert found.codes == ["tests:regressed"]


def test_a_choice_by_the_changed_paths_is_on_record(lap):
    found = lap(WRONG_FOR_OTHERS, base=TWO, task=MAPPED)
    assert (found.codes, found.levels) == (["tests:chosen_by_paths"], {"info"})
    assert found.regressed == []
    # A test file that imports the changed module is in the choice, whatever its name.
    importing = {**TWO, "tests/test_user.py": "import pkg.core\n" + TWO["tests/test_user.py"]}
    assert lap(WRONG_FOR_OTHERS, base=importing, task=MAPPED).regressed == ["tests/test_user.py::test_four"]


CRASH = "import os\ndef test_a():\n    os.kill(os.getpid(), 11)\n"
NOTED = {
    **TWO,
    "pkg/note.py": "FOUR = 4\n",
    "pkg/user.py": "from pkg import note\n\n\ndef four():\n    return note.FOUR\n",
    "tests/test_note.py": "def test_a():\n    pass\n",
}


def test_a_choice_that_base_cannot_bear_out_is_widened(lap, shipped):
    found = lap({"pkg/note.py": "FOUR = 2 + 2\n"}, base=NOTED, task=MAPPED)
    assert (found.codes, found.levels) == (["tests:choice_widened"], {"info"})
    wrong = {"pkg/note.py": "FOUR = 5\n"}
    assert lap(wrong, base=NOTED, task=MAPPED).regressed == ["tests/test_user.py::test_four"]
    narrow = shipped.without(("values", "perturb", "canaries", "mutants", "integrity", "widen"))
    found = lap(wrong, base=NOTED, task=MAPPED, policy=narrow)
    assert found.codes == ["tests:too_few_base_passes", "tests:chosen_by_paths"]
    assert found.levels == {"inconclusive", "info"}


def test_what_no_choice_can_mend_stays_inconclusive(lap):
    base = {**TWO, "tests/test_note.py": CRASH}
    found = lap({"pkg/note.py": ""}, base=base, task=MAPPED)
    assert found.codes == ["tests:base_fault", "tests:choice_widened"]
    assert found.evidence.candidate is None


def test_a_choice_whose_session_needs_what_another_test_sets_up_is_widened(lap):
    note = "import os, signal\nfrom tests.test_core import ready\ndef test_a():\n    ready or os.kill(os.getpid(), 11)\n"
    base = {**TWO, "tests/__init__.py": "", "tests/test_note.py": note}
    base["tests/test_core.py"] += "ready = []\ndef test_ready():\n    ready.append(1)\n"
    found = lap({"pkg/note.py": ""}, base=base, task=MAPPED)
    assert (found.codes, found.levels) == (["tests:choice_widened"], {"info"})
    assert "tests/test_note.py::test_a" in found.evidence.base.passed


@pytest.mark.parametrize("attested", [False, True])
def test_every_outcome_is_told_apart(lap, shipped, attested):
    found = lap(
        FASTER,
        policy=shipped if attested else None,
        base={"pkg/__init__.py": "", "pkg/core.py": FASTER["pkg/core.py"], "test_core.py": ALL_OUTCOMES},
    )
    outcomes = {name.partition("::")[2]: outcome for name, outcome in found.base.items()}
    values = {name: outcome for name, outcome in outcomes.items() if name.startswith("test_values")}
    assert len(values) == 6
    assert set(values.values()) == {"passed"}
    assert {name: outcome for name, outcome in outcomes.items() if name not in values} == {
        "test_skipped": "skipped",
        "test_xfailed": "xfailed",
        "test_xpassed": "xpassed",
        "test_failing": "failed",
        "test_error": "error",
        "test_teardown_error": "error",
        "TestUnit::test_plain": "passed",
        "TestUnit::test_subtests": "passed",
        "TestUnit::test_expected": "xfailed",
    }
    assert found.codes == ["tests:base_failing"]
    assert found.text("tests:base_failing").startswith(
        "3 tests fail at base, so they are not judged: test_core.py::"
    )


@pytest.mark.parametrize(
    ("source", "outcome"),
    [
        ("def double(x):\n    return 3 * x\n", "failed"),
        ("import pytest\ndef double(x):\n    pytest.skip('no')\n", "skipped"),
        ("import unittest\ndef double(x):\n    raise unittest.SkipTest\n", "skipped"),
        ("import pytest\ndef double(x):\n    pytest.xfail('known')\n", "xfailed"),
        ("import sys, pytest\nm = sys._getframe\n", "missing"),
        ("def double(x:\n", "missing"),
        (
            (
                "import sys, pytest\nframe = sys._getframe()\nwhile frame:\n"
                "    if '/tests/' in frame.f_code.co_filename:\n"
                "        frame.f_globals['pytestmark'] = pytest.mark.xfail\n    frame = frame.f_back\n"
                "def double(x):\n    return 2 * x\n"
            ),
            "xpassed",
        ),
    ],
)
def test_anything_but_a_pass_is_a_regression(lap, shipped, source, outcome):
    found = lap({"pkg/core.py": source}, policy=shipped if outcome != "failed" else None)
    ids = [f"tests/test_core.py::test_{name}" for name in ("one", "two", "three")]
    assert found.regressed == ids
    assert found.codes == ["tests:regressed"]
    assert [found.candidate.get(name, "missing") for name in ids] == [outcome] * 3


def test_skips_within_subtests_do_not_hide(lap):
    tests = (
        "import unittest\nfrom pkg.core import double\n\n\nclass TestIt(unittest.TestCase):\n"
        "    def test_it(self):\n        for value in range(3):\n            with self.subTest(value=value):\n"
        "                self.assertEqual(double(value), 2 * value)\n    def test_a(self):\n        pass\n"
        "    def test_b(self):\n        pass\n"
    )
    base = {"pkg/__init__.py": "", "pkg/core.py": FASTER["pkg/core.py"], "tests/test_core.py": tests}
    found = lap({"pkg/core.py": "import unittest\ndef double(x):\n    raise unittest.SkipTest\n"}, base=base)
    assert found.regressed == ["tests/test_core.py::TestIt::test_it"]


def test_a_session_that_drops_tests_loses_them(lap):
    hook = (
        "import gc\nimport pytest\n\n\ndef drop(items):\n    del items[1:]\n\n\n"
        "for thing in gc.get_objects():\n    if isinstance(thing, pytest.Session):\n"
        "        class P:\n            def pytest_collection_modifyitems(self, items):\n                del items[1:]\n"
        "        thing.config.pluginmanager.register(P(), 'dropper')\n"
        "def double(x):\n    return 2 * x\n"
    )
    found = lap({"pkg/core.py": hook})
    assert found.regressed == [
        "tests/test_core.py::test_two",
        "tests/test_core.py::test_three",
        "plugin:dropper",
    ]
    assert found.codes == ["tamper:integrity", "tests:plugin", "tests:regressed"]


@pytest.mark.parametrize(
    ("source", "code", "still"),
    [
        ("import os\nos._exit(0)\n", "closed", 0),
        ("import os\ndef double(x):\n    if x == 2:\n        os._exit(0)\n    return 2 * x\n", "closed", 1),
        ("import sys\nsys.exit(0)\n", "internal", 0),
        ("import pytest\npytest.exit('done', returncode=0)\n", None, 0),
        ("import os\nos.kill(os.getpid(), 9)\n", "closed", 0),
        (("import os, socket\nfor fd in range(3, 60):\n    try:\n        os.write(fd, b'junk' * 9)\n    except OSError:\n        pass\n"
         "def double(x):\n    return 2 * x\n"), "oversized", 0),
    ],
)  # fmt: skip
def test_a_candidate_that_ends_the_session_loses_its_tests(lap, source, code, still):
    found = lap({"pkg/core.py": source})
    faults = [fault.code for fault in found.evidence.candidate.faults]
    assert faults == ([] if code is None else [code])
    assert len([name for name in found.regressed if "::" in name]) == 3 - still
    assert "tests:regressed" in found.codes
    assert found.levels == {"fail"}


def test_a_crash_is_told_by_what_it_was_however_deep_it_happened(lap):
    source = "import os\ndef double(x, depth=90):\n    return double(x, depth - 1) if depth else os.abort()\n"
    text = lap({"pkg/core.py": source}).text("tests:session")
    assert text.endswith("Fatal Python error: Aborted")
    assert "/truelap/probes" not in text


def test_a_hang_costs_its_own_tests_and_what_follows(lap, hasty):
    source = "import time\ndef double(x):\n    if x == 2:\n        time.sleep(60)\n    return 2 * x\n"
    found = lap({"pkg/core.py": source}, policy=hasty(test_timeout_s=2.0))
    assert found.codes == ["tests:session", "tests:regressed"]
    assert found.regressed == [
        "tests/test_core.py::test_two",
        "tests/test_core.py::test_three",
        "session:late",
    ]
    assert "tests/test_core.py::test_two" in found.text("tests:session")


def test_the_whole_side_has_a_deadline_too(lap, hasty):
    source = "import time\ndef double(x):\n    time.sleep(1.5)\n    return 2 * x\n"
    found = lap({"pkg/core.py": source}, task={"tests": {"timeout_s": 3.0}})
    assert "session:late" in found.regressed


def test_junk_on_stdout_is_not_read(lap):
    source = "import sys\nprint('3 passed')\nsys.__stdout__.write('PASSED\\n' * 99999)\ndef double(x):\n    print('\\x00junk')\n    return 2 * x\n"
    assert lap({"pkg/core.py": source}).findings == ()


def test_a_session_that_base_cannot_start_is_inconclusive_and_says_why(lap):
    found = lap(
        {"core.py": "x = 1\n"}, base={"core.py": "", "tox.ini": "[pytest]\naddopts = --cov-of-nothing\n"}
    )
    assert (found.codes, found.levels) == (["tests:base_fault"], {"inconclusive"})
    assert "unrecognized arguments" in found.evidence.base.faults[0].detail


def test_a_hang_at_base_is_no_fault_of_the_candidate(lap, hasty):
    base = {"test_core.py": "import time\ndef test_a():\n    pass\ndef test_b():\n    time.sleep(60)\n"}
    found = lap({"core.py": ""}, base=base, policy=hasty(test_timeout_s=2.0))
    assert (found.codes, found.levels) == (["tests:base_fault"], {"inconclusive"})
    assert found.evidence.candidate is None


def test_too_few_passes_at_base_are_inconclusive(lap):
    base = {
        "core.py": "",
        "test_core.py": "def test_a():\n    pass\ndef test_b():\n    pass\ndef test_c():\n    assert 0\n",
    }
    found = lap({"core.py": "x = 1\n"}, base=base)
    assert found.codes == ["tests:too_few_base_passes", "tests:base_failing"]
    assert found.levels == {"inconclusive", "info"}
    enough = lap({"core.py": "x = 1\n"}, base=base, task={"tests": {"min_base_pass": 2}})
    assert enough.codes == ["tests:base_failing"]


def test_no_tests_at_all_are_inconclusive_and_say_why(lap):
    found = lap({"core.py": "x = 1\n"}, base={"core.py": ""})
    assert found.codes == ["tests:too_few_base_passes"]
    broken = lap({"core.py": "x = 1\n"}, base={"core.py": "", "test_core.py": "import nothing_like_it\n"})
    assert "nothing_like_it" in broken.text("tests:too_few_base_passes")
    assert broken.text("tests:base_uncollected") == (
        "1 file of tests cannot be collected at base, so it is not judged: test_core.py"
        " (ModuleNotFoundError: No module named 'nothing_like_it')"
    )


def test_tests_that_fail_at_base_may_do_as_they_like(lap):
    tests = "from core import f\n" + "".join(f"def test_{n}():\n    pass\n" for n in "abc")
    base = {
        "core.py": "def f():\n    return 0\n",
        "test_core.py": tests + "def test_f():\n    assert f() == 1\n",
    }
    found = lap({"core.py": "def f():\n    return 1\n"}, base=base)
    assert (found.base["test_core.py::test_f"], found.candidate["test_core.py::test_f"]) == (
        "failed",
        "passed",
    )
    assert found.codes == ["tests:base_failing"]
