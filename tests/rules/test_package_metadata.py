from __future__ import annotations

import pytest


@pytest.mark.parametrize(
    "path",
    [
        b"evil-1.0.dist-info/entry_points.txt",
        b"evil.egg-info/PKG-INFO",
        b"src/evil.egg-info/entry_points.txt",
        b"evil.egg-info",
        b"EGG-INFO/entry_points.txt",
        b"Evil.Egg-Info/PKG-INFO",
        b"evil-1.0.DIST-INFO/METADATA",
        b"evil.egg-link",
        b"_distutils_hack/__init__.py",
        b"_distutils_hack.py",
        b"__editable__.evil-1.0.pth",
        b"__editable___evil_finder.py",
        b"tests/evil-1.0.dist-info/METADATA",
        b"\xc3\xa9/evil.dist-info/METADATA",
    ],
)
def test_new_metadata_is_refused(action, added, path):
    assert action(added(path)) == "refuse"


@pytest.mark.parametrize(
    "path", [b"pkg.egg-info/PKG-INFO", b"pkg.egg-info/entry_points.txt", b"a/EGG-INFO/x"]
)
def test_a_change_to_tracked_metadata_is_discarded(action, changed, path):
    assert action(changed(path)) == "discard"
    assert action(changed(path, None)) == "discard"


def test_a_new_file_in_a_tracked_folder_is_refused(action, added, scene):
    where = scene({b"pkg.egg-info/PKG-INFO": b""})
    assert action(added(b"pkg.egg-info/entry_points.txt"), where) == "refuse"


@pytest.mark.parametrize(
    "path",
    [b"docs/egg-info.md", b"pkg/dist_info.py", b"pkg/egg_info.py", b"pkg/dist-info/x.py", b"pkg/editable.py"],
)
def test_names_that_only_look_alike_are_fine(action, added, path):
    assert action(added(path)) is None
