"""What base's own pytest set-up makes test code."""

import re

import pytest

from truelap.pytest_config import pick
from truelap.pytest_config import test_code_patterns as patterns_of


def patterns(ini: str, *conftests: str) -> tuple[str, ...]:
    config = pick(lambda path: ini.encode() if path == "pytest.ini" else None, ("",), (9,))
    return patterns_of(config, [text.encode() for text in conftests], {"pkg.shipped"}.__contains__)


def found(ini: str, path: str, *conftests: str) -> bool:
    return any(re.search(pattern, path) for pattern in patterns(ini, *conftests))


CHECKS = "[pytest]\npython_files = check_*.py test_*.py\n"
ALL_BELOW = "[pytest]\npython_files = *.py\ntestpaths = checks\n"


@pytest.mark.parametrize(
    ("ini", "path", "is_test"),
    [
        (CHECKS, "checks/check_x.py", True),
        (CHECKS, "pkg/checking.py", False),
        ("[pytest]\npython_files = tests.py\n", "pkg/tests.py", True),
        ("[pytest]\npython_files = tests.py\n", "pkg/my_tests.py", False),
        (ALL_BELOW, "checks/anything.py", True),
        (ALL_BELOW, "pkg/core.py", False),
        ("[pytest]\npython_files = *.py\n", "pkg/core.py", False),
        ("[pytest]\n", "pkg/core.py", False),
    ],
)
def test_what_test_modules_are_called(ini, path, is_test):
    assert found(ini, path) is is_test


@pytest.mark.parametrize(
    "conftest",
    [
        'pytest_plugins = ["pkg.fixtures"]',
        'pytest_plugins = "pkg.fixtures"',
        "pytest_plugins: list = ['pkg.fixtures']",
    ],
)
def test_modules_that_a_conftest_loads(conftest):
    assert found("[pytest]\n", "src/pkg/fixtures.py", conftest)
    assert found("[pytest]\n", "pkg/fixtures/__init__.py", conftest)
    assert not found("[pytest]\n", "pkg/fixtures_of_doors.py", conftest)


def test_a_conftest_that_does_not_parse_names_nothing():
    assert patterns("[pytest]\n", "pytest_plugins = [") == ()


@pytest.mark.parametrize(
    "option", ["-p pkg.fixtures", "-q -ppkg.fixtures", "-p no:cacheprovider -p pkg.fixtures -v"]
)
def test_modules_that_base_has_pytest_load(option):
    ini = f"[pytest]\naddopts = {option}\n"
    assert found(ini, "src/pkg/fixtures.py")
    assert found(ini, "pkg/fixtures/__init__.py")
    assert not found(ini, "pkg/core.py")


@pytest.mark.parametrize(
    "option", ["-p no:cacheprovider", "-p pkg.shipped", "-q --pyargs pkg", "-p", "-k pkg"]
)
def test_other_options_load_nothing(option):
    assert patterns(f"[pytest]\naddopts = {option}\n") == ()
