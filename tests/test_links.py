"""Where links lead, by the tree alone; held against the kernel where that has an answer inside of the tree."""

from __future__ import annotations

import os

import pytest

from truelap.links import NO_LINKS, Links
from truelap.policy import matches
from truelap.policy.measuring import with_targets

TREE = {"shared/aid.py", "shared/deep/x.py", "pkg/core.py", "a/b/c.py"}
LINKS = {
    "tests/aid.py": "../mid/aid.py",
    "mid": "shared",
    "tests/deep": "../mid/./deep",
    "tests/up": "..",
    "tests/self": ".",
    "one": "two",
    "two": "one",
    "out": "../../etc/passwd",
    "absolute": "/etc/passwd",
    "gone": "shared/gone.py",
    "a/b/d": "../../pkg",
    "pkg/back": "../a",
    "long/way.py": "../tests/../a/b/d/../b/../../pkg/core.py",
}


@pytest.fixture
def on_disk(tmp_path):
    for path in TREE:
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(path)
    for path, target in LINKS.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).symlink_to(target)
    return tmp_path


def test_every_name_of_a_file_is_one_that_the_kernel_knows(on_disk):
    for name, real in Links(LINKS, TREE).aliases().items():
        assert os.path.realpath(on_disk / name) == str(on_disk / real)


@pytest.mark.parametrize("path", [*LINKS, "tests/deep/x.py", "a/b/d/core.py", "tests/up/mid/aid.py"])
def test_a_way_ends_where_the_kernel_ends(on_disk, path):
    end = Links(LINKS, TREE).way(path).end
    real = os.path.realpath(on_disk / path)
    inside = real.startswith(str(on_disk)) and os.path.exists(real)  # noqa: PTH110 - a loop has no answer
    if inside:
        assert end == os.path.relpath(real, on_disk).removeprefix(".")
    else:
        assert end in {None, "shared/gone.py"}


def test_all_links_on_the_way_are_told():
    links = Links(LINKS, TREE)
    assert links.way("tests/aid.py") == (("tests/aid.py", "mid"), "shared/aid.py")
    assert links.ways("pkg/core.py") == {"pkg/core.py"}
    assert links.ways("tests/deep/x.py") == {"tests/deep/x.py", "tests/deep", "mid", "shared/deep/x.py"}


def test_files_are_seen_through_chains_and_folders_and_loops_end():
    names = Links(LINKS, TREE).aliases()
    assert names["tests/aid.py"] == names["mid/aid.py"] == "shared/aid.py"
    assert names["tests/deep/x.py"] == "shared/deep/x.py"
    assert names["a/b/d/core.py"] == "pkg/core.py"
    assert names["pkg/back/b/c.py"] == "a/b/c.py"
    assert not [
        name for name in names if name.startswith(("tests/up", "tests/self", "one", "out", "absolute"))
    ]
    assert NO_LINKS.aliases() == {}


def test_folders_that_all_link_to_each_other_come_to_an_end():
    folders = [f"f{n}" for n in range(9)]
    links = {f"{one}/{other}": f"../{other}" for one in folders for other in folders if one != other}
    assert len(Links(links, [f"{one}/x.py" for one in folders]).aliases()) == 50000


def test_patterns_grow_by_what_their_links_lead_to_and_by_the_links_there():
    leads = [
        (b"tests/spec", (b"spec",)),
        (b"spec/x.py", (b"mid", b"shared/x+.py")),
        (b"docs/y", (b"pkg",)),
        (b"suite", (b"perf",)),
    ]
    patterns = with_targets(("^tests/", "^suite/"), leads)
    guarded = [b"spec/a.py", b"spec", b"mid/z", b"shared/x+.py", b"perf/b.py", b"tests/t.py"]
    assert all(matches(patterns, path) for path in guarded)
    assert not [
        path for path in (b"pkg/a.py", b"shared/xx.py", b"specs/a.py", b"a/spec/b") if matches(patterns, path)
    ]
