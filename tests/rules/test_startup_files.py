from __future__ import annotations

import pytest

from truelap.model import REGULAR


@pytest.mark.parametrize(
    "path",
    [
        b"evil.pth",
        b"pkg/EVIL.PTH",
        b"tests/evil.pth",
        b"benchmarks/evil.pth",
        b".pth",
        b"python311._pth",
        b"evil.start",
        b"sitecustomize.py",
        b"pkg/usercustomize.py",
        b"sitecustomize.pyc",
        b"__pycache__/sitecustomize.cpython-311.pyc",
        b"sitecustomize.abi3.so",
        b"sitecustomize.cpython-311-x86_64-linux-gnu.so",
        b"usercustomize.pyd",
        b"sitecustomize/__init__.py",
        b"sitecustomize/__init__.so",
        b"SiteCustomize.py",
        "\xe9/sitecustomize.py".encode(),
        "\uff53itecustomize.py".encode(),
        b"\xff/sitecustomize.py",
    ],
)
def test_a_new_startup_file_is_refused(action, added, path):
    assert action(added(path)) == "refuse"


@pytest.mark.parametrize("path", [b"sitecustomize.py", b"tools/dev.pth", b"weights/model.pth"])
def test_a_change_to_one_that_base_tracks_is_discarded(action, changed, path):
    assert action(changed(path)) == "discard"
    assert action(changed(path, None)) == "discard"


def test_a_new_file_beside_a_tracked_one_is_refused(action, added, scene):
    where = scene({b"sitecustomize/__init__.py": b""})
    assert action(added(b"sitecustomize/more.py"), where) == "refuse"


@pytest.mark.parametrize(
    "path",
    [
        b"docs/pth.md",
        b"pkg/sitecustom.py",
        b"pkg/pth.py",
        b"sitecustomize.pyi",
        b"docs/sitecustomize/index.md",
        b"docs/sitecustomize.rst",
        b"pkg/start.py",
        b"pkg/x.pth.txt",
        "\xe9.py".encode(),
    ],
)
def test_names_that_only_look_alike_are_fine(action, added, path):
    assert action(added(path)) is None


def test_a_claimed_path_is_judged_by_what_base_has(action, added, scene):
    claim = added(b"sitecustomize.py")
    assert action(claim, scene({b"sitecustomize.py": REGULAR})) == "discard"
