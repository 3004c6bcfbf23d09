"""Who is to blame for an exception: base that passed the same work, or a machine that lacks something."""

from __future__ import annotations

import errno
import os

import pytest

from truelap.errors import ContentFault, UsageError, after_base


@pytest.mark.parametrize(
    "error", [IsADirectoryError(errno.EISDIR, "a folder"), ValueError("x"), RecursionError("x")]
)
def test_what_base_passed_is_the_contents_fault(error):
    with (
        pytest.raises(ContentFault, match=f"cannot be judged: {type(error).__name__}"),
        after_base("cannot be judged"),
    ):
        raise error


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EMFILE, errno.EIO])
def test_what_the_machine_lacks_is_nobodys(number):
    with pytest.raises(OSError, match=os.strerror(number)), after_base("x"):
        raise OSError(number, os.strerror(number))


def test_our_own_errors_pass_through():
    with pytest.raises(UsageError), after_base("x"):
        raise UsageError("x")
