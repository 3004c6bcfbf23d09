"""A repository that its author has broken: base can be read or is refused in one line, and what was submitted gets a verdict."""

import os
import shutil
import zlib
from pathlib import Path

import pytest

from truelap.errors import UsageError
from truelap.policy import load_policy
from truelap.prepare.base import base_of_directory, base_of_revision
from truelap.prepare.collect import Head, Worktree, collect_patch
from truelap.world.git import Store

POLICY = load_policy()
FILES = {"pkg/a.py": "one\n", "pkg/b.py": "b\n"}


def a_pipe(git, name):
    path = git / name
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
    os.mkfifo(path)


def a_folder(git, name):
    (git / name).unlink(missing_ok=True)
    (git / name).mkdir()


def a_file(git, name):
    shutil.rmtree(git / name)
    (git / name).write_bytes(b"\0")


def a_loop(git, name):
    path = git / name
    shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
    path.symlink_to(name)


def holding(name, content):
    def broken(git):
        (git / name).parent.mkdir(parents=True, exist_ok=True)
        (git / name).write_bytes(content)

    return broken


def pointing(content):
    def broken(git):
        shutil.rmtree(git)
        git.write_bytes(content)

    return broken


def loose(git):
    return [path for path in git.glob("objects/??/*") if path.is_file()]


def each_object(change):
    def broken(git):
        for path in loose(git):
            path.chmod(0o644)
            path.write_bytes(change(path.read_bytes()))

    return broken


def another(content):
    return zlib.compress(b"blob %d\0" % len(content) + content)


def deep_refs(git):
    place = os.open(git / "refs/heads", os.O_RDONLY)
    for _ in range(300):
        os.mkdir("d", dir_fd=place)
        inner = os.open("d", os.O_RDONLY, dir_fd=place)
        os.close(place)
        place = inner
    os.close(place)


HEADS = b"x" * 40
BREAKS = {
    "no HEAD": lambda git: (git / "HEAD").unlink(),
    "HEAD is a pipe": lambda git: a_pipe(git, "HEAD"),
    "HEAD is a folder": lambda git: a_folder(git, "HEAD"),
    "HEAD is a loop": lambda git: a_loop(git, "HEAD"),
    "HEAD is junk": holding("HEAD", b"\0\xff\n\n"),
    "HEAD is long": holding("HEAD", b"x" * 100_000),
    "HEAD names itself": holding("HEAD", b"ref: HEAD\n"),
    "a branch names itself": holding("refs/heads/main", b"ref: refs/heads/main\n"),
    "a branch is junk": holding("refs/heads/main", b"\0" * 40),
    "a branch is another object": holding("refs/heads/main", HEADS),
    "no refs": lambda git: shutil.rmtree(git / "refs"),
    "refs is a file": lambda git: a_file(git, "refs"),
    "refs is a loop": lambda git: a_loop(git, "refs"),
    "refs is a pipe": lambda git: a_pipe(git, "refs"),
    "a ref is a pipe": lambda git: os.mkfifo(git / "refs/heads/pipe"),
    "deep refs": deep_refs,
    "packed-refs is a folder": lambda git: a_folder(git, "packed-refs"),
    "packed-refs is junk": holding("packed-refs", b"\0\xff \n" * 100 + b"refs/heads/main"),
    "shallow is junk": holding("shallow", b"\0\xff\n"),
    "shallow is a folder": lambda git: a_folder(git, "shallow"),
    "commondir is junk": holding("commondir", b"\0\n"),
    "commondir is itself": holding("commondir", b".\n"),
    "commondir is the root": holding("commondir", b"/\n"),
    "commondir is long": holding("commondir", b"x/" * 2000),
    "no objects": lambda git: shutil.rmtree(git / "objects"),
    "objects is a file": lambda git: a_file(git, "objects"),
    "objects is a loop": lambda git: a_loop(git, "objects"),
    "objects are empty": each_object(lambda _: b""),
    "objects are cut": each_object(lambda content: content[:-3]),
    "objects are junk": each_object(lambda content: b"\xff" * len(content)),
    "objects are others": each_object(lambda _: another(b"x")),
    "objects are bombs": each_object(lambda _: zlib.compress(b"commit 999999999999\0" + bytes(10_000_000))),
    "a pack is junk": holding("objects/pack/pack-1.idx", b"\xfftOc" + bytes(2000)),
    "alternates are junk": holding("objects/info/alternates", b"\0\n/dev/zero\n../../..\n"),
    ".git names nothing": pointing(b"gitdir: /nonexistent\n"),
    ".git names itself": pointing(b"gitdir: .git\n"),
    ".git is junk": pointing(b"\0\xff"),
    ".git names junk": pointing(b"gitdir: a\0b\n"),
    ".git is empty": pointing(b""),
    ".git is long": pointing(b"gitdir: " + b"x/" * 5000),
    ".git is a long name": pointing(b"gitdir: " + b"x" * 3000),
}


@pytest.fixture
def broken(repo):
    """A commit with a base below it, whose `.git` is then broken as named."""
    base = repo.commit(FILES)
    repo.write({"pkg/a.py": "two\n"})

    def make(how):
        BREAKS[how](repo.folder / ".git")
        return base

    return make


def is_one_line(text):
    return 0 < len(text) < 1000 and "\n" not in text


def attempt(call):
    """What a call gives, and what it says when it gives nothing; any other error is the test's."""
    try:
        return call(), None
    except UsageError as error:
        return None, str(error)


@pytest.mark.parametrize("how", BREAKS)
def test_a_base_is_read_or_refused_in_one_line(store, repo, broken, how):
    commit = broken(how)
    base, said = attempt(lambda: base_of_revision(store, repo.folder, commit))
    if base is None:
        assert is_one_line(said)
    else:
        assert base.commit == commit
        assert {file.path for file in store.list_tree(base.tree)} == {name.encode() for name in FILES}


@pytest.mark.parametrize("how", BREAKS)
def test_a_working_tree_is_judged_by_its_files_whatever_its_git(store, tmp_path, repo, broken, how):
    shutil.copytree(repo.folder, tmp_path / "pristine", ignore=shutil.ignore_patterns(".git"))
    (tmp_path / "pristine/pkg").mkdir(exist_ok=True)
    for name, content in FILES.items():
        (tmp_path / "pristine" / name).write_text(content)
    broken(how)
    base = base_of_directory(store, tmp_path / "pristine")
    patch, _ = collect_patch(store, base, Worktree(repo.folder), POLICY)
    assert [entry.path for entry in patch.entries] == [b"pkg/a.py"]


@pytest.mark.parametrize("how", BREAKS)
def test_a_commit_is_judged_or_is_not_there(tmp_path, repo, make_repo, how):
    commit = repo.commit(FILES)
    store = Store.create(tmp_path / "s.git")
    base = base_of_revision(store, repo.folder, commit)
    repo.write({"pkg/a.py": "two\n"})
    head = repo.commit()
    BREAKS[how](repo.folder / ".git")
    for revision in (head, "main", head[:9]):
        submitted = Head(repo.folder, revision)
        found, said = attempt(lambda submitted=submitted: collect_patch(store, base, submitted, POLICY)[0])
        paths = [entry.path for entry in found.entries] if found else []
        assert paths == [b"pkg/a.py"] or is_one_line(said or found.error)


def test_a_commit_whose_content_is_gone_is_a_diff_that_cannot_be_had(store, repo):
    base = base_of_revision(store, repo.folder, repo.commit(FILES))
    repo.write({"pkg/a.py": "two\n"})
    head = repo.commit()
    blob = repo.git("rev-parse", "HEAD:pkg/a.py").decode().strip()
    Path(repo.folder, ".git/objects", blob[:2], blob[2:]).unlink()
    patch, _ = collect_patch(store, base, Head(repo.folder, head), POLICY)
    assert patch.applied is False
    assert "missing" in patch.error
