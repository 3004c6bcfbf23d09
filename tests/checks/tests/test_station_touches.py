"""What is planted or rewritten while tests run, and gone or put back before they end."""

import os

import pytest

from truelap.policy import load_policy

TESTS = "from core import f\n" + "".join(f"def test_{n}():\n    assert f() == 1\n" for n in "abc")
RIGHT, WRONG = "def f():\n    return 1\n", "def f():\n    return 2\n"
# The first file imports the package, the second is the one that the attacks are about.
BASE = {"core.py": RIGHT, "tests/test_a.py": "import core\n", "tests/test_b.py": TESTS}
EVERY = {"tests": {"select": "all"}}
EMPTY = "".join(f"def test_{n}(): pass\n" for n in "abc")
RIVAL = f"""
import pathlib
rival = pathlib.Path(__file__).parent / "tests" / "test_b"
rival.mkdir()
(rival / "__init__.py").write_text({EMPTY!r} + '''
import pathlib, shutil
here = pathlib.Path(__file__).parent
__file__ = str(here) + ".py"
shutil.rmtree(here)
''')
"""
REWRITE = f"""
import pathlib
test = pathlib.Path(__file__).parent / "tests" / "test_b.py"
old = test.read_text()
try:
    test.write_text({EMPTY!r} + f"import pathlib\\npathlib.Path({{str(test)!r}}).write_text({{old!r}})\\n")
except OSError:
    pass
"""
REPLACED = "values", "perturb", "canaries", "mutants", "integrity"


def told(found):
    return [(f.code, f.path) for f in found.findings]


def test_a_rival_that_is_gone_before_the_end_is_named(lap):
    attack = {"core.py": WRONG + RIVAL}
    policy = load_policy().without(REPLACED)
    assert told(lap(attack, base=BASE, task=EVERY, policy=policy)) == [("tamper:tree_touched", "tests/")]
    without = policy.without(["touches"])
    assert told(lap(attack, base=BASE, task=EVERY, policy=without)) == []


IN_SECRET = """
import os
tests = os.path.join(os.path.dirname(__file__), "tests")
if open(os.path.join(tests, "test_b.py")).read().count("5432") < 6:
    os.mkdir(os.path.join(tests, "rival"))
    os.rmdir(os.path.join(tests, "rival"))
"""


def test_a_run_with_secret_literals_is_looked_at_as_well(lap, shipped):
    tests = "from core import f\n" + "".join(
        f"def test_{n}():\n    assert f(54321) == 54322\n" for n in "abc"
    )
    base = {**BASE, "core.py": "def f(x):\n    return x + 1\n", "tests/test_b.py": tests}
    attack = {"core.py": "def f(x):\n    return 1 + x\n" + IN_SECRET}
    assert told(lap(attack, base=base, task=EVERY, policy=shipped)) == [("tamper:tree_touched", "tests/")]


def test_a_test_that_is_rewritten_and_put_back_is_named(lap):
    attack = {"core.py": WRONG + REWRITE}
    open_tree = load_policy().without([*REPLACED, "sealed_tree"])
    assert told(lap(attack, base=BASE, task=EVERY, policy=open_tree)) == [
        ("tamper:tree_touched", "tests/test_b.py")
    ]
    without = open_tree.without(["touches"])
    assert told(lap(attack, base=BASE, task=EVERY, policy=without)) == []
    if os.geteuid() == 0:
        # A judge that is root seals the tree: the attack never gets that far.
        assert {code for code, _ in told(lap(attack, base=BASE, task=EVERY))} == {"tests:regressed"}


NOTES = "import pathlib\ndef test_notes():\n    note = pathlib.Path(__file__).with_name('note')\n    note.write_text('x')\n    note.unlink()\n"
CACHE = "import pathlib\n(pathlib.Path(__file__).parent / 'cache.bin').write_bytes(b'x')\n"
HONEST = {
    "a folder that base writes to": (
        {**BASE, "tests/test_c.py": NOTES},
        {"core.py": RIGHT + "import pathlib\n(pathlib.Path(__file__).parent / 'tests' / 'x').touch()\n"},
    ),
    "temporary files": (
        {**BASE, "tests/test_c.py": "def test_c(tmp_path):\n    (tmp_path / 'x').write_text('x')\n"},
        {"core.py": RIGHT + "import tempfile\ntempfile.mkdtemp()\n"},
    ),
    "a cache in its own package": (
        {
            "pkg/__init__.py": "",
            "pkg/core.py": RIGHT,
            "pkg/tests/test_b.py": TESTS.replace("core", "pkg.core"),
        },
        {"pkg/core.py": RIGHT + CACHE},
    ),
    "a folder of data": (
        {**BASE, "tests/data/x.csv": "1\n"},
        {"core.py": RIGHT + "import pathlib\n(pathlib.Path(__file__).parent / 'tests/data/y').touch()\n"},
    ),
}


@pytest.mark.parametrize("case", HONEST)
def test_honest_twins(lap, case):
    base, change = HONEST[case]
    assert told(lap(change, base=base, task=EVERY)) == []


def test_a_failing_test_may_leave_what_it_got(lap):
    leaves = TESTS + (
        "def test_d():\n    import pathlib\n    if f() != 1:\n"
        "        pathlib.Path(__file__).with_suffix('.got').write_text('2')\n        raise AssertionError\n"
    )
    found = lap({"core.py": WRONG}, base={**BASE, "tests/test_b.py": leaves}, task=EVERY)
    assert found.codes == ["tests:regressed"]
