from __future__ import annotations

import pytest

from truelap.model import EXECUTABLE, REGULAR, SYMLINK


@pytest.mark.parametrize("mode", [0o104755, 0o100777, 0o100664, 0o040000, 0o060000, 0o100000])
def test_undefined_modes_are_refused(action, added, changed, mode):
    assert action(added(b"pkg/x.py", mode=mode)) == "refuse"
    assert action(changed(b"pkg/x.py", mode=mode)) == "refuse"


@pytest.mark.parametrize("mode", [REGULAR, EXECUTABLE, SYMLINK])
def test_the_modes_of_git_are_left_alone(action, added, mode):
    assert action(added(b"tools/run.sh", mode=mode)) is None


def test_an_old_mode_of_base_may_stay(action, changed):
    assert action(changed(b"pkg/x.py", mode=0o100664, was=0o100664)) is None
    assert action(changed(b"pkg/x.py", None, was=0o100664)) is None
