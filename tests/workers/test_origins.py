"""Tests and benchmarks must not load different files under one name."""

from types import SimpleNamespace

import pytest

from truelap.workers.origins import read_origins, two_products

BOTH = {"pkg": ["src/pkg.py"], "conftest": ["conftest.py"]}
BENCH = {"pkg": "src/pkg.py", "suite": "suite.py"}


def said(tests=BOTH, bench=BENCH, base_tests=BOTH, base_bench=BENCH):
    return list(two_products(SimpleNamespace(loaded=tests, base_loaded=base_tests), base_bench, bench))


def test_the_same_files_are_fine():
    assert said() == []
    assert said({"pkg": ["pkg.py", "src/pkg.py"]}) == []
    assert said({"new": ["new.py"]}) == []


def test_different_files_are_told():
    assert said({"pkg": ["pkg.py"]}) == ["pkg: tests load pkg.py, benchmarks src/pkg.py"]
    new = {"new": ["a/new.py"]}, {"new": "b/new.py"}
    assert said(*new) == ["new: tests load a/new.py, benchmarks b/new.py"]


def test_what_base_does_as_well_is_its_own_affair():
    apart = {"pkg": ["pkg.py"]}
    assert said(apart, base_tests=apart) == []


@pytest.mark.parametrize("claim", [None, {}, [["a"]], [["a", 1]], ["ab"]])
def test_a_claim_that_is_none(claim):
    with pytest.raises(ValueError, match=r"none|no list"):
        read_origins(claim)
