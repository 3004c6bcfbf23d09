from __future__ import annotations

import pytest

from truelap.model import REGULAR, SYMLINK


@pytest.mark.parametrize("path", [b"pkg/data", b"tests/data", b"benchmarks/x.py", b"\xc3\xa9/link"])
def test_a_new_link_is_refused_wherever_it_is(action, added, path):
    assert action(added(path, b"/tests", SYMLINK)) == "refuse"


def test_a_link_that_only_points_elsewhere_is_refused(action, changed):
    assert action(changed(b"pkg/data", b"/logs", SYMLINK, was=SYMLINK)) == "refuse"


def test_a_file_that_becomes_a_link_is_refused(action, changed):
    assert action(changed(b"pkg/data.py", b"/proc", SYMLINK)) == "refuse"


def test_a_link_that_becomes_a_file_is_fine(action, changed):
    assert action(changed(b"pkg/data.py", mode=REGULAR, was=SYMLINK)) is None


def test_deleting_a_link_is_fine(action, changed):
    assert action(changed(b"pkg/data", None, was=SYMLINK)) is None


def test_a_plain_file_is_fine(action, added):
    assert action(added(b"pkg/symlink.py")) is None
