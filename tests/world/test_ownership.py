"""Trees of a root judge, before a step."""

from __future__ import annotations

import os
import stat

import pytest

from truelap.world.ownership import hand_over


@pytest.fixture
def tree(tmp_path, is_root):
    if not is_root:
        pytest.skip("only root can give files away")
    root = tmp_path / "tree"
    (root / "sub").mkdir(parents=True)
    (root / "plain").write_text("x")
    (root / "sub" / "tool").write_text("x")
    (root / "sub" / "tool").chmod(0o6777)
    os.chown(root / "plain", 4711, 4711)
    (root / "plain").chmod(0o666)
    outside = tmp_path / "outside"
    outside.mkdir(mode=0o700)
    (root / "link").symlink_to(outside)
    return root


def facts(path) -> tuple[int, int]:
    found = path.lstat()
    return found.st_uid, stat.S_IMODE(found.st_mode)


def test_sealed(tree):
    hand_over(tree, "sealed", 650_000)
    assert facts(tree) == facts(tree / "sub") == (0, 0o1777)
    assert facts(tree / "plain") == (0, 0o644)
    assert facts(tree / "sub" / "tool") == (0, 0o755)
    assert facts(tree.parent / "outside") == (0, 0o700)


def test_owned(tree):
    hand_over(tree, "owned", 650_000)
    assert facts(tree) == facts(tree / "sub") == (650_000, 0o755)
    assert facts(tree / "plain") == (650_000, 0o644)
    assert facts(tree / "sub" / "tool") == (650_000, 0o755)
    assert facts(tree / "link")[0] == 650_000
    assert facts(tree.parent / "outside") == (0, 0o700)
