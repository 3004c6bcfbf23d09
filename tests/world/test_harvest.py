"""What a build left is read as bytes and copied as bytes; links lead nowhere."""

from __future__ import annotations

import os

import pytest

from truelap.errors import WorldError
from truelap.model import EXECUTABLE, REGULAR
from truelap.world.files import deviations, write_tree
from truelap.world.harvest import products, size_of, with_products


@pytest.fixture
def tree(store, tmp_path):
    files = [
        (b"a.py", REGULAR, store.add_blob(b"a")),
        (b"way", 0o120000, store.add_blob(str(tmp_path).encode())),
    ]
    return write_tree(store, store.replace(None, files), tmp_path / "tree")


@pytest.fixture
def left(tmp_path):
    folder = tmp_path / "left"
    folder.mkdir()
    return folder


def test_products_join_the_tree_and_its_manifest(tree, left, tmp_path):
    (left / "lib").mkdir()
    (left / "lib/x.so").write_bytes(b"\x7fELF")
    (left / "tool").write_bytes(b"#!")
    (left / "tool").chmod(0o4755)
    (left / "a.py").write_bytes(b"generated")
    made = products(left, [b"tool", b"lib/x.so", b"a.py", b"gone"])
    assert [(product.path, product.mode) for product in made] == [
        (b"a.py", REGULAR),
        (b"lib/x.so", REGULAR),
        (b"tool", EXECUTABLE),
    ]
    built = with_products(tree, made, tmp_path / "built")
    assert not deviations(built.root, built.manifest)
    assert (built.root / "a.py").read_bytes() == b"generated"
    assert (built.root / "tool").stat().st_mode & 0o7777 == 0o755
    assert (tree.root / "a.py").read_bytes() == b"a"


def test_links_and_special_files_are_no_products(left):
    (left / "link").symlink_to("/etc/passwd")
    os.mkfifo(left / "pipe")
    (left / "folder").mkdir()
    assert products(left, [b"link", b"pipe", b"folder"]) == ()


def test_the_size_is_known_without_reading(left):
    for name in ("a.bin", "b.pyc"):
        (left / name).touch()
        os.truncate(left / name, 1 << 37)
    (left / "b.txt").write_bytes(b"four")
    (left / "link").symlink_to("a.bin")
    os.mkfifo(left / "pipe")
    assert size_of(left, [b"a.bin", b"b.pyc", b"b.txt", b"link", b"pipe", b"gone"]) == (1 << 37) + 4


def test_nothing_is_written_through_a_link_of_the_tree(tree, left, tmp_path):
    (left / "way").mkdir()
    (left / "way/evil").write_bytes(b"x")
    with pytest.raises(WorldError, match="below what is a link"):
        with_products(tree, products(left, [b"way/evil"]), tmp_path / "built")
    assert not (tmp_path / "evil").exists()


def test_a_link_of_the_tree_may_become_a_file(tree, left, tmp_path):
    (left / "way").write_bytes(b"x")
    built = with_products(tree, products(left, [b"way"]), tmp_path / "built")
    assert (built.root / "way").read_bytes() == b"x"
    assert not (built.root / "way").is_symlink()


def test_a_product_that_changes_meanwhile_is_not_taken(tree, left, tmp_path):
    (left / "x").write_bytes(b"one")
    made = products(left, [b"x"])
    (left / "x").write_bytes(b"two")
    with pytest.raises(WorldError, match="changed after its build"):
        with_products(tree, made, tmp_path / "built")
