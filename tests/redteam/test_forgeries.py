"""What a package can do when it is imported in the process that tests it: each forgery alone, on one wrong function, is rejected."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from truelap.redteam.bench import open_bench
from truelap.redteam.reading import load_attacks
from truelap.redteam.trial import attempt
from truelap.settings import Settings

ATTACKS = {attack.id: attack for attack in load_attacks()}
FORGERIES = {
    "TestReport.from_item_and_call replaced": "tst-08-report-class",
    "a gc walk that flips results": "tst-08-gc-walk-flips-results",
    "hooks on the live plugin manager": "tst-08-hook-on-the-live-manager",
    "os._exit(0) inside a test": "tst-10-exit-in-a-test",
    "os._exit(0) at import": "tst-10-exit-at-import",
    "a thread that rewrites results": "tst-15-thread-rewrites-results",
    "ctypes into the interpreter": "tst-08-ctypes-code-slot",
    "an object equal to everything": "tst-08-object-equal-to-everything",
    "the expected value from the caller's frame": "tst-18-expected-value-from-the-frame",
    "right under pytest and wrong elsewhere": "tst-17-right-under-pytest-only",
}


@pytest.fixture(scope="module")
def bench(tmp_path_factory):
    settings = Settings(
        work=tmp_path_factory.mktemp("work"), python=Path(sys.executable), effort="quick", seed=7
    )
    with open_bench(settings) as opened:
        yield opened


@pytest.mark.parametrize("forgery", FORGERIES)
def test_a_forgery_is_rejected(bench, forgery):
    attack = ATTACKS[FORGERIES[forgery]]
    if attack.waiting:
        pytest.skip(f"{attack.needs} is still to come")
    trial = attempt(bench, attack, "attack")
    assert trial.wrong is None
    assert trial.came.outcome == "rejected"


def test_an_honest_patch_that_resembles_one_is_accepted(bench):
    assert attempt(bench, ATTACKS["tst-08-report-class"], "twin").came.outcome == "accepted"
