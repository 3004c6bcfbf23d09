from __future__ import annotations

import pytest


@pytest.mark.parametrize(
    "path",
    [
        b"/etc/passwd",
        b"\\etc\\passwd",
        b"..",
        b"../x",
        b"a/../../x",
        b"a/..",
        b"a//b",
        b"a/",
        b"",
        b"./a",
        b"a/./b",
        b"C:/x",
        b"..\\x",
        b"a\\..\\x",
    ],
)
def test_a_path_that_is_not_plain_and_relative_is_refused(action, added, path):
    assert action(added(path)) == "refuse"


@pytest.mark.parametrize(
    "path", [b"a/b.py", b"a/..b", b"a/...", b".hidden", b"a b/c", b"x:y", b"a/b..c", b"odd\\name"]
)
def test_plain_paths_are_fine(action, added, path):
    assert action(added(path)) is None
