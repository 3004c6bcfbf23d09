from __future__ import annotations

import pytest


@pytest.mark.parametrize(
    "path",
    [
        b".git/hooks/post-checkout",
        b"pkg/.git/config",
        b".git",
        b".GIT/config",
        b".git./config",
        b".git /config",
        b".git . /config",
        b"git~1/config",
        b"GIT~2/config",
        b".git::$INDEX_ALLOCATION/config",
        b"a\\.git\\config",
        ".g\u200cit/config".encode(),
        ".git\ufeff/config".encode(),
    ],
)
def test_each_name_of_a_git_folder_is_refused(action, added, path):
    assert action(added(path)) == "refuse"


@pytest.mark.parametrize(
    "path",
    [
        b".gitignore",
        b".gitattributes",
        b".github/x.yml",
        b"pkg/git.py",
        b"pkg/x.git.py",
        b"git~x",
        b"a/b.git",
    ],
)
def test_names_that_only_look_alike_are_fine(action, added, path):
    assert action(added(path)) is None
