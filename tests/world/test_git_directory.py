"""A pristine directory becomes one tree: what is there counts, not what a repository in it says."""

import os

import pytest

from truelap.errors import UsageError
from truelap.model import EXECUTABLE, REGULAR, SYMLINK


def paths(store, tree):
    return {os.fsdecode(file.path) for file in store.list_tree(tree)}


def test_untracked_suites_nested_repositories_and_submodules_become_plain_files(store, repo, make_repo):
    repo.commit({"pkg/a.py": "1\n", ".gitignore": "*.log\n"})
    make_repo("repo/astropy-benchmarks").commit({"benchmarks/wcs.py": "x\n"})
    make_repo("repo/empty-nested").write({"b.py": "never committed\n"})
    make_repo("elsewhere").commit({"lib.c": "int x;\n"})
    repo.git("-c", "protocol.file.allow=always", "submodule", "-q", "add", "../elsewhere", "ext/sub")
    repo.write({"untracked/bench.py": "x\n", "out.log": "noise\n"})
    tree = store.import_directory(repo.folder)
    assert paths(store, tree) == {
        ".gitignore",
        ".gitmodules",
        "pkg/a.py",
        "astropy-benchmarks/benchmarks/wcs.py",
        "empty-nested/b.py",
        "ext/sub/lib.c",
        "untracked/bench.py",
    }


def test_ignored_build_outputs_stay_out_unless_carried(store, repo):
    repo.commit({".gitignore": "build/\n*.so\n*.c\n!keep.c\n", "sub/.gitignore": "/local\n"})
    repo.write(
        {"build/x.o": "", "pkg/_ext.so": "elf", "pkg/_ext.c": "", "keep.c": "", "sub/local": "", "local": ""}
    )
    repo.write({"pkg/__pycache__/a.pyc": "", "pkg/b.pyc": ""})
    always = {".gitignore", "sub/.gitignore", "keep.c", "local"}
    assert paths(store, store.import_directory(repo.folder)) == always
    carried = store.import_directory(repo.folder, ("pkg/*.so", "*.pyc", "__pycache__/"))
    assert paths(store, carried) == always | {"pkg/_ext.so"}


def test_what_a_repository_tracks_is_in_although_ignored(store, repo, make_repo):
    repo.write({"data/x.log": "wanted\n", ".gitignore": "*.log\nsuite/\n"})
    repo.git("add", "-f", "data/x.log", ".gitignore")
    make_repo("repo/suite").commit({"benchmarks/b.py": "x\n"})
    repo.write({"suite/results/r.json": "{}", "other.log": ""})
    assert paths(store, store.import_directory(repo.folder)) == {
        ".gitignore",
        "data/x.log",
        "suite/benchmarks/b.py",
    }


def test_modes_links_and_odd_names(store, tmp_path):
    folder = tmp_path / "plain"
    folder.mkdir()
    odd = os.fsdecode(b'sp ace"\n\xff.py')
    (folder / odd).write_bytes(b"\0")
    (folder / "run.sh").write_text("x")
    (folder / "run.sh").chmod(0o700)
    (folder / "link").symlink_to("/etc/passwd")
    (folder / "up").symlink_to("..")
    os.mkfifo(folder / "pipe")
    found = {
        os.fsdecode(f.path): (f.mode, store.blob(f.blob))
        for f in store.list_tree(store.import_directory(folder))
    }
    assert found == {
        odd: (REGULAR, b"\0"),
        "run.sh": (EXECUTABLE, b"x"),
        "link": (SYMLINK, b"/etc/passwd"),
        "up": (SYMLINK, b".."),
    }


def test_no_folder_is_one_clear_line(store, tmp_path):
    with pytest.raises(UsageError, match="no folder"):
        store.import_directory(tmp_path / "nothing")


def test_a_name_that_git_cannot_hold_is_said(store, tmp_path):
    (tmp_path / "x" / ".GIT").mkdir(parents=True)
    (tmp_path / "x" / ".GIT" / "config").write_text("")
    with pytest.raises(UsageError, match="git cannot hold"):
        store.import_directory(tmp_path / "x")
