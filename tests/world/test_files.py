"""Trees on disk: what is written is what the store holds, and every later change is noticed."""

import os
import shutil
from pathlib import Path

import pytest

from truelap.errors import WorldError
from truelap.model import EXECUTABLE, REGULAR, SYMLINK
from truelap.world.files import copy_tree, deviations, overlaid, write_tree

ODD = b'caf\xc3\xa9 \xff"\n.py'


@pytest.fixture
def tree(store):
    entries = [
        (b"a.py", REGULAR, b"one\r\n"),
        (b"bin/run", EXECUTABLE, b"#!/bin/sh\n"),
        (b"bin/sub/deep/x", REGULAR, b""),
        (b"link", SYMLINK, b"bin"),
        (b".gitattributes", REGULAR, b"* text eol=crlf ident filter=evil\n"),
        (b"id", REGULAR, b"$Id$\n"),
        (ODD, REGULAR, b"\0"),
    ]
    return store.replace(None, [(path, mode, store.add_blob(content)) for path, mode, content in entries])


def test_raw_contents_modes_and_links(store, tree, tmp_path):
    old = os.umask(0o077)
    try:
        written = write_tree(store, tree, tmp_path / "out")
    finally:
        os.umask(old)
    root = written.root
    assert (root / "a.py").read_bytes() == b"one\r\n"
    assert (root / "id").read_bytes() == b"$Id$\n"
    assert (root / os.fsdecode(ODD)).read_bytes() == b"\0"
    assert str((root / "link").readlink()) == "bin"
    modes = {
        name: oct((root / name).stat().st_mode & 0o7777)
        for name in ("a.py", "bin/run", "bin", "bin/sub/deep", ".")
    }
    assert modes == {
        "a.py": "0o644",
        "bin/run": "0o755",
        "bin": "0o755",
        "bin/sub/deep": "0o755",
        ".": "0o755",
    }
    assert not deviations(root, written.manifest)


def change(root: Path, how: str) -> None:
    {
        "content": lambda: (root / "a.py").write_bytes(b"two\r\n"),
        "mode": lambda: (root / "a.py").chmod(0o755),
        "link": lambda: ((root / "link").unlink(), (root / "link").symlink_to("/etc")),
        "type": lambda: ((root / "a.py").unlink(), (root / "a.py").symlink_to("id")),
        "pipe": lambda: ((root / "a.py").unlink(), os.mkfifo(root / "a.py")),
    }[how]()


@pytest.mark.parametrize("how", ["content", "mode", "link", "type", "pipe"])
def test_a_change_is_noticed(store, tree, tmp_path, how):
    written = write_tree(store, tree, tmp_path / "out")
    change(written.root, how)
    found = deviations(written.root, written.manifest)
    assert (found.changed, found.missing, found.added) == (
        (b"link",) if how == "link" else (b"a.py",),
        (),
        (),
    )


def test_a_file_of_another_size_is_noticed_without_being_read(store, tree, tmp_path):
    written = write_tree(store, tree, tmp_path / "out")
    # Reading it would take minutes, and more memory than there is.
    os.truncate(written.root / "a.py", 1 << 37)
    assert deviations(written.root, written.manifest).changed == (b"a.py",)


def test_what_is_missing_or_new_is_noticed_git_folders_included(store, tree, tmp_path):
    written = write_tree(store, tree, tmp_path / "out")
    shutil.rmtree(written.root / "bin" / "sub")
    (written.root / ".git").mkdir()
    (written.root / ".git" / "config").write_text("")
    (written.root / "empty folder").mkdir()
    found = deviations(written.root, written.manifest)
    assert (found.changed, found.missing, found.added) == ((), (b"bin/sub/deep/x",), (b".git/config",))


def test_a_copy_is_equal_and_shares_nothing(store, tree, tmp_path):
    written = write_tree(store, tree, tmp_path / "out")
    (written.root / "build.log").write_text("not of the tree")
    copied = copy_tree(written, tmp_path / "copy")
    assert not deviations(copied.root, written.manifest)
    assert (copied.root / "a.py").stat().st_ino != (written.root / "a.py").stat().st_ino
    (copied.root / "a.py").write_bytes(b"")
    assert (written.root / "a.py").read_bytes() == b"one\r\n"


def test_a_copy_works_where_the_kernel_cannot(store, tree, tmp_path, monkeypatch):
    def refuse(*_):
        raise OSError(18, "Invalid cross-device link")

    written = write_tree(store, tree, tmp_path / "out")
    monkeypatch.setattr(os, "copy_file_range", refuse)
    assert not deviations(copy_tree(written, tmp_path / "copy").root, written.manifest)


def test_only_a_fresh_folder_is_written_into(store, tree, tmp_path):
    (tmp_path / "used").mkdir()
    (tmp_path / "used" / "bin").symlink_to("/tmp")
    with pytest.raises(WorldError, match="not an empty folder"):
        write_tree(store, tree, tmp_path / "used")
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "link").symlink_to("elsewhere")
    with pytest.raises(WorldError, match="not an empty folder"):
        write_tree(store, tree, tmp_path / "link")
    (tmp_path / "empty").mkdir()
    assert write_tree(store, tree, tmp_path / "empty").manifest


def test_a_tree_takes_some_paths_from_another(tmp_path, store):
    def written(name, files):
        folder = tmp_path / f"{name}-source"
        for path, content in files.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_bytes(content)
        return write_tree(store, store.import_directory(folder, ()), tmp_path / name)

    base = written("base", {"a/b": b"1", "c": b"2", "d/e": b"3"})
    other = written("other", {"a": b"in the way", "c/x": b"in the way", "d/e": b"4", "f": b"5"})
    made = overlaid(other, base, (b"a/b", b"c"), tmp_path / "made")
    assert set(made.manifest) == {b"a/b", b"c", b"d/e", b"f"}
    assert not deviations(made.root, made.manifest)
    assert [(made.root / name).read_bytes() for name in ("a/b", "c", "d/e", "f")] == [b"1", b"2", b"4", b"5"]


@pytest.mark.parametrize(("folders", "holds"), [(100, True), (205, False)])
def test_a_tree_that_we_cannot_walk_is_no_error_of_usage(store, tmp_path, folders, holds):
    path = b"d/" * folders + b"x"
    tree = store.replace(None, [(path, REGULAR, store.add_blob(b"x"))])
    if holds:
        assert path in write_tree(store, tree, tmp_path / "out").manifest
    else:
        with pytest.raises(WorldError, match="nested deeper than 200"):
            write_tree(store, tree, tmp_path / "out")
