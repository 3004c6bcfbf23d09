"""Import roots: worked out from base, unless the task file names them."""

import pytest

from truelap.task import Environment, import_roots


@pytest.mark.parametrize(
    ("paths", "expected"),
    [
        ([b"pkg/__init__.py", b"setup.py"], ("",)),
        ([b"src/pkg/__init__.py", b"pyproject.toml"], ("src", "")),
        ([b"src/__init__.py", b"src/a.py"], ("",)),
        ([b"src/lib.c"], ("",)),
        ([b"python/pyproject.toml", b"python/src/pkg/__init__.py", b"c/lib.c"], ("", "python/src", "python")),
        ([b"tests/data/proj/pyproject.toml", b"m.py"], ("",)),
    ],
)
def test_roots_follow_the_layout_of_base(paths, expected):
    assert import_roots(Environment(), paths) == expected


def test_the_task_file_has_the_last_word():
    assert import_roots(Environment(python_path=("lib/", ".")), [b"src/a.py"]) == ("lib", "")
