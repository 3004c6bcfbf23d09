"""Names of files on disk, as the tree alone gives them."""

from __future__ import annotations

from truelap.world.files import write_tree
from truelap.world.tree_links import real_files


def test_files_have_all_their_names_and_links_out_of_the_tree_have_none(store, tmp_path):
    links = {b"a/x": b"../b", b"out": b"/etc", b"gone.py": b"nowhere.py", b"b/\xff": b"c.py"}
    blobs = [(path, 0o120000, store.add_blob(target)) for path, target in links.items()]
    tree = store.replace(None, [*blobs, (b"b/c.py", 0o100644, store.add_blob(b"1"))])
    assert real_files(write_tree(store, tree, tmp_path / "t")) == {
        b"b/c.py": b"b/c.py",
        b"b/\xff": b"b/c.py",
        b"a/x/c.py": b"b/c.py",
        b"a/x/\xff": b"b/c.py",
    }
