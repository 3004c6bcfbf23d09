"""A test's own extension: its source is put back with the tests, and the build that names it must not fail for that."""

from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from truelap.model import Base, Case, Patch
from truelap.policy import load_policy
from truelap.prepare.rebuild import rebuild
from truelap.settings import Settings
from truelap.task import Environment, Task

POLICY = load_policy()
SETTINGS = Settings(python=Path(sys.executable), seed=1)
TASK = Task(environment=Environment(build=(("python", "build.py"),)))
MAKES = "open('p/{0}.so', 'w').write(open('p/{0}.c').read())\n"
BASE = {
    "p/__init__.py": "",
    "p/fast.c": "base",
    "p/tests/old.c": "base",
    "p/tests/test_p.py": "def test(): pass\n",
    "build.py": MAKES.format("fast"),
}
AID = {"p/tests/aid.c": "aid", "build.py": BASE["build.py"] + MAKES.format("tests/aid")}


@pytest.fixture
def line(world):
    """Runs the station on a submission, of which test code is left out."""

    def run(changes):
        kept = {path: text for path, text in changes.items() if "/tests/" not in path}
        base, whole, candidate = (_tree(world.store, {**BASE, **files}) for files in ({}, changes, kept))
        patch = Patch(sha256="", applied=True, entries=world.store.entries(base, whole), tree=whole)
        case = Case(
            name="t", base=Base(given="b", commit=None, tree=base), patch=patch, candidate_tree=candidate
        )
        after = rebuild(case, world, POLICY, TASK, SETTINGS)
        return SimpleNamespace(
            codes=[finding.code for finding in after.findings],
            said=" ".join(finding.message for finding in after.findings),
            candidate={path.decode() for path in world.trees.candidate(after).manifest},
        )

    return run


def _tree(store, files):
    return store.replace(
        None, [(path.encode(), 0o100644, store.add_blob(text.encode())) for path, text in files.items()]
    )


def test_the_build_has_them_and_nothing_of_them_is_kept(line):
    done = line(AID)
    assert done.codes == ["rebuild:test_sources"]
    assert "p/tests/aid.c" in done.said
    assert done.candidate == {*BASE, "p/fast.so"}


def test_a_build_that_may_rewrite_them_still_may_not_touch_anything_else(line):
    rewrite = "open('{}', 'a').write('x')\n"
    assert line({**AID, "build.py": AID["build.py"] + rewrite.format("p/tests/aid.c")}).codes == [
        "rebuild:test_sources"
    ]
    for path in ("p/tests/test_p.py", "p/tests/old.c"):
        assert line({**AID, "build.py": AID["build.py"] + rewrite.format(path)}).codes == [
            "tamper:build_changed_sources"
        ]


def test_what_they_make_of_the_product_is_judged_like_the_rest(line):
    done = line({**AID, "build.py": AID["build.py"] + "open('sitecustomize.py', 'w').write('')\n"})
    assert "tamper:build_outputs" in done.codes


@pytest.mark.parametrize(
    "changes",
    [
        {"build.py": AID["build.py"]},
        {**AID, "build.py": AID["build.py"] + "raise SystemExit('broken')\n"},
        {"p/tests/data.txt": "", "build.py": "open('p/tests/data.txt')\n"},
        {"p/tests/old.c": "other", "build.py": "assert open('p/tests/old.c').read() == 'other'\n"},
    ],
)
def test_any_other_failure_is_one(line, changes):
    assert line(changes).codes == ["rebuild_failed"]


def test_they_are_not_looked_at_where_the_build_does_without(line):
    done = line({"p/tests/aid.c": "aid", "p/fast.c": "faster"})
    assert done.codes == []
    assert done.candidate == {*BASE, "p/fast.so"}
