"""What would be imported in place of a restored file, and the honest changes that look like it."""

import pytest

from truelap.policy import load_policy, matches
from truelap.prepare.rivals import rivals

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
)


def found(*added, gone=()):
    return rivals(added, BASE, frozenset(gone), lambda path: matches(GUARDS, path))


@pytest.mark.parametrize(
    "path",
    [
        b"conftest/__init__.py",
        b"pkg/test_core/__init__.py",
        b"tests.py",
        b"benchmarks.py",
        b"pkg/core/__init__.py",
    ],
)
def test_it_hides_what_base_has(path):
    assert found(path) == {path}


@pytest.mark.parametrize(
    "path", [b"pkg/tests.py", b"checked.py", b"conftest/readme.md", b"pkg/core/part.py", b"new/__init__.py"]
)
def test_it_hides_nothing(path):
    assert found(path) == frozenset()


def test_a_module_may_become_a_package():
    assert found(b"pkg/core/__init__.py", gone=[b"pkg/core.py"]) == frozenset()
