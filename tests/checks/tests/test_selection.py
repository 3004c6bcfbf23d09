"""From changed paths to tests."""

import pytest

from truelap.checks.tests.importers import importers
from truelap.checks.tests.plan import by_file
from truelap.checks.tests.selection import choice_for, select
from truelap.policy import load_policy
from truelap.pytest_config import PytestConfig

POLICY = load_policy()


def choice(limit=4, **config):
    settings = PytestConfig(origin=None, copy_path="x.ini", content=b"", **config)
    return choice_for(
        settings,
        test_code=POLICY.test_code.patterns,
        compiled=POLICY.rebuild.compiled,
        build_files=POLICY.rebuild.build_files,
        fallback_folders=limit,
        roots=("src", ""),
    )


def chosen(files, changed, sources=None, **config):
    """`sources` are the contents of test files; all others are empty."""
    contents = sources or {}
    return select(
        [f.encode() for f in files],
        [c.encode() for c in changed],
        choice(**config),
        lambda path: contents.get(path, b""),
    )


@pytest.mark.parametrize(
    ("source", "test"),
    [
        ("pkg/foo.py", "tests/pkg/test_foo.py"),
        ("pkg/foo.py", "tests/test_foo.py"),
        ("pkg/foo.py", "pkg/test_foo.py"),
        ("pkg/foo.py", "pkg/foo_test.py"),
        ("pkg/foo.py", "pkg/deep/tests/test_foo.py"),
        ("src/pkg/_foo.py", "tests/test_foo.py"),
    ],
)
def test_a_source_maps_to_the_tests_of_its_name(source, test):
    found = chosen([source, test, "tests/test_other.py"], [source])
    assert (found.strategy, found.paths) == ("mapped", (test,))


def test_names_that_the_configuration_allows_count():
    files = ["param/core.py", "tests/testcore.py", "tests/test_core.py"]
    assert chosen(files, ["param/core.py"]).paths == ("tests/test_core.py",)
    wide = chosen(files, ["param/core.py"], python_files=("test*.py",))
    assert wide.paths == ("tests/test_core.py", "tests/testcore.py")


def test_testpaths_and_norecursedirs_bound_the_choice():
    files = ["pkg/foo.py", "tests/test_foo.py", "extra/test_foo.py", "build/tests/test_foo.py"]
    assert chosen(files, ["pkg/foo.py"]).paths == ("extra/test_foo.py", "tests/test_foo.py")
    assert chosen(files, ["pkg/foo.py"], testpaths=("tests/",)).paths == ("tests/test_foo.py",)
    assert chosen(files, ["pkg/foo.py"], testpaths=("./te*",)).paths == ("tests/test_foo.py",)


def test_a_source_without_a_test_falls_back_to_the_nearest_folder():
    files = ["pkg/sub/foo.py", "pkg/sub/tests/test_a.py", "pkg/tests/test_b.py", "tests/test_c.py"]
    found = chosen(files, ["pkg/sub/foo.py"])
    assert (found.strategy, found.paths) == ("folders", ("pkg/sub/tests",))


def test_the_nearest_folder_mirrors_the_sources_place():
    files = ["src/pkg/sub/foo.py", "tests/sub/test_a.py", "tests/other/test_b.py"]
    assert chosen(files, ["src/pkg/sub/foo.py"]).paths == ("tests/sub",)
    assert chosen(files, ["src/pkg/elsewhere/foo.py"]).paths == ("tests",)


def test_folders_beyond_the_limit_are_on_record():
    files = [f"p{n}/tests/test_x.py" for n in range(4)]
    found = chosen(files, [f"p{n}/foo.py" for n in range(4)], limit=2)
    assert (found.paths, found.left_out) == (("p0/tests", "p1/tests"), ("p2/tests", "p3/tests"))


def test_a_compiled_source_maps_by_the_words_of_its_name():
    files = ["pkg/_fast_sort.pyx", "tests/test_sorting.py", "tests/test_fast.py", "tests/test_io.py"]
    found = chosen(files, ["pkg/_fast_sort.pyx"])
    assert (found.strategy, found.paths) == ("compiled", ("tests/test_fast.py",))


def test_at_most_twelve_files_for_compiled_sources_best_first():
    files = ["tests/test_fast_sort.py", *(f"tests/test_sort_{n:02}.py" for n in range(20))]
    found = chosen(files, ["pkg/fast_sort.c"])
    assert len(found.paths) == 12
    assert "tests/test_fast_sort.py" in found.paths


@pytest.mark.parametrize("changed", [[], ["README.md"], ["pyproject.toml"], ["setup.py"], ["pkg/foo.py"]])
def test_nothing_found_means_everything_runs(changed):
    found = chosen(["pkg/foo.py", "check/it_works.py"], changed)
    assert (found.strategy, found.paths) == ("all:nothing-mapped", ())


def test_test_code_is_no_source():
    files = ["pkg/foo.py", "pkg/testing/helpers.py", "tests/test_helpers.py", "tests/test_foo.py"]
    assert chosen(files, ["pkg/testing/helpers.py", "pkg/foo.py"]).paths == ("tests/test_foo.py",)


def test_a_changed_module_with_doctests_is_a_test_file_itself():
    files = ["pkg/foo.py", "tests/test_foo.py"]
    found = chosen(files, ["pkg/foo.py", "pkg/new.py"], addopts=("--doctest-modules",))
    assert found.paths == ("pkg/foo.py", "tests")


def test_a_file_within_a_chosen_folder_is_not_named_twice():
    files = ["pkg/foo.py", "pkg/bar.py", "tests/test_foo.py"]
    found = chosen(files, ["pkg/foo.py", "pkg/bar.py"])
    assert (found.strategy, found.paths) == ("mapped+folders", ("tests",))


def test_odd_names_survive():
    odd = b"tests/t\xff/test_foo.py"
    found = select([b"pkg/foo.py", odd], [b"pkg/foo.py"], choice(), lambda _: b"")
    assert found.paths[0].encode("utf-8", "surrogateescape") == odd


def test_sessions_are_even_and_keep_files_whole():
    ids = [*(f"a.py::{n}" for n in range(6)), *(f"b.py::{n}" for n in range(3)), "c.py::x", "d.py::y"]
    assert by_file(ids, 2) == (("a.py",), ("b.py", "c.py", "d.py"))
    assert by_file(["a.py::1"], 4) == (("a.py",),)
    assert by_file([], 4) == ()


WIDE = [
    "pkg/__init__.py",
    "pkg/core.py",
    "pkg/table.json",
    "docs/guide.md",
    "tests/test_core.py",
    "tests/test_pkg.py",
]


@pytest.mark.parametrize("path", ["pkg/__init__.py", "pkg/table.json"])
def test_what_any_test_may_see_runs_the_whole_folder(path):
    assert chosen(WIDE, [path, "pkg/core.py"]).paths == ("tests",)


IMPORTING = ["pkg/foo.py", "pkg/bar.py", "tests/test_foo.py", "tests/test_bar.py", "tests/deep/test_x.py"]


@pytest.mark.parametrize(
    ("changed", "source"),
    [
        ("pkg/foo.py", "import pkg.foo"),
        ("pkg/foo.py", "from pkg import foo as f, bar"),
        ("pkg/foo.py", "from pkg.foo import *"),
        ("pkg/foo.py", "def test():\n    if 1:\n        import pkg.foo"),
        ("pkg/foo.py", "from ...pkg.foo import x"),
        ("pkg/foo.py", "from ... import pkg\nfrom ...pkg import foo"),
        ("src/pkg/foo.py", "import pkg.foo"),
        ("src/pkg/foo.py", "import src.pkg.foo"),
        ("pkg/foo.pyx", "from pkg import foo"),
    ],
)
def test_every_test_file_that_imports_a_changed_module_runs(changed, source):
    found = chosen([*IMPORTING, changed], [changed], {"tests/deep/test_x.py": source.encode()})
    assert found.paths == ("tests/deep/test_x.py", "tests/test_foo.py")
    assert "imports" in found.strategy


def test_a_module_beside_its_test_is_imported_without_a_package():
    found = importers(["lib/foo.py"], ["lib/test_x.py"], lambda _: b"import foo", ("",))
    assert found == {"lib/foo.py": {"lib/test_x.py"}}


@pytest.mark.parametrize(
    "source", ["import pkg.food", "from .foo import x", "x = 'pkg.foo'", "import foo", "def ("]
)
def test_other_imports_choose_nothing(source):
    found = chosen(IMPORTING, ["pkg/foo.py"], {"tests/deep/test_x.py": source.encode()})
    assert (found.strategy, found.paths) == ("mapped", ("tests/test_foo.py",))


def test_a_package_is_imported_by_its_name():
    assert importers(["pkg/__init__.py"], ["t.py"], lambda _: b"import pkg", ("",)) == {
        "pkg/__init__.py": {"t.py"}
    }


def test_a_choice_that_says_nothing_becomes_all():
    found = chosen(IMPORTING, ["pkg/foo.py"])
    wide = found.widened()
    assert (found.by_submission, wide.by_submission) == (True, False)
    assert (wide.paths, wide.dropped) == ((), ("tests/test_foo.py",))
    assert wide.strategy == "all:mapped-failed-at-base"


def test_a_page_of_documentation_adds_no_tests():
    assert chosen(WIDE, ["docs/guide.md", "pkg/core.py"]).paths == ("tests/test_core.py",)
