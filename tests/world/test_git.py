"""The private store on real git: trees, diffs and contents, with names of any bytes."""

import os

import pytest
from dulwich.object_store import iter_tree_contents
from dulwich.repo import Repo as Dulwich
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from truelap.model import EXECUTABLE, REGULAR, SYMLINK
from truelap.world.git import NO_BLOB, Store
from truelap.world.git_process import GitError

COMPONENTS = st.binary(min_size=1, max_size=12).filter(
    lambda b: not set(b) & {0, 0x2F} and b not in {b".", b".."} and b.lower() != b".git"
)
PATHS = st.lists(COMPONENTS, min_size=1, max_size=3).map(b"/".join)


def tree_of(store: Store, files: dict[bytes, bytes], mode: int = REGULAR) -> str:
    return store.replace(None, [(path, mode, store.add_blob(content)) for path, content in files.items()])


def listed(store: Store, tree: str) -> dict[bytes, bytes]:
    return {file.path: store.blob(file.blob) for file in store.list_tree(tree)}


def test_a_diff_applies_and_its_entries_are_seen(store, repo):
    base = repo.commit({"a.py": "one\n", "b.py": "two\n", "c.py": "three\n"})
    tree = store.import_revision(repo.folder, base).tree
    repo.write({"a.py": "changed\n", "new file.py": b"\x00\xff"})
    (repo.folder / "b.py").unlink()
    (repo.folder / "c.py").chmod(0o755)
    applied = store.apply(tree, repo.diff())
    assert applied.error is None
    kinds = {entry.path: entry.kind for entry in store.entries(tree, applied.tree)}
    assert kinds == {
        b"a.py": "modified",
        b"b.py": "deleted",
        b"c.py": "mode_changed",
        b"new file.py": "added",
    }
    assert store.claimed(repo.diff()) == (b"a.py", b"b.py", b"c.py", b"new file.py")


def test_all_of_a_diff_applies_or_nothing(store, repo):
    base = store.import_revision(repo.folder, repo.commit({"a.py": "one\n", "b.py": "two\n"})).tree
    repo.write({"a.py": "new\n", "b.py": "new\n"})
    broken = repo.diff().replace(b"-two", b"-tow")
    applied = store.apply(base, broken)
    assert applied.tree is None
    assert "b.py" in applied.error
    assert store.claimed(broken) == (b"a.py", b"b.py")


def test_what_is_no_diff_is_told_without_advice_that_nobody_can_follow(store):
    applied = store.apply(store.replace(None, []), b"no diff at all\n")
    assert "No valid patches in input" in applied.error
    assert "allow" not in applied.error


def test_both_names_of_a_rename_are_claimed(store):
    diff = b"diff --git a/old.py b/new.py\nsimilarity index 100%\nrename from old.py\nrename to new.py\n"
    applied = store.apply(store.replace(None, []), diff)
    assert applied.tree is None
    assert store.claimed(diff) == (b"new.py", b"old.py")


@pytest.mark.parametrize("path", ["../up.py", ".git/hooks/post-checkout", "/etc/passwd", "a/.git/x"])
def test_paths_that_git_refuses_are_claimed_all_the_same(store, path):
    diff = f"diff --git a/{path} b/{path}\nnew file mode 100644\n--- /dev/null\n+++ b/{path}\n@@ -0,0 +1 @@\n+x\n"
    applied = store.apply(store.replace(None, []), diff.encode())
    assert applied.tree is None
    assert store.claimed(diff.encode()) == (path.encode(),)


def test_attributes_of_the_submission_hide_nothing(store, repo):
    base = store.import_revision(repo.folder, repo.commit({"benchmarks/b.py": "def time_x(): pass\n"})).tree
    repo.write({".gitattributes": "benchmarks/** -diff\n", "benchmarks/b.py": "def time_x(): return 0\n"})
    plain = repo.git("diff")
    assert b"return 0" not in plain  # the attack works on the agent's own git
    new = store.import_revision(repo.folder, repo.commit()).tree
    assert b"+def time_x(): return 0" in store.diff(base, new, text=True)
    assert store.numstat(base, new) == (2, 2, 1)


def test_lines_of_a_binary_file_are_shown_and_yet_it_can_be_applied(store):
    old, new = tree_of(store, {b"b.py": b"\0\n"}), tree_of(store, {b"b.py": b"\0\nhidden = 1\n"})
    assert b"+hidden = 1" in store.diff(old, new, text=True)
    assert store.apply(old, store.diff(old, new, text=False)).tree == new
    assert store.numstat(old, new) == (1, 0, 0)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(files=st.dictionaries(PATHS, st.binary(max_size=40), min_size=1, max_size=4))
def test_any_bytes_in_paths_and_contents_come_back(tmp_path_factory, files):
    paths = sorted(files)
    if any(b.startswith(a + b"/") for a in paths for b in paths):
        return
    store = Store.create(tmp_path_factory.mktemp("s"))
    empty, tree = store.replace(None, []), tree_of(store, files)
    assert listed(store, tree) == files
    dulwich = Dulwich(os.fspath(store.folder))
    found = {e.path: dulwich[e.sha].data for e in iter_tree_contents(dulwich.object_store, tree.encode())}
    dulwich.close()
    assert found == files
    assert {entry.path for entry in store.entries(empty, tree)} == files.keys()
    diff = store.diff(empty, tree, text=False)
    applied = store.apply(empty, diff)
    assert (applied.tree, applied.error) == (tree, None)
    assert store.claimed(diff) == tuple(sorted(files))


def test_entries_are_put_in_and_taken_away(store):
    tree = tree_of(store, {b"a": b"1", b"b/c": b"2"})
    link = store.add_blob(b"b/c")
    new = store.replace(tree, [(b"b", SYMLINK, link), (b"b/c", 0, NO_BLOB), (b"x", EXECUTABLE, link)])
    assert [(f.path, f.mode) for f in store.list_tree(new)] == [
        (b"a", REGULAR),
        (b"b", SYMLINK),
        (b"x", EXECUTABLE),
    ]


def test_where_a_file_and_a_folder_meet_the_later_change_wins(store):
    tree = tree_of(store, {b"b/c": b"2"})
    new = store.replace(tree, [(b"b", REGULAR, store.add_blob(b"x"))])
    assert listed(store, new) == {b"b": b"x"}


@pytest.mark.parametrize("path", [b".git/x", b"a/.GIT/x", b"../x", b"/x", b"a//x"])
def test_a_path_that_git_does_not_hold_is_an_error_not_an_omission(store, path):
    with pytest.raises(GitError, match="Ignoring path"):
        store.replace(None, [(path, REGULAR, store.add_blob(b"x"))])


def test_a_tree_never_names_what_the_store_lacks(store):
    with pytest.raises(GitError):
        store.replace(None, [(b"a", REGULAR, "1" * 40)])


def test_contents_stream_in_order_and_large_ones_are_passed_over(store):
    contents = [*([b"", b"small", b"\n\0"] * 200), b"x" * 3_000_000, b"end"]
    with store.writer() as writer:
        ids = [writer.add(content) for content in contents]
    assert [content for _, content in store.blobs(ids)] == contents
    expected = [None if len(content) > 10 else content for content in contents]
    assert [content for _, content in store.blobs_up_to(10, ids)] == expected


def test_a_missing_content_is_our_fault_and_said(store):
    with pytest.raises(GitError):
        store.blob("1" * 40)
    with pytest.raises(Exception, match="holds no file"):
        list(store.blobs(["1" * 40]))
