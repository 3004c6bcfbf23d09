from __future__ import annotations

import pytest

from truelap.model import GITLINK


def test_a_submodule_is_refused(action, added, changed):
    assert action(added(b"vendor/lib", b"", GITLINK)) == "refuse"
    assert action(changed(b"vendor/lib", b"other", GITLINK, was=GITLINK)) == "refuse"


@pytest.mark.parametrize(
    "path",
    [
        b".gitmodules",
        b"sub/.gitmodules",
        b".GitModules",
        b"GITMOD~1",
        b".gitmodules ",
        ".git\u200cmodules".encode(),
    ],
)
def test_gitmodules_is_refused_under_each_of_its_names(action, added, path):
    assert action(added(path)) == "refuse"


def test_an_edited_gitmodules_is_refused(action, changed):
    assert action(changed(b".gitmodules")) == "refuse"


def test_taking_submodules_away_is_fine(action, changed):
    assert action(changed(b"vendor/lib", None, was=GITLINK)) is None
    assert action(changed(b".gitmodules", None)) is None


@pytest.mark.parametrize("path", [b".gitignore", b"docs/gitmodules.md", b"pkg/gitmodules.py"])
def test_names_that_only_look_alike_are_fine(action, added, path):
    assert action(added(path)) is None
