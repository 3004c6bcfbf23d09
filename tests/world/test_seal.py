"""What a seal shows, on the real file system."""

from __future__ import annotations

import os
import shutil
import time
from pathlib import Path

import pytest

from truelap.errors import WorldError
from truelap.world.files import Held, TreeOnDisk
from truelap.world.seal import Seal, shows_mapped_writes, telling


@pytest.fixture
def tree(tmp_path) -> Path:
    root = tmp_path / "tree"
    (root / "pkg").mkdir(parents=True)
    (root / "other").mkdir()
    (root / "pkg" / "mod.py").write_text("x = 1\n")
    (root / "pkg" / os.fsdecode(b"odd\xff\n")).write_text("")
    (root / "link").symlink_to("pkg")
    return root


def put_back(root: Path) -> None:
    file = root / "pkg" / "mod.py"
    old = file.stat()
    file.write_text("x = 2\n")
    file.write_text("x = 1\n")
    os.utime(file, ns=(old.st_atime_ns, old.st_mtime_ns))


def open_and_close(root: Path) -> None:
    (root / "pkg" / "mod.py").chmod(0o666)
    (root / "pkg" / "mod.py").chmod(0o644)


def plant_and_remove(root: Path) -> None:
    (root / "pkg" / "new").mkdir()
    (root / "pkg" / "new").rmdir()
    os.utime(root / "pkg", ns=(0, 0))


def move_there_and_back(root: Path) -> None:
    (root / "pkg").rename(root / "away")
    (root / "away").rename(root / "pkg")


def replace_by_an_equal(root: Path) -> None:
    shutil.copy2(root / "pkg" / "mod.py", root / "pkg" / "copy")
    (root / "pkg" / "copy").replace(root / "pkg" / "mod.py")


def swap_the_link(root: Path) -> None:
    (root / "link").unlink()
    (root / "link").symlink_to("pkg")


@pytest.mark.parametrize(
    ("act", "expected"),
    [
        (lambda root: None, set()),
        (lambda root: (root / "pkg" / "mod.py").read_text(), set()),
        (put_back, {b"pkg/mod.py"}),
        (open_and_close, {b"pkg/mod.py"}),
        (plant_and_remove, {b"pkg"}),
        (move_there_and_back, {b"", b"pkg"}),
        (replace_by_an_equal, {b"pkg", b"pkg/mod.py"}),
        (swap_the_link, {b"", b"link"}),
        (lambda root: shutil.rmtree(root / "pkg"), {b"", b"pkg", b"pkg/mod.py", b"pkg/odd\xff\n"}),
        (lambda root: (root / "other" / "x").write_text("x"), {b"other"}),
    ],
)
def test_what_was_touched_shows_whatever_stands_there_now(tree, act, expected):
    seal = Seal()
    seal.take(tree)
    act(tree)
    assert seal.touched(tree) == expected


def test_what_the_judge_did_just_before_does_not_show(tree):
    for _ in range(5):
        put_back(tree)
        seal = Seal()
        seal.take(tree)
        assert seal.touched(tree) == set()


def test_a_touch_right_after_the_seal_shows(tree):
    for _ in range(5):
        seal = Seal()
        open_and_close(tree)
        seal.take(tree)
        open_and_close(tree)
        assert seal.touched(tree) == {b"pkg/mod.py"}
        time.sleep(0.001)


def test_a_tree_that_was_never_sealed_proves_nothing(tree):
    with pytest.raises(WorldError, match="not sealed"):
        Seal().touched(tree)


FILES = {
    "tests/test_a.py": "import pkg",
    "tests/data/x.csv": "1",
    "benchmarks/__init__.py": "",
    "benchmarks/b.py": "",
    "pkg/core.py": "",
    "conftest.py": "",
    "asv.conf.json": "{}",
}
PATTERNS = (r"(^|/)benchmarks/", r"(^|/)tests/", r"/?conftest[.]py$", "[.]json$")


def told(root: Path, touched: set[bytes], files: dict[str, str], roots=("", "src")) -> set[bytes]:
    for name, content in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(content)
    tree = TreeOnDisk(root, dict.fromkeys(map(os.fsencode, files), Held(0, "", 0)))
    return set(telling(touched, tree, PATTERNS, roots))


@pytest.mark.parametrize(
    ("touched", "expected"),
    [
        ({b"tests/test_a.py"}, {b"tests/test_a.py"}),
        ({b"tests/data/x.csv"}, {b"tests/data/x.csv"}),
        # Nothing is imported from a folder of data.
        ({b"tests/data"}, set()),
        ({b"tests", b"benchmarks"}, {b"benchmarks/", b"tests/"}),
        # Where the working folder is, an honest program may leave a file.
        ({b""}, set()),
        ({b"pkg", b"pkg/core.py"}, set()),
    ],
)
def test_what_bears_on_tests_or_benchmarks(tmp_path, touched, expected):
    assert told(tmp_path, touched, FILES) == expected


def test_a_test_at_the_root_makes_the_root_a_folder_of_tests(tmp_path):
    assert told(tmp_path, {b""}, {"test_a.py": "", "tests/x": ""}) == set()
    assert told(tmp_path, {b""}, {"benchmarks/test_a.py": ""}) == set()
    patterns = r"test_.*py$"
    tree = TreeOnDisk(tmp_path, {b"test_a.py": Held(0, "", 0)})
    assert telling({b""}, tree, (patterns,), ("",)) == (b"./",)


@pytest.mark.parametrize("line", ["from tests.help import x", "    import tests", "from  tests import help"])
def test_a_bare_folder_that_is_imported_by_name_makes_its_own_folder_count(tmp_path, line):
    files = {"tests/test_a.py": line, "tests/help.py": ""}
    assert told(tmp_path, {b""}, files) == {b"./"}
    assert told(tmp_path, {b""}, files, roots=("src",)) == set()
    assert told(tmp_path, {b""}, {**files, "tests/__init__.py": ""}) == set()
    assert told(tmp_path, {b"src"}, {f"src/{name}": text for name, text in files.items()}) == {b"src/"}
    assert told(tmp_path, {b""}, {**files, "tests/test_a.py": "import tests_of_others, os as tests"}) == set()


@pytest.mark.skipif(not os.access("/dev/shm", os.W_OK), reason="no folder in memory")
def test_a_folder_in_memory_hides_mapped_writes():
    assert not shows_mapped_writes(Path("/dev/shm"))
