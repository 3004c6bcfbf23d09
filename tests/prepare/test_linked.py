"""A name that is put back, whose bytes lie elsewhere: base's own links decide what belongs to tests and suite."""

from __future__ import annotations

import shutil

import pytest

from truelap.policy import load_policy, matches, measuring
from truelap.prepare.base import asv_configs, base_of_revision
from truelap.prepare.collect import Worktree
from truelap.prepare.guard import Guard
from truelap.prepare.restore import restore

POLICY = load_policy()
OFF = POLICY.model_copy(update={"ablate": POLICY.ablate.model_copy(update={"off": ("links",)})})
PRODUCT = {
    "pyproject.toml": "[project]\nname = 'pkg'\n",
    "pkg/__init__.py": "from .core import x\n",
    "pkg/core.py": "x = 1\n",
    "pkg/tables/a.csv": "1\n",
    "pkg/io.py": "NAME = 'tables/a.csv'\n",
    "asv.conf.json": "{}",
    "benchmarks/b.py": "from pkg import x\n",
    "tests/test_core.py": "import pkg\n",
    "docs/index.md": "the core of pkg\n",
}


@pytest.fixture
def fates(store, repo, prepared):
    """What is put back of an edit to some paths of a base with links; a path that base lacks is new."""

    def run(files, links, edited, policy=POLICY):
        repo.write({**PRODUCT, **files})
        for path, target in links.items():
            (repo.folder / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.rmtree(repo.folder / path, ignore_errors=True)
            (repo.folder / path).symlink_to(target)
        base = base_of_revision(store, repo.folder, repo.commit())
        for path in edited:
            if (repo.folder / path).is_symlink():
                (repo.folder / path).unlink()
            repo.write({path: "edited\n"})
        case = prepared(Worktree(repo.folder), base, policy, [restore])
        assert {finding.level for finding in case.findings} <= {"info", "fail"}
        return set(case.discarded)

    return run


@pytest.mark.parametrize(
    ("files", "links", "edited"),
    [
        ({"spec/core.py": ""}, {"tests/test_x.py": "../spec/core.py"}, {"spec/core.py"}),
        ({"shared/aid.py": ""}, {"tests/aid.py": "../shared/aid.py"}, {"shared/aid.py"}),
        ({"shared/n.py": ""}, {"benchmarks/n.py": "../shared/n.py"}, {"shared/n.py"}),
        ({"perf/d/n.csv": ""}, {"benchmarks": "perf"}, {"perf/d/n.csv", "perf/new.py"}),
        ({"asv.x.json": '{"benchmark_dir": "bm"}', "perf/n.py": ""}, {"bm": "perf"}, {"perf/n.py", "bm"}),
        (
            {"asv.x.json": '{"benchmark_dir": "bm/s"}', "perf/s/n.py": ""},
            {"bm": "perf"},
            {"perf/s/n.py", "bm"},
        ),
        ({"real/asv.txt": '{"benchmark_dir": "x"}'}, {"asv.y.json": "real/asv.txt"}, {"real/asv.txt"}),
        ({"a/aid.py": ""}, {"tests/aid.py": "../mid/aid.py", "mid": "a"}, {"a/aid.py", "mid"}),
        ({"s/x.py": "", "t/y.py": ""}, {"tests/d": "../s", "s/y.py": "../t/y.py"}, {"s/x.py", "t/y.py"}),
        ({}, {"tests/later.py": "../shared/later.py"}, {"shared/later.py"}),
        ({"a/x.txt": ""}, {"tests/one": "two", "tests/two": "one", "tests/out": "/etc"}, set()),
        ({"pkg/checks/c.py": ""}, {"tests/checks": "../pkg/checks"}, {"pkg/checks/c.py"}),
        (
            {"shared/h/x.py": "", "tests/test_core.py": "import ci.x\n", "ci/y.txt": ""},
            {"ci/x.py": "../shared/h/x.py"},
            {"shared/h/x.py"},
        ),
    ],
)
def test_what_a_link_of_tests_or_suite_leads_to_is_theirs(fates, files, links, edited):
    assert fates(files, links, {*edited, "pkg/core.py"}) == edited


def test_with_the_defence_off_it_is_the_submissions(fates):
    assert fates({"shared/n.py": ""}, {"benchmarks/n.py": "../shared/n.py"}, {"shared/n.py"}, OFF) == set()


@pytest.mark.parametrize(
    ("files", "links", "edited"),
    [
        ({}, {"tests/pkg": "../pkg"}, {"pkg/core.py", "pkg/new.py"}),
        ({}, {"tests/pkg": "../pkg", "benchmarks/core.py": "../pkg/core.py"}, {"pkg/core.py"}),
        ({}, {"tests/tables": "../pkg/tables"}, {"pkg/tables/a.csv"}),
        ({}, {"tests/root": "..", "tests/here": "."}, {"pkg/core.py", "README.md"}),
        ({"shared/t.csv": ""}, {"docs/t.csv": "../shared/t.csv", "docs/pkg": "../pkg"}, {"shared/t.csv"}),
        ({"src/more/m.py": "", "setup.py": "name='more'"}, {"tests/src": "../src"}, {"src/more/m.py"}),
        (
            {"vendor/v.py": "", "pkg/io.py": "import vendor.v\n"},
            {"tests/v.py": "../vendor/v.py"},
            {"vendor/v.py"},
        ),
        ({"pyproject.toml": "", "one.py": ""}, {"tests/one.py": "../one.py"}, {"one.py"}),
    ],
)
def test_the_product_stays_the_submissions_whoever_has_a_link_to_it(fates, files, links, edited):
    assert fates(files, links, {*edited, "pkg/core.py"}) == set()


@pytest.fixture
def linked(store, repo):
    def run(files, links):
        repo.write(files)
        for path, target in links.items():
            (repo.folder / path).parent.mkdir(parents=True, exist_ok=True)
            (repo.folder / path).symlink_to(target)
        return base_of_revision(store, repo.folder, repo.commit())

    return run


def test_configurations_are_read_through_links(linked, store):
    base = linked(
        {"conf/asv.txt": '{"benchmark_dir": "suite"}', "perf/b.py": "import aid\n", "aid.py": "", **PRODUCT},
        {"suite": "perf", "x/asv.z.json": "../conf/asv.txt"},
    )
    assert {one.path: one.benchmark_dir for one in asv_configs(store, base)} == {
        "asv.conf.json": "benchmarks",
        "x/asv.z.json": "x/suite",
    }


def test_what_a_suite_behind_a_link_imports_serves_it(linked, store):
    base = linked(
        {**PRODUCT, "asv.conf.json": '{"benchmark_dir": "suite"}', "perf/b.py": "import aid\n", "aid.py": ""},
        {"suite": "perf"},
    )
    guard = Guard(store, base, POLICY, ("",), [b"aid.py"])
    assert [guard.kind(path) for path in (b"aid.py", b"perf/b.py", b"suite", b"pkg/core.py")] == [
        *["protected"] * 3,
        None,
    ]
    assert matches(measuring(base, POLICY), b"perf/b.py")
