"""What would be imported in place of a restored file, and the honest changes that look like it."""

import pytest

from truelap.policy import load_policy, matches
from truelap.prepare.rivals import Rivals

POLICY = load_policy()
GUARDS = (*POLICY.protected.patterns, *POLICY.test_code.patterns)
BASE = (
    b"conftest.py",
    b"pkg/__init__.py",
    b"pkg/core.py",
    b"pkg/test_core.py",
    b"tests/helpers.py",
    b"tests/test_x.py",
    b"benchmarks/suite.py",
    b"checked/__init__.py",
    b"checked/tests/test_y.py",
    b"bare/tests/test_z.py",
    b"bare/test_more.py",
    b"bare/conftest.py",
)
# Found by its name alone: tests at its side import it.
HELPER = b"bare/helper.py"


PLACES = (b"", b"src", b"bare")


def rivals():
    return Rivals((*BASE, HELPER), lambda path: path == HELPER or matches(GUARDS, path), PLACES)


def found(*added, gone=()):
    return rivals().among(added, frozenset(gone))


@pytest.mark.parametrize(
    "path",
    [
        b"conftest/__init__.py",
        b"pkg/test_core/__init__.py",
        b"tests.py",
        b"benchmarks.py",
        b"pkg/core/__init__.py",
        b"pkg/core/__init__.abi3.so",
        b"conftest.abi3.so",
        b"pkg/test_core.cpython-311-x86_64-linux-gnu.so",
        b"tests.so",
        b"src/conftest.so",
        b"src/benchmarks/__init__.py",
        b"bare/tests.py",
        b"helper.py",
        b"src/checked/tests/test_y.so",
        b"src/helper/__init__.py",
    ],
)
def test_it_hides_what_base_has(path):
    assert found(path) == {path}


@pytest.mark.parametrize(
    "path",
    [
        b"pkg/tests.py",
        b"pkg/core.abi3.so",
        b"checked.py",
        b"conftest/readme.md",
        b"pkg/core/part.py",
        b"new/__init__.py",
        b"src/new.py",
        b"pkg/helper.py",
        b"src/pkg2/conftest_more.so",
    ],
)
def test_it_hides_nothing(path):
    assert found(path) == frozenset()


def test_a_module_may_become_a_package():
    assert found(b"pkg/core/__init__.py", gone=[b"pkg/core.py"]) == frozenset()


def test_the_package_files_above_restored_modules():
    links, gaps = rivals().package_files()
    assert links == {b"pkg/__init__.py"}
    assert gaps == {
        b"__init__.py",
        b"tests/__init__.py",
        b"benchmarks/__init__.py",
        b"checked/tests/__init__.py",
        b"bare/__init__.py",
        b"bare/tests/__init__.py",
    }
