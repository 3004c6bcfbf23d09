"""However small the submission and however large what it stands for: refused by rule `size`, before anybody holds it."""

import os
import random
import re
import subprocess
from types import SimpleNamespace

import pytest

from truelap.model import Case
from truelap.policy import load_policy
from truelap.prepare.base import base_of_revision
from truelap.prepare.collect import Head, PatchFile, Worktree, collect
from truelap.task import Task
from truelap.world import git_listing, git_process

POLICY = load_policy()
BIG = os.urandom(300_000)
FILES = {"pkg/a.py": "one\n", "data/big.bin": BIG}


def limited(**limits):
    return POLICY.model_copy(update={"refuse": POLICY.refuse.model_copy(update=limits)})


SMALL = limited(max_unpacked_bytes=500_000, max_files=50)


@pytest.fixture
def judge(prepared, base):
    """What is said against a submission, by code."""

    def judged(submission, policy=SMALL):
        case = prepared(submission, base, policy)
        return {f.code: f.message for f in case.findings if f.level != "info"}

    return judged


def is_size(found):
    assert found.keys() == {"refused:size", "no_patch"} or found.keys() == {"refused:size"}, found
    return True


def binary(repo, files):
    repo.write(files)
    return PatchFile(repo.diff("--full-index"))


@pytest.mark.parametrize("form", ["patch", "head", "worktree"])
def test_many_files_that_are_small_only_when_packed(repo, judge, form):
    repo.write({f"pkg/z{i}.bin": bytes(100_000) for i in range(6)})
    submission = {
        "patch": lambda: PatchFile(repo.diff("--full-index")),
        "head": lambda: Head(repo.folder, repo.commit()),
        "worktree": lambda: Worktree(repo.folder),
    }[form]()
    assert is_size(judge(submission))
    assert judge(submission, POLICY) == {}


def test_a_delta_that_repeats_what_base_has(repo, judge):
    submission = binary(repo, {"data/big.bin": b"x" + BIG + BIG})
    assert len(submission.content) < 3000
    assert is_size(judge(submission))
    assert judge(submission, POLICY) == {}


def test_copies_of_what_base_has(repo, judge):
    copies = b"".join(
        b"diff --git a/data/big.bin b/data/c%d\nsimilarity index 100%%\ncopy from data/big.bin\ncopy to data/c%d\n"
        % (n, n)
        for n in range(4)
    )
    assert is_size(judge(PatchFile(copies)))
    assert judge(PatchFile(copies), POLICY) == {}


def test_git_itself_ends_where_it_would_hold_too_much(store, repo):
    base = base_of_revision(store, repo.folder, repo.commit({"big.txt": b"x" * (16 << 20)}))
    copies = b"".join(
        b"diff --git a/big.txt b/c%d\nsimilarity index 100%%\ncopy from big.txt\ncopy to c%d\n" % (n, n)
        for n in range(20)
    )
    applied = store.apply(base.tree, copies, memory=200 << 20)
    assert (applied.tree, applied.too_large) == (None, True)
    few = b"".join(copies.partition(b"diff --git a/big.txt b/c2")[:1])
    assert store.apply(base.tree, few, memory=200 << 20).tree is not None


def test_a_claim_is_enough_and_git_is_not_asked(store, repo, base, judge):
    bomb = binary(repo, {"z.bin": bytes(2 << 20)})
    assert len(bomb.content) < 20_000
    case = collect(
        bomb, Case(name="t", base=base), SimpleNamespace(store=store, interpreter=None), SMALL, Task(), None
    )
    assert case.patch.error == "the diff unpacks to more than 500000 bytes"
    assert case.patch.claimed_paths == ()
    assert is_size(judge(bomb))


def test_a_diff_of_many_names(judge):
    def diff(count):
        return PatchFile(
            b"".join(b"diff --git a/n%d b/n%d\nnew file mode 100644\n" % (n, n) for n in range(count))
        )

    assert is_size(judge(diff(51)))
    assert judge(diff(50)) == {}


def nested(repo, levels, width, leaf):
    """A tree that names itself over and over: `width` ** `levels` paths in a handful of objects."""
    tree = repo.git("mktree", stdin=leaf).decode().strip()
    for _ in range(levels):
        lines = b"".join(b"040000 tree %s\td%d\n" % (tree.encode(), n) for n in range(width))
        tree = repo.git("mktree", stdin=lines).decode().strip()
    return repo.git("commit-tree", "-m", "x", tree).decode().strip()


def test_a_commit_of_more_paths_than_anybody_could_visit(repo, judge):
    blob = repo.git("hash-object", "-w", "--stdin", stdin=b"x").strip()
    head = nested(repo, 10, 10, b"100644 blob %s\tf\n" % blob)
    assert is_size(judge(Head(repo.folder, head)))
    assert judge(Head(repo.folder, nested(repo, 1, 5, b"100644 blob %s\tf\n" % blob)), SMALL) == {}


def test_a_commit_of_empty_folders_without_end(repo, judge, monkeypatch):
    monkeypatch.setattr(git_listing, "_WITHIN_S", 1.0)
    found = judge(Head(repo.folder, nested(repo, 12, 10, b"")))
    assert found.keys() == {"no_patch"}


def test_a_commit_that_names_one_content_over_and_over(repo, judge):
    blob = repo.git("hash-object", "-w", "--stdin", stdin=bytes(100_000)).strip()
    tree = repo.git("mktree", stdin=b"".join(b"100644 blob %s\tf%d\n" % (blob, n) for n in range(6)))
    head = repo.git("commit-tree", "-m", "x", tree.decode().strip()).decode().strip()
    assert is_size(judge(Head(repo.folder, head)))


def test_a_worktree_of_many_files(repo, judge):
    repo.write({f"m/{n}": "" for n in range(51)})
    assert is_size(judge(Worktree(repo.folder)))
    (repo.folder / "m/50").unlink()
    assert judge(Worktree(repo.folder)) == {}


def test_a_worktree_of_many_ignored_files_is_fine(store, repo):
    repo.write({f"m/{n}": "" for n in range(300)} | {".gitignore": "m/\n"})
    base = base_of_revision(store, repo.folder, repo.commit(FILES))
    repo.write({"pkg/a.py": "two\n"})
    world, case = SimpleNamespace(store=store, interpreter=None), Case(name="t", base=base)
    done = collect(Worktree(repo.folder), case, world, SMALL, Task(), None)
    assert [entry.path for entry in done.patch.entries] == [b"pkg/a.py"]


@pytest.mark.parametrize("kind", ["pipes", "folders"])
def test_what_is_no_file_is_counted_too(repo, judge, monkeypatch, kind):
    monkeypatch.setattr("truelap.world.worktree._NAMES_BYTES", 20_000)
    for n in range(200):
        place = repo.folder / f"odd{n}"
        os.mkfifo(place) if kind == "pipes" else place.mkdir()
    found = judge(Worktree(repo.folder), limited(max_files=100))
    assert is_size(found)
    assert re.search("more than [0-9]+ names|files", str(found))
    subprocess.run(["sh", "-c", "rm -rf odd*"], cwd=repo.folder, check=True)
    assert judge(Worktree(repo.folder), limited(max_files=100)) == {}


def test_contents_that_git_cannot_compare_in_time_are_a_diff_that_cannot_be_had(store, repo, monkeypatch):
    def noise(seed):
        draw = random.Random(seed)
        return "".join(f"{draw.randrange(50)}\n" for _ in range(400_000))

    base = base_of_revision(store, repo.folder, repo.commit({"a.txt": noise(1), "pkg/a.py": "1\n"}))
    repo.write({"pkg/a.py": "2\n"})
    monkeypatch.setattr(git_process, "_BOUNDED_S", 100.0)
    world, case = SimpleNamespace(store=store), Case(name="t", base=base)
    assert collect(Worktree(repo.folder), case, world, POLICY, Task(), None).patch.applied
    repo.write({"a.txt": noise(2)})
    monkeypatch.setattr(git_process, "_BOUNDED_S", 0.05)
    done = collect(Worktree(repo.folder), case, world, POLICY, Task(), None)
    assert done.patch.applied is False
    assert "no answer within" in done.patch.error


@pytest.mark.parametrize("form", ["patch", "head"])
def test_a_path_nested_deeper_than_anybody_walks(repo, judge, form):
    def submitted(folders):
        path = "d/" * folders + "x.txt"
        if form == "head":
            repo.write({path: "x"})
            return Head(repo.folder, repo.commit())
        text = f"diff --git a/{path} b/{path}\nnew file mode 100644\n--- /dev/null\n+++ b/{path}\n@@ -0,0 +1 @@\n+x\n"
        return PatchFile(text.encode())

    assert judge(submitted(90)) == {}
    assert is_size(judge(submitted(205)))
