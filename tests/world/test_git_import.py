"""A tree comes out of a repository that nobody trusts: only what its ids say, and nothing of it runs."""

import os
import zlib
from pathlib import Path

import pytest

from truelap.errors import UsageError
from truelap.model import REGULAR
from truelap.world.git_import import _tree_of
from truelap.world.git_process import Git


def contents(store, tree):
    return {file.path: store.blob(file.blob) for file in store.list_tree(tree)}


def snapshot(folder: Path) -> dict:
    """Everything about every file but its access time."""
    found = {}
    for path in sorted(folder.rglob("*"), key=os.fspath):
        facts = path.lstat()
        body = path.readlink() if path.is_symlink() else path.read_bytes() if path.is_file() else None
        found[path] = (facts.st_mode, facts.st_mtime_ns, facts.st_ino, body)
    return found


def loose(repo, name: str) -> Path:
    path = repo.folder / ".git/objects" / name[:2] / name[2:]
    assert path.exists()
    path.chmod(0o644)
    return path


def forge(repo, name: str, kind: bytes, content: bytes) -> None:
    """Put another content into the store of a repository under an old id."""
    loose(repo, name).write_bytes(zlib.compress(kind + b" %d\0" % len(content) + content))


@pytest.mark.parametrize("packed", [False, True])
def test_every_way_to_name_a_commit(store, repo, packed):
    first = repo.commit({"a.py": "1\n"})
    repo.git("tag", "-m", "an annotated tag", "v1")
    second = repo.commit({"a.py": "2\n"})
    repo.git("symbolic-ref", "refs/remotes/origin/HEAD", "refs/heads/main")
    if packed:
        repo.git("gc", "-q")
    for name, commit in {
        first: first,
        first[:10]: first,
        "v1": first,
        "HEAD": second,
        "HEAD~1": first,
        "main": second,
        "origin/HEAD": second,
        "refs/heads/main^": first,
    }.items():
        assert store.import_revision(repo.folder, name).commit == commit, name


def test_the_repository_stays_as_it_is_and_no_history_comes_along(store, repo):
    repo.commit({"a.py": "1\n", "secret.py": "the expert's fix\n"})
    repo.git("rm", "-q", "secret.py")
    repo.commit({"a.py": "2\n"})
    before = snapshot(repo.folder)
    found = store.import_revision(repo.folder, "HEAD")
    assert snapshot(repo.folder) == before
    assert contents(store, found.tree) == {b"a.py": b"2\n"}
    kinds = store.git.run("cat-file", "--batch-check", "--batch-all-objects").split()[1::3]
    assert sorted(kinds) == [b"blob", b"tree"]


def test_a_linked_worktree_a_bare_clone_and_a_shallow_one(store, repo, tmp_path):
    repo.commit({"a.py": "1\n"})
    head = repo.commit({"a.py": "2\n"})
    repo.git("worktree", "add", "-q", "-b", "side", str(tmp_path / "linked"))
    repo.git("clone", "-q", "--bare", ".", str(tmp_path / "bare.git"))
    repo.git("clone", "-q", "--depth=1", f"file://{repo.folder}", str(tmp_path / "shallow"))
    for folder in ("linked", "bare.git", "shallow"):
        assert store.import_revision(tmp_path / folder, "HEAD").commit == head
    assert store.import_revision(tmp_path / "linked", "side").commit == head
    with pytest.raises(UsageError, match="no commit 'HEAD~1'"):
        store.import_revision(tmp_path / "shallow", "HEAD~1")


@pytest.mark.parametrize("name", ["with:colon", 'with"quote', "back\\slash", "new\nline", "-dash", "ünïcode"])
def test_odd_folder_names(store, make_repo, name):
    repo = make_repo(name)
    head = repo.commit({"a.py": "1\n"})
    assert store.import_revision(repo.folder, "HEAD").commit == head


@pytest.mark.parametrize(
    "name", ["nope", "", "--all", "HEAD:a.py", "a b", "x\0y", "1" * 40, "HEAD^{tree}", "@{-1}"]
)
def test_a_bad_revision_is_one_clear_line(store, repo, name):
    repo.commit({"a.py": "1\n"})
    with pytest.raises(UsageError, match=r"no commit .*; name a commit id, branch or tag") as caught:
        store.import_revision(repo.folder, name)
    assert "\n" not in str(caught.value)


def test_no_repository_is_one_clear_line(store, tmp_path):
    with pytest.raises(UsageError, match="no git repository; name its root folder"):
        store.import_revision(tmp_path, "HEAD")


def test_a_sha256_repository_is_named_as_such(store, tmp_path, make_repo):
    repo = make_repo("plain")
    repo.git("init", "-q", "--object-format=sha256", str(tmp_path / "long"))
    repo.folder = tmp_path / "long"
    repo.commit({"a": "1"})
    with pytest.raises(UsageError, match="SHA-256"):
        store.import_revision(repo.folder, "HEAD")


def test_gitlinks_are_left_out_and_named(store, repo, make_repo):
    inner = make_repo("inner")
    commit = inner.commit({"x": "1"})
    repo.commit({"a.py": "1\n"})
    repo.git("update-index", "--add", "--cacheinfo", f"160000,{commit},ext/sub")
    repo.git("commit", "-q", "-m", "a submodule")
    found = store.import_revision(repo.folder, "HEAD")
    assert found.gitlinks == ((b"ext/sub", commit),)
    assert [file.path for file in store.list_tree(found.tree)] == [b"a.py"]


def test_old_file_modes_come_in_their_present_form(store, repo):
    blob = repo.git("hash-object", "-w", "--stdin", stdin=b"x").decode().strip()
    raw = b"100664 a.py\0" + bytes.fromhex(blob)
    tree = repo.git("hash-object", "-t", "tree", "-w", "--stdin", "--literally", stdin=raw).decode().strip()
    commit = repo.git("commit-tree", tree, "-m", "old").decode().strip()
    found = store.import_revision(repo.folder, commit)
    assert [(file.path, file.mode) for file in store.list_tree(found.tree)] == [(b"a.py", REGULAR)]


# Forgeries. Each first shows that the repository's own git believes it.


def test_a_replace_reference_is_not_followed(store, repo):
    base = repo.commit({"a.py": "honest\n"})
    evil = repo.commit({"a.py": "forged\n"})
    repo.git("replace", base, evil)
    assert repo.git("show", f"{base}:a.py") == b"forged\n"
    repo.git("pack-refs", "--all")
    repo.git("replace", "-f", repo.git("rev-parse", f"{base}:a.py").decode().strip(), f"{evil}:a.py")
    assert contents(store, store.import_revision(repo.folder, base).tree) == {b"a.py": b"honest\n"}


@pytest.mark.parametrize("where", ["blob", "tree", "commit"])
def test_a_forged_object_is_not_what_its_id_says(store, repo, where):
    base = repo.commit({"a.py": "honest\n"})
    repo.commit({"a.py": "forged\n"})
    suffix = {"blob": ":a.py", "tree": "^{tree}", "commit": ""}[where]
    old = repo.git("rev-parse", base + suffix).decode().strip()
    content = repo.git("cat-file", where, "HEAD" + suffix)
    forge(repo, old, where.encode(), content)
    assert repo.git("cat-file", where, old) == content
    with pytest.raises(UsageError, match=r"what their|what its|no commit"):
        store.import_revision(repo.folder, base)


def test_a_forged_commit_is_noticed_whether_or_not_git_notices(repo):
    base = repo.commit({"a.py": "honest\n"})
    repo.commit({"a.py": "forged\n"})
    git = Git(repo.folder / ".git")
    assert _tree_of(git, base, repo.folder) == repo.git("rev-parse", f"{base}^{{tree}}").decode().strip()
    forge(repo, base, b"commit", repo.git("cat-file", "commit", "HEAD"))
    with pytest.raises(UsageError, match="not what its id says"):
        _tree_of(git, base, repo.folder)


def test_a_missing_object_is_said(store, repo):
    base = repo.commit({"a.py": "honest\n", "b/c.py": "x\n"})
    loose(repo, repo.git("rev-parse", "HEAD:b/c.py").decode().strip()).unlink()
    with pytest.raises(UsageError, match="missing or not what their ids say"):
        store.import_revision(repo.folder, base)


@pytest.mark.parametrize("make", [os.mkfifo, lambda path: path.symlink_to("/dev/zero")])
def test_a_pipe_among_the_objects_is_not_waited_for(store, repo, make):
    base = repo.commit({"a.py": "honest\n"})
    path = loose(repo, repo.git("rev-parse", "HEAD:a.py").decode().strip())
    path.unlink()
    make(path)
    with pytest.raises(UsageError, match="a link or special file lies among the objects"):
        store.import_revision(repo.folder, base)


def test_objects_in_an_alternate_count_once_their_ids_hold(store, repo, tmp_path):
    base = repo.commit({"a.py": "honest\n"})
    repo.git("clone", "-q", "--shared", ".", str(tmp_path / "borrower"))
    assert (tmp_path / "borrower/.git/objects/info/alternates").exists()
    assert contents(store, store.import_revision(tmp_path / "borrower", base).tree) == {b"a.py": b"honest\n"}
    forge(repo, repo.git("rev-parse", "HEAD:a.py").decode().strip(), b"blob", b"forged\n")
    with pytest.raises(UsageError, match="not what their ids say"):
        type(store).create(tmp_path / "second").import_revision(tmp_path / "borrower", base)


def test_configuration_and_hooks_of_the_repository_have_no_say(store, repo, tmp_path):
    base = repo.commit({"a.py": "honest\n", "d/b.py": "x\n"})
    canary = tmp_path / "canary"
    (tmp_path / "evil.sh").write_text(f"#!/bin/sh\ntouch {canary}\n")
    (tmp_path / "evil.sh").chmod(0o755)
    (tmp_path / "more.cfg").write_text(f"[core]\n\tfsmonitor = {tmp_path}/evil.sh\n")
    config = repo.folder / ".git/config"
    config.write_text(
        f"{config.read_text()}[include]\n\tpath = {tmp_path}/more.cfg\n[core]\n\tworktree = /nonexistent\n"
        f"\thooksPath = {tmp_path}\n\tpartialCloneFilter = x\n\talternateRefsCommand = {tmp_path}/evil.sh\n"
        "[extensions]\n\tnonsense = true\n[uploadpack]\n\tpackObjectsHook = " + f"{tmp_path}/evil.sh\n"
    )
    (repo.folder / ".git/objects/info").mkdir(exist_ok=True)
    found = store.import_revision(repo.folder, base)
    assert contents(store, found.tree) == {b"a.py": b"honest\n", b"d/b.py": b"x\n"}
    assert not canary.exists()


def test_pipes_and_links_in_place_of_references_are_passed_over(store, repo):
    base = repo.commit({"a.py": "honest\n"})
    os.mkfifo(repo.folder / ".git/refs/heads/pipe")
    (repo.folder / ".git/refs/heads/link").symlink_to("/etc/passwd")
    (repo.folder / ".git/refs/heads/bad").write_bytes(b"\xff" * 100)
    assert store.import_revision(repo.folder, base).commit == base


def test_a_branch_named_like_a_short_commit_id_decides_nothing(store, repo):
    commit = repo.commit({"a.py": "x = 1\n"})
    repo.git("checkout", "-q", "-b", "other")
    repo.commit({"a.py": "x = 2\n"})
    repo.git("branch", commit[:8])
    repo.git("branch", commit)
    with pytest.raises(UsageError, match="full id"):
        store.import_revision(repo.folder, commit[:8])
    assert store.import_revision(repo.folder, commit).commit == commit
    assert store.import_revision(repo.folder, commit[:9]).commit == commit


def test_a_tag_that_only_looks_like_a_commit_id_is_a_name(store, repo):
    commit = repo.commit({"a.py": "x = 1\n"})
    tag = "20260101" if not commit.startswith("2026") else "30260101"
    repo.git("tag", tag)
    assert store.import_revision(repo.folder, tag).commit == commit
