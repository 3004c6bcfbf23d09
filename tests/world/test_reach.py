"""Where other users get by modes alone, copies for where they do not, and links to folders under other names."""

from __future__ import annotations

import os
from pathlib import Path, PurePosixPath

import pytest

from truelap.world.links import is_native, linked
from truelap.world.reach import around, barrier, copy_for_all


@pytest.fixture
def open_place(grounds):
    folder = grounds.folder("reach")
    folder.chmod(0o755)
    return folder


def made(path: Path, mode: int, *, folder: bool = False) -> Path:
    if folder:
        path.mkdir()
    else:
        path.write_text("x")
    path.chmod(mode)
    return path


def test_nothing_in_the_way(open_place):
    assert barrier(made(open_place / "file", 0o644)) is None
    assert barrier(made(open_place / "folder", 0o755, folder=True)) is None


def test_the_first_closed_folder_is_named(open_place):
    closed = made(open_place / "closed", 0o700, folder=True)
    inner = made(closed / "inner", 0o755, folder=True)
    assert barrier(made(inner / "file", 0o644)) == closed
    assert barrier(inner, way_only=True) == closed


@pytest.mark.parametrize(("mode", "folder"), [(0o640, False), (0o711, True), (0o754, True)])
def test_the_path_itself_may_be_closed(open_place, mode, folder):
    path = made(open_place / "it", mode, folder=folder)
    assert barrier(path) == path
    assert barrier(path, way_only=True) is None


def test_links_are_followed_both_ways(open_place):
    closed = made(open_place / "closed", 0o700, folder=True)
    target = made(closed / "file", 0o644)
    (open_place / "link").symlink_to(target)
    assert barrier(open_place / "link") == closed
    outside = made(open_place / "outside", 0o644)
    (closed / "link").symlink_to(outside)
    assert barrier(closed / "link") == closed


def test_a_copy_can_be_read_by_all(open_place):
    source = made(open_place / "closed", 0o700, folder=True)
    made(source / "program", 0o700)
    made(source / "data", 0o600)
    (source / "link").symlink_to("data")
    copy = copy_for_all(source, open_place / "copy")
    assert all(barrier(path) is None for path in (copy, copy / "program", copy / "data", copy / "link"))
    assert os.access(copy / "program", os.X_OK)
    assert (copy / "link").is_symlink()
    assert (source / "data").stat().st_mode & 0o777 == 0o600
    assert barrier(copy_for_all(source / "data", open_place / "single")) is None


def test_pieces_around_something_hidden(tmp_path):
    for name in ("a/b/hidden/x", "a/b/c", "a/d", "e"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "a" / "file").write_text("")
    found = {str(path.relative_to(tmp_path)) for path in around(tmp_path, tmp_path / "a" / "b" / "hidden")}
    assert found == {"a/b/c", "a/d", "a/file", "e"}


def test_links_have_the_shape_of_the_names(tmp_path):
    for name in ("probes", "runner"):
        (tmp_path / name).mkdir()
    shown = {
        PurePosixPath("/nowhere/probes"): tmp_path / "probes",
        PurePosixPath("/nowhere/deep/runner"): tmp_path / "runner",
        PurePosixPath("/usr/nowhere"): tmp_path / "probes",
    }
    places = linked(shown, tmp_path / "links")
    assert places == {
        PurePosixPath("/nowhere"): tmp_path / "links" / "nowhere",
        PurePosixPath("/usr/nowhere"): tmp_path / "links" / "usr" / "nowhere",
    }
    assert (tmp_path / "links/nowhere/deep/runner").resolve() == tmp_path / "runner"
    assert linked({}, tmp_path / "none") == {}


def test_a_path_that_leads_there_already_needs_none(tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    assert is_native(PurePosixPath(tmp_path / "link"), tmp_path / "real")
    assert not is_native(PurePosixPath(tmp_path / "other"), tmp_path / "real")
