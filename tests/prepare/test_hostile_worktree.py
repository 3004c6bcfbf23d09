"""From a hostile working tree nothing runs, every edit is seen, and the user's repository stays as it was.

Each trick first shows on the repository's own git that it works: an edit is hidden there, or a program is run.
"""

import os
import shutil
import zlib
from pathlib import Path

import pytest

from truelap.policy import load_policy
from truelap.prepare.base import base_of_revision
from truelap.prepare.collect import Worktree, collect_patch

FILES = {"pkg/a.py": "honest\n", "pkg/b.py": "b\n", "benchmarks/x.py": "x\n", "lib/c.py": "c\n"}
EDIT = {"pkg/a.py": "modified"}


@pytest.fixture
def canary(tmp_path):
    """A program that leaves a trace when anything runs it, and passes its input on as a filter would."""
    script = tmp_path / "canary.sh"
    script.write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\n[ -t 0 ] || cat 2>/dev/null\nexit 0\n")
    script.chmod(0o755)
    return script


def ran(canary) -> bool:
    """Whether the canary has run since it was last asked."""
    trace = canary.parent / "ran"
    found = trace.exists()
    trace.unlink(missing_ok=True)
    return found


def snapshot(folder: Path) -> dict:
    found = {}
    for path in sorted((folder, *folder.rglob("*")), key=os.fspath):
        facts = path.lstat()
        body = path.readlink() if path.is_symlink() else path.read_bytes() if path.is_file() else None
        found[path] = (facts.st_mode, facts.st_mtime_ns, facts.st_ino, facts.st_nlink, body)
    return found


def configure(repo, text):
    config = repo.folder / ".git/config"
    config.write_text(config.read_text() + text)


def hooks(repo, canary):
    for name in (
        "post-checkout",
        "post-index-change",
        "pre-commit",
        "reference-transaction",
        "fsmonitor-watchman",
    ):
        (repo.folder / ".git/hooks").mkdir(exist_ok=True)
        shutil.copy(canary, repo.folder / ".git/hooks" / name)
    repo.git("checkout", "-q", "--", "pkg/b.py")
    assert ran(canary)
    return EDIT


def filters(repo, canary):
    configure(repo, f'[filter "evil"]\n\tclean = "{canary} < /dev/null; echo honest"\n\tsmudge = {canary}\n')
    (repo.folder / ".git/info").mkdir(exist_ok=True)
    (repo.folder / ".git/info/attributes").write_text("pkg/a.py filter=evil\n")
    (repo.folder / "pkg/a.py").touch()
    assert repo.git("diff") == b""
    assert ran(canary)
    return EDIT


def tracked_filters(repo, canary):
    configure(repo, f'[filter "evil"]\n\tclean = {canary}\n\tprocess = {canary}\n\trequired = true\n')
    repo.write({".gitattributes": "* filter=evil\n"})
    return {**EDIT, ".gitattributes": "added"}


def diff_drivers(repo, canary):
    configure(
        repo, f'[diff]\n\texternal = {canary}\n[diff "evil"]\n\ttextconv = {canary}\n\tcommand = {canary}\n'
    )
    repo.write({".gitattributes": "* diff=evil\n"})
    repo.git("diff")
    assert ran(canary)
    return {**EDIT, ".gitattributes": "added"}


def fsmonitor(repo, canary):
    configure(repo, f"[core]\n\tfsmonitor = {canary}\n\tuntrackedCache = true\n\tsplitIndex = true\n")
    repo.git("status")
    assert ran(canary)
    return EDIT


def replaced(repo, canary):
    base = repo.head()
    repo.git("add", "-A")
    repo.git("commit", "-q", "-m", "edited")
    repo.git("replace", base, repo.head())
    assert repo.git("diff", base) == b""
    return EDIT


def index_flags(repo, canary):
    repo.git("update-index", "--assume-unchanged", "pkg/a.py")
    repo.git("update-index", "--skip-worktree", "pkg/b.py")
    (repo.folder / "pkg/b.py").unlink()
    assert b"pkg/" not in repo.git("diff")
    return {**EDIT, "pkg/b.py": "deleted"}


def encoding(repo, canary):
    repo.write({".gitattributes": "benchmarks/*.py working-tree-encoding=UTF-16\n"})
    repo.write({"benchmarks/x.py": "x\n".encode("utf-16")})
    assert b"benchmarks" not in repo.git("diff")
    return {**EDIT, ".gitattributes": "added", "benchmarks/x.py": "modified"}


def line_ends(repo, canary):
    repo.write({".gitattributes": "* text\n", "lib/c.py": "c\r\n"})
    assert b"lib/c.py" not in repo.git("diff", "--stat")
    return {**EDIT, ".gitattributes": "added", "lib/c.py": "modified"}


def other_worktree(repo, canary):
    clean = canary.parent / "clean"
    shutil.copytree(repo.folder, clean, ignore=shutil.ignore_patterns(".git"))
    (clean / "pkg/a.py").write_text("honest\n")
    configure(repo, f"[core]\n\tworktree = {clean}\n")
    assert repo.git("diff") == b""
    return EDIT


def included(repo, canary):
    (canary.parent / "more.cfg").write_text(
        f"[core]\n\tfsmonitor = {canary}\n[core]\n\thooksPath = {canary.parent}\n"
    )
    configure(repo, f"[include]\n\tpath = {canary.parent}/more.cfg\n[alias]\n\tstatus = !{canary}\n")
    repo.git("status")
    assert ran(canary)
    return EDIT


def excluded(repo, canary):
    (repo.folder / ".git/info").mkdir(exist_ok=True)
    (repo.folder / ".git/info/exclude").write_text("*.so\n")
    (canary.parent / "global").write_text("hidden.py\n")
    configure(repo, f"[core]\n\texcludesFile = {canary.parent}/global\n")
    repo.write({".gitignore": "random.py\n.gitignore\n", "random.py": "", "hidden.py": "", "pkg/x.so": ""})
    assert repo.git("ls-files", "-o", "--exclude-standard") == b""
    return {**EDIT, **dict.fromkeys([".gitignore", "random.py", "hidden.py", "pkg/x.so"], "added")}


def nested(repo, canary):
    inner = type(repo)(repo.folder / "vendor")
    inner.commit({"new.py": "n\n"})
    configure(inner, f"[core]\n\tfsmonitor = {canary}\n")
    empty = type(repo)(repo.folder / "empty")
    empty.write({"e.py": "e\n"})
    listed = repo.git("ls-files", "-z", "-o").split(b"\0")
    assert b"empty/" in listed
    assert b"vendor/new.py" not in listed
    return {**EDIT, "vendor/new.py": "added", "empty/e.py": "added"}


def embedded_bare(repo, canary):
    repo.git("init", "-q", "--bare", "--template=", "pkg/repo.git")
    bare = repo.folder / "pkg/repo.git"
    bare.joinpath("config").write_text(f"[core]\n\tbare = false\n\tworktree = ..\n\tfsmonitor = {canary}\n")
    bare.joinpath("objects/keep").write_text("")
    return {
        **EDIT,
        **dict.fromkeys(["pkg/repo.git/HEAD", "pkg/repo.git/config", "pkg/repo.git/objects/keep"], "added"),
    }


def poisoned(repo, canary):
    name = repo.git("rev-parse", "HEAD:pkg/a.py").decode().strip()
    path = repo.folder / ".git/objects" / name[:2] / name[2:]
    path.chmod(0o644)
    content = (repo.folder / "pkg/a.py").read_bytes()
    path.write_bytes(zlib.compress(b"blob %d\0" % len(content) + content))
    repo.git("checkout", "-q", "HEAD", "--", "pkg/a.py")
    assert (repo.folder / "pkg/a.py").read_bytes() == content
    return EDIT


def alternates(repo, canary):
    (repo.folder / ".git/objects/info").mkdir(exist_ok=True)
    (repo.folder / ".git/objects/info/alternates").write_text("/proc/self/fd/0\n/nonexistent\n")
    return EDIT


def stashed_and_intended(repo, canary):
    repo.git("stash", "-q")
    repo.git("stash", "apply", "-q")
    repo.write({"new.py": "n\n", "staged.py": "s\n"})
    repo.git("add", "-N", "new.py")
    repo.git("add", "staged.py")
    (repo.folder / "staged.py").write_text("later\n")
    assert b"new.py" not in repo.git("diff", "--cached")
    return {**EDIT, "new.py": "added", "staged.py": "added"}


def pointed_elsewhere(repo, canary):
    shutil.move(repo.folder / ".git", canary.parent / "elsewhere")
    (repo.folder / ".git").write_text(f"gitdir: {canary.parent}/elsewhere\n")
    return EDIT


def no_git_at_all(repo, canary):
    shutil.rmtree(repo.folder / ".git")
    return EDIT


def links(repo, canary):
    shutil.rmtree(repo.folder / "lib")
    (repo.folder / "lib").symlink_to("/etc")
    (repo.folder / "loop").symlink_to(".")
    return {**EDIT, "lib/c.py": "deleted", "lib": "added", "loop": "added"}


TRICKS = (
    *(hooks, filters, tracked_filters, diff_drivers, fsmonitor, replaced, index_flags, encoding, line_ends),
    *(other_worktree, included, excluded, nested, embedded_bare, poisoned, alternates, stashed_and_intended),
    *(pointed_elsewhere, no_git_at_all, links),
)


@pytest.mark.parametrize("trick", TRICKS, ids=lambda trick: trick.__name__)
def test_nothing_runs_and_every_edit_is_seen(store, repo, canary, trick):
    base = base_of_revision(store, repo.folder, repo.commit(FILES))
    repo.write({"pkg/a.py": "forged edit\n"})
    expected = trick(repo, canary)
    ran(canary)
    before = snapshot(repo.folder)
    patch, _ = collect_patch(store, base, Worktree(repo.folder), load_policy())
    assert {os.fsdecode(entry.path): entry.kind for entry in patch.entries} == expected
    assert b"+forged" in store.diff(base.tree, patch.tree, text=True)
    assert not ran(canary)
    assert snapshot(repo.folder) == before


def test_many_tricks_at_once(store, repo, canary):
    base_commit = repo.commit(FILES)
    repo.write({"pkg/a.py": "forged edit\n"})
    expected = {}
    order = (excluded, stashed_and_intended, hooks, nested, embedded_bare, fsmonitor, included, index_flags)
    for trick in order:
        expected |= trick(repo, canary)
    ran(canary)
    before = snapshot(repo.folder)
    base = base_of_revision(store, repo.folder, base_commit)
    patch, _ = collect_patch(store, base, Worktree(repo.folder), load_policy())
    assert {os.fsdecode(entry.path): entry.kind for entry in patch.entries} == expected
    assert not ran(canary)
    assert snapshot(repo.folder) == before


# Honest twins: what git itself did to the files of a checkout is no edit.

ATTRIBUTES = "*.bat eol=crlf\n*.txt text=auto eol=crlf\n*.py ident\n*.bin -text\nold.txt -eol\n"
HONEST = {
    ".gitattributes": ATTRIBUTES,
    "run.bat": "echo 1\necho 2\n",
    "notes.txt": "one\ntwo\n",
    "mod.py": "# $Id$\nx = 1\n",
    "data.bin": b"\r\n\0\n",
    "plain.md": "a\n",
}


@pytest.fixture
def checked_out(repo, tmp_path):
    """A real clone of a base with such attributes."""
    repo.commit(HONEST)
    # Stored with CRLF in spite of its attribute, as old repositories do.
    blob = repo.git("hash-object", "-w", "--stdin", "--no-filters", stdin=b"a\r\nb\r\n").decode().strip()
    repo.git("update-index", "--add", "--cacheinfo", f"100644,{blob},stored.bat")
    repo.git("commit", "-q", "-m", "stored with CRLF")
    repo.git("clone", "-q", ".", str(tmp_path / "clone"))
    clone = type(repo)(tmp_path / "clone")
    assert (clone.folder / "run.bat").read_bytes() == b"echo 1\r\necho 2\r\n"
    assert b"$Id: " in (clone.folder / "mod.py").read_bytes()
    return clone


def test_a_clean_checkout_is_no_edit(store, checked_out):
    base = base_of_revision(store, checked_out.folder, "HEAD")
    patch, _ = collect_patch(store, base, Worktree(checked_out.folder), load_policy())
    assert patch.entries == ()


def test_a_real_edit_is_seen_without_the_noise(store, checked_out):
    base = base_of_revision(store, checked_out.folder, "HEAD")
    folder = checked_out.folder
    for name, old, new in (
        ("run.bat", b"echo 2", b"echo two"),
        ("mod.py", b"x = 1", b"x = 2"),
        ("stored.bat", b"b", b"B"),
        ("data.bin", b"\r\n", b"\n"),
        ("plain.md", b"\n", b"\r\n"),
    ):
        content = (folder / name).read_bytes()
        (folder / name).write_bytes(content.replace(old, new))
    patch, _ = collect_patch(store, base, Worktree(folder), load_policy())
    found = {file.path: store.blob(file.blob) for file in store.list_tree(patch.tree)}
    changed = {entry.path: found[entry.path] for entry in patch.entries}
    assert changed == {
        b"run.bat": b"echo 1\necho two\n",
        b"mod.py": b"# $Id$\nx = 2\n",
        b"stored.bat": b"a\r\nB\r\n",
        b"data.bin": b"\n\0\n",
        b"plain.md": b"a\r\n",
    }


def test_the_agents_attributes_excuse_nothing(store, checked_out):
    base = base_of_revision(store, checked_out.folder, "HEAD")
    checked_out.write(
        {"plain.md": "a\r\n", ".git/info/attributes": "* text\n", "sub/.gitattributes": "* text\n"}
    )
    patch, _ = collect_patch(store, base, Worktree(checked_out.folder), load_policy())
    assert {entry.path for entry in patch.entries} == {b"plain.md", b"sub/.gitattributes"}
