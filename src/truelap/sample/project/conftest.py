"""A text that several tests share."""

import pytest


@pytest.fixture
def story():
    return "The mill turns. The miller sings! Does the mill-wheel sing? It doesn't; the wheel turns, the mill turns."
