"""Fuzzing with a clock: each target gets its share of `TRUELAP_FUZZ_S` seconds (30 in the suite; `make fuzz` takes ten minutes)."""

from __future__ import annotations

import os
import time

import pytest
from hypothesis import HealthCheck, Phase, settings

SECONDS = float(os.environ.get("TRUELAP_FUZZ_S", "30"))
_SHRINK_FROM_S = 300

# An example that was found is kept by whoever found it, as a test with a name.
settings.register_profile(
    "fuzz",
    deadline=None,
    database=None,
    derandomize=False,
    max_examples=40,
    suppress_health_check=list(HealthCheck),
    # Making an example smaller may take minutes: only where there is time.
    phases=[Phase.generate, *([Phase.shrink] if SECONDS >= _SHRINK_FROM_S else [])],
)


@pytest.fixture
def for_a_while():
    """Calls a hypothesis test again and again, each time from another seed, for a share of the whole time."""

    def repeat(test, share: float) -> None:
        end = time.monotonic() + share * SECONDS
        while True:
            test()
            if time.monotonic() >= end:
                return

    return repeat
