"""Single-file helpers that only tests use at base."""

import os

import pytest

from truelap.policy import load_policy
from truelap.prepare.only_tests import only_for_tests

TEST_CODE = load_policy().test_code
HELPER = {"pkg/_fakes.py": "def check(): ...\n", "pkg/tests/test_x.py": "from .._fakes import check\n"}


def found(store, repo, files):
    tree = store.import_revision(repo.folder, repo.commit(files)).tree
    base = list(store.list_tree(tree))
    return {os.fsdecode(path) for path in only_for_tests(store, base, [f.path for f in base], TEST_CODE)}


def test_a_helper_that_only_tests_import(store, repo):
    files = {**HELPER, "pkg/__init__.py": "from .core import x\n", "pkg/core.py": "x = 1\n"}
    assert found(store, repo, files) == {"pkg/_fakes.py"}


@pytest.mark.parametrize(
    ("path", "content"),
    [
        ("pkg/__init__.py", "from . import _fakes\n"),
        ("pkg/__init__.pyi", "from ._fakes import check as check\n"),
        ("pkg/__init__.py", "lazy.attach(__name__, submodules=['_fakes'])\n"),
        ("pyproject.toml", "[project.entry-points.x]\na = 'pkg._fakes:check'\n"),
        ("docs/api.rst", ".. automodule:: pkg._fakes\n"),
        ("benchmarks/b.py", "import pkg._fakes\n"),
    ],
)
def test_a_module_that_anything_else_names_is_not_one(store, repo, path, content):
    assert found(store, repo, {**HELPER, path: content}) == set()


def test_a_public_module_that_only_tests_happen_to_import_is_not_one(store, repo):
    files = {
        "pkg/quantity.py": "def convert(): ...\n",
        "tests/test_x.py": "from pkg.quantity import convert\n",
    }
    assert found(store, repo, files) == set()


def test_a_module_that_no_test_imports_is_not_one(store, repo):
    assert found(store, repo, {"pkg/fakes.py": "", "tests/test_x.py": "# fakes\nx = 'fakes'\n"}) == set()


def test_a_test_that_does_not_parse_says_nothing(store, repo):
    assert found(store, repo, {"pkg/_fakes.py": "", "tests/test_x.py": "import _fakes\ndef (\n"}) == set()
