"""Numbers that several tests share."""

import pytest


@pytest.fixture
def rainfall():
    return [3, 0, 12, 7, 0, 5, 9, 1]
