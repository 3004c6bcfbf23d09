from __future__ import annotations

import pytest


@pytest.mark.parametrize(
    "path",
    [
        b"pkg/a\nb.py",
        b"pkg/a\tb.py",
        b"pkg/\x1b[2Jx.py",
        b"pkg/x.py\x7f",
        b"pkg/\x9b2Jx.py",
        "pkg/\x9bx.py".encode(),
        "pkg/a\u2028b.py".encode(),
        "pkg/\u202eyp.x".encode(),
        b"x\nbenchmarks_/y.py",
        b"pkg/conftest.py\n",
        b"tests/a\nb.py",
    ],
)
def test_control_characters_are_refused(action, added, path):
    assert action(added(path)) == "refuse"


def test_in_a_protected_folder_they_are_left_to_the_discarding(action, added):
    assert action(added(b"benchmarks/a\nb.py")) is None


def test_a_path_that_base_has_is_fine(action, changed):
    assert action(changed(b"docs/Icon\r")) is None
    assert action(changed(b"docs/Icon\r", None)) is None


@pytest.mark.parametrize(
    "path",
    [
        b"a b.py",
        b'quo"te.py',
        b"back\\slash.py",
        "\xe9.py".encode(),
        b"caf\xe9.py",
        "日本.py".encode(),
        "e\u0301.py".encode(),
    ],
)
def test_odd_but_visible_names_are_fine(action, added, path):
    assert action(added(path)) is None
