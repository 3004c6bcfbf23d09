"""What base has of a build's outputs already: base's own never stand in for what the candidate's build does not make."""

from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from truelap.model import Base, Case
from truelap.policy import load_policy
from truelap.prepare.rebuild import rebuild
from truelap.settings import Settings
from truelap.task import Environment, Task

POLICY = load_policy()
SETTINGS = Settings(python=Path(sys.executable), seed=1)
TASK = Task(environment=Environment(build=(("python", "build.py"),), carry=("p/_gen.py",)))
MAKES = (
    "open('p/_fast.so', 'w').write('of ' + open('p/fast.def').read())\nopen('p/_gen.py', 'w').write('x')\n"
)
BASE = {
    "p/__init__.py": "",
    "p/fast.def": "base",
    "p/_fast.so": "of base",  # tracked
    "p/_gen.py": "x",  # carried
    "p/vendor.so": "of somebody else",  # no build makes it
    "p/tests/_aid.so": "of base",
    "p/tests/test_p.py": "def test(): pass\n",
    "build.py": MAKES,
}
OUTPUTS = {"p/_fast.so", "p/_gen.py"}


@pytest.fixture
def line(world):
    """Runs the station on a base and the files that a submission changes."""

    def run(changes, base=BASE, policy=POLICY, executable=()):
        trees = [_tree(world.store, base), _tree(world.store, {**base, **changes}, executable)]
        carried = Base(given="b", commit=None, tree=trees[0], carried=(b"p/_gen.py",))
        case = Case(name="t", base=carried, candidate_tree=trees[1])
        after = rebuild(case, world, policy, TASK, SETTINGS)
        return SimpleNamespace(
            codes=[finding.code for finding in after.findings],
            base=_read(world.trees.base(after)),
            candidate=_read(world.trees.candidate(after)),
        )

    return run


def _tree(store, files, executable=()):
    modes = {path: 0o100755 if path in executable else 0o100644 for path in files}
    return store.replace(
        None, [(path.encode(), modes[path], store.add_blob(text.encode())) for path, text in files.items()]
    )


def _read(tree):
    return {path.decode(): (tree.root / path.decode()).read_text() for path in tree.manifest}


def test_what_the_candidate_builds_is_the_candidates(line):
    done = line({"p/fast.def": "candidate"})
    assert done.codes == []
    assert (done.base["p/_fast.so"], done.candidate["p/_fast.so"]) == ("of base", "of candidate")
    assert set(done.candidate) >= OUTPUTS


def test_what_the_candidate_no_longer_builds_is_missing(line):
    done = line({"p/fast.def": "wrong", "build.py": ""})
    assert done.codes == ["rebuild:not_made"] * 2
    assert set(BASE) - set(done.candidate) == OUTPUTS
    assert set(BASE) <= set(done.base)


def test_another_mode_makes_it_no_file_of_the_candidates(line):
    done = line({"p/fast.def": "wrong", "build.py": ""}, executable=("p/_fast.so", "p/_gen.py"))
    assert set(BASE) - set(done.candidate) == OUTPUTS


def test_without_the_defence_bases_outputs_stand_in(line):
    done = line({"p/fast.def": "wrong", "build.py": ""}, policy=POLICY.without(["prebuilt"]))
    assert done.candidate["p/_fast.so"] == "of base"


def test_what_no_build_makes_is_bases_on_both_sides_and_so_is_what_belongs_to_the_tests(line):
    done = line({"build.py": ""})
    for path in ("p/vendor.so", "p/tests/_aid.so"):
        assert done.base[path] == done.candidate[path] == BASE[path]


def test_a_module_written_in_place_of_an_output_is_kept(line):
    done = line({"build.py": MAKES.splitlines()[0], "p/_gen.py": "written by hand"})
    assert done.codes == []
    assert done.candidate["p/_gen.py"] == "written by hand"


NEEDS = "assert open('p/vendor.so').read()\n"


def test_outputs_that_are_up_to_date_by_time_are_made_anew(line):
    # As make and setuptools do it: what is newer than its source is left alone.
    lazy = (
        "import os\nold = lambda path: not os.path.exists(path) or os.stat(path).st_mtime < os.stat('p/fast.def').st_mtime\n"
        "if old('p/_fast.so'): open('p/_fast.so', 'w').write('of ' + open('p/fast.def').read())\n"
        "if old('p/_gen.py'): open('p/_gen.py', 'w').write('x')\n"
    )
    for needs in ("", NEEDS):
        done = line({"p/fast.def": "candidate"}, {**BASE, "build.py": needs + lazy})
        assert (done.codes, done.candidate["p/_fast.so"]) == ([], "of candidate")


def test_where_base_needs_them_to_build_what_the_candidate_leaves_alone_is_missing(line):
    done = line({"build.py": NEEDS}, {**BASE, "build.py": NEEDS + MAKES})
    assert done.codes == ["rebuild:not_made"] * 2
    assert set(BASE) - set(done.candidate) == OUTPUTS
    done = line({"p/fast.def": "candidate"}, {**BASE, "build.py": NEEDS + MAKES})
    assert (done.codes, done.candidate["p/_fast.so"]) == ([], "of candidate")
    assert set(BASE) == set(done.candidate) == set(done.base)


def test_where_base_needs_others_to_build_a_touch_keeps_nothing(line):
    touches = "import os\nif os.path.exists('p/_fast.so'): os.utime('p/_fast.so')\n"
    done = line({"build.py": NEEDS + touches}, {**BASE, "build.py": NEEDS + MAKES})
    assert set(BASE) - set(done.candidate) == OUTPUTS


def test_an_output_that_bases_build_reads_before_it_writes_it_is_there_on_both_sides(line):
    appends = "was = open('p/_gen.py').read()\nopen('p/_gen.py', 'w').write(was + 'y')\n"
    base = {**BASE, "build.py": MAKES.splitlines()[0] + "\n" + appends}
    done = line({"p/fast.def": "candidate"}, base)
    assert done.codes == []
    assert done.base["p/_gen.py"] == done.candidate["p/_gen.py"] == "xy"
    assert done.candidate["p/_fast.so"] == "of candidate"


def test_a_base_that_fails_either_way_says_nothing_of_the_submission(line):
    assert line({"build.py": MAKES}, {**BASE, "build.py": "raise SystemExit(1)"}).codes == [
        "rebuild:base_failed"
    ]
