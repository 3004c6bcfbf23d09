"""What base does otherwise each time is not held against the candidate, and what the candidate does only sometimes is."""

import pytest

HONEST = {"pkg/core.py": "def double(x):\n    return x + x\n"}
TESTS = (
    "import os\nimport tempfile\nfrom pathlib import Path\nimport pytest\nfrom pkg.core import double\n"
    + "".join(f"def test_{n}():\n    assert double({n}) == {2 * n}\n" for n in (1, 2, 3))
)
RESTLESS = {
    "pkg/__init__.py": "",
    "pkg/core.py": "def double(x):\n    return 2 * x\n",
    "conftest.py": "import os\n\n\nclass Helper:\n    pass\n\n\ndef pytest_configure(config):\n"
    "    config.pluginmanager.register(Helper(), 'helper-' + os.urandom(4).hex())\n",
    "tests/test_core.py": TESTS + "@pytest.mark.parametrize('thing', [object(), len], ids=repr)\n"
    "def test_thing(thing):\n    assert double(3) == 6\n"
    "def test_leaves():\n    tempfile.mkstemp(suffix='.ini', dir=Path(__file__).parent)\n    assert double(4) == 8\n",
}
IDS = [f"tests/test_core.py::test_{n}" for n in ("1", "2", "3", "thing[#0]", "thing[#1]", "leaves")]


def test_names_that_base_makes_up_each_time_accuse_nobody(lap, shipped):
    found = lap(HONEST, base=RESTLESS, policy=shipped)
    assert found.findings == ()
    assert list(found.base) == IDS
    assert found.candidate == found.base == dict.fromkeys(IDS, "passed")
    assert {ruled.status for ruled in found.evidence.values.tests.values()} == {"agrees"}


def test_they_hide_nothing(lap, shipped):
    source = (
        "import gc\nfrom pathlib import Path\nimport pytest\n"
        "Path(__file__).parent.with_name('tests').joinpath('evil_name.ini').write_text('')\n"
        "class Another:\n    pass\n"
        "for thing in gc.get_objects():\n    if isinstance(thing, pytest.Session):\n"
        "        thing.config.pluginmanager.register(Another(), 'helper-0a0b0c0d')\n"
        "def double(x):\n    return 0 if x == 3 else 2 * x\n"
    )
    found = lap(
        {"pkg/core.py": source}, base=RESTLESS, policy=shipped.without(["perturb", "canaries", "mutants"])
    )
    assert [f.path for f in found.findings if f.code == "tamper:tree_changed"] == ["tests/evil_name.ini"]
    assert found.codes == ["tamper:tree_changed", "tests:plugin", "tests:regressed"]
    assert [name for name in found.regressed if "::" in name] == [IDS[2], IDS[3], IDS[4]]


SEEDS = "os.environ['PYTHONHASHSEED'] in (str(seed), str(seed ^ 0x5EED))"


def chancy(condition):
    """A base whose test fails wherever `condition` is not met, and for a candidate that has a mark."""
    tests = f"import pkg.core\nseed = 7\ndef test_chancy():\n    assert {condition} and not hasattr(pkg.core, 'MARK')\n"
    return {**RESTLESS, "conftest.py": "", "tests/test_core.py": TESTS + tests}


@pytest.mark.parametrize("condition", [SEEDS, "True"])
def test_a_test_that_base_fails_now_and_then_is_no_regression(lap, shipped, condition):
    found = lap(
        {"pkg/core.py": HONEST["pkg/core.py"] + "MARK = 1\n"},
        base=chancy(condition),
        policy=shipped.without(["perturb", "canaries", "mutants"]),
    )
    if condition == SEEDS:
        assert (found.codes, found.levels) == (["tests:unsteady"], {"info"})
        assert found.evidence.base.unsteady == ("tests/test_core.py::test_chancy",)
    else:
        assert found.codes == ["tests:regressed"]
        assert found.regressed == ["tests/test_core.py::test_chancy"]


def test_what_base_passes_under_one_hash_seed_alone_is_not_judged(lap, shipped):
    base = chancy("os.environ['PYTHONHASHSEED'] == '7'")
    found = lap(HONEST, base=base, policy=shipped.without(["perturb", "canaries", "mutants"]))
    assert (found.codes, found.levels) == (["tests:unsteady"], {"info"})
    assert found.evidence.base.nodes["tests/test_core.py::test_chancy"].outcome == "failed"


def test_a_candidate_that_is_wrong_only_the_first_time_has_regressed(lap, shipped):
    source = (
        "import sys\n\n\ndef double(x):\n    if x == 2 and any('test_other' in name for name in sys.modules):\n"
        "        return 0\n    return 2 * x\n"
    )
    base = {
        **RESTLESS,
        "conftest.py": "",
        "tests/test_core.py": TESTS,
        "tests/test_other.py": "def test_it():\n    pass\n",
    }
    found = lap(
        {"pkg/core.py": source}, base=base, policy=shipped.without(["perturb", "canaries", "mutants"])
    )
    assert found.codes == ["tests:regressed"]
    assert found.regressed == ["tests/test_core.py::test_2"]


@pytest.mark.parametrize("condition", [SEEDS, "True"])
def test_values_that_base_does_not_reproduce_accuse_nobody(lap, shipped, condition):
    core = f"import os\nseed = 7\ndef count():\n    return 1 if {condition} else 5\n" + HONEST["pkg/core.py"]
    tests = "from pkg.core import count\ndef test_count():\n    found = count()\n    assert found == found\n"
    base = {**RESTLESS, "conftest.py": "", "pkg/core.py": core, "tests/test_core.py": TESTS + tests}
    changed = {"pkg/core.py": core.replace("return 1", "return 2")}
    found = lap(changed, base=base, policy=shipped.without(["perturb", "canaries", "mutants"]))
    assert found.regressed == ([] if condition == SEEDS else ["tests/test_core.py::test_count"])
    assert found.levels == (set() if condition == SEEDS else {"fail"})


def test_a_choice_of_unsteady_tests_gives_way_to_all(lap, shipped):
    note = "import os\nimport pkg.note\ndef test_a():\n    assert os.environ['PYTHONHASHSEED'] == '7'\ntest_b = test_c = test_a\n"
    base = {
        **RESTLESS,
        "conftest.py": "",
        "tests/test_core.py": TESTS,
        "pkg/note.py": "X = 1\n",
        "tests/test_note.py": note,
    }
    found = lap(
        {"pkg/note.py": "X = 2\n"},
        base=base,
        task={"tests": {"select": "mapped"}},
        policy=shipped.without(["perturb", "canaries", "mutants"]),
    )
    assert (found.codes, found.levels) == (["tests:choice_widened", "tests:unsteady"], {"info"})
