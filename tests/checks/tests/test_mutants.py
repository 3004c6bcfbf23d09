"""Mutants change what a function gives and nothing else, and tell only where base's failed test met the same values."""

import os
import time
from types import SimpleNamespace

import pytest

from truelap.checks.tests.attest_known import Known
from truelap.checks.tests.mutants import asserted_calls, contradicts, definitions, mutable
from truelap.checks.tests.mutated import Parsed
from truelap.model import REGULAR
from truelap.world.files import Held, TreeOnDisk


def made(source, name):
    found = mutable(source.encode())
    if name not in found.wraps:
        return None
    changed = found.mutated([name])
    assert len(changed.splitlines()) == len(source.splitlines())
    space = {}
    exec(compile(changed, "m.py", "exec"), space)
    return space


@pytest.mark.parametrize(
    "source",
    [
        "def f(x):\n    return x\n",
        "def f(x):\n    if x:\n        return (\n            x  # why\n        )\n    return None\n",
        "def f(x):\n    def g():\n        return 0\n    return lambda: x, 1\n",
        "def f(x):\n    'é'; return [y for y in (x,)]\n",
        "class C:\n    @staticmethod\n    def f(x):\n        return x\nf = C.f\n",
    ],
)
def test_what_is_returned_becomes_the_only_item_of_a_tuple(source):
    plain = {}
    exec(source, plain)
    (given,) = made(source, "f")["f"](3)
    expected = plain["f"](3)
    assert type(given) is type(expected)
    assert given == expected or callable(given[0])


def test_a_generator_yields_tuples():
    assert list(made("def f(x):\n    yield x\n    yield x, 1\n    return 2\n", "f")["f"](3)) == [
        (3,),
        ((3, 1),),
    ]


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("def f(x):\n    pass\n", "f"),
        ("def f(x):\n    return\n", "f"),
        ("def f(x):\n    yield from x\n", "f"),
        ("def f(x):\n    return x\n", "g"),
        ("def f(x):\n    return x\n\ndef f(x):\n    return 1\n", "f"),
        ("def f(x:\n", "f"),
    ],
)
def test_a_function_that_gives_nothing_or_is_not_one_is_left_alone(source, name):
    assert made(source, name) is None


def test_calls_whose_result_is_compared_are_found():
    source = """
class Test:
    def test_a(self):
        self.assertEqual(roman(4), "IV")
        with open(f(x)) as g:
            assert sorted(g.read(1)) == h(2)
def test_b():
    k(1)
    assert l(1) == 2 and m(2)
def helper():
    assert n(1)
"""
    calls = asserted_calls(source.encode(), "t.py")
    assert calls == {"roman": ["Test.test_a"], "read": ["Test.test_a"], "h": ["Test.test_a"], "l": ["test_b"]}
    assert asserted_calls(b"def test(:\n", "t.py") == {}


def test_definitions_are_found_in_the_text():
    assert definitions(b"def f():\n  def g(): pass\nasync  def h (x): pass\n# def i\nclass J: pass\n") == [
        "f",
        "g",
        "h",
    ]


KNOWN = {(1, 0): Known("exact", (5, 6)), (2, 0): Known("unstable", (1,))}
WRONG = [[1, 0, 5], [1, 0, ["t", [6]]]]


def test_a_worker_that_met_the_same_wrong_value_and_passed_is_told():
    assert contradicts(KNOWN, WRONG, WRONG)
    assert contradicts(KNOWN, WRONG, [*WRONG, [1, 0, 7]])


@pytest.mark.parametrize(
    ("base", "candidate"),
    [
        ([], []),
        (WRONG, WRONG[:1]),
        (WRONG, [[1, 0, 5], [1, 0, 6]]),
        ([[1, 0, 5], [1, 0, 6]], [[1, 0, 5], [1, 0, 6]]),
        ([[2, 0, 9]], [[2, 0, 9]]),
        ([[3, 0, 9]], [[3, 0, 9]]),
    ],
    ids=[
        "nothing sent",
        "less sent",
        "another value",
        "the usual value",
        "an unstable value",
        "an unknown place",
    ],
)
def test_anything_else_is_no_contradiction(base, candidate):
    assert not contradicts(KNOWN, base, candidate)


def test_functions_of_one_file_change_together():
    source = "def f(x):\n    def g():\n        return 'é', x\n    return g()\n\ndef h(x):\n    'é'; yield (yield f(x))\n"
    assert mutable(source.encode()).mutated(["f", "h", "g"]).decode() == (
        "def f(x):\n    def g():\n        return (('é', x),)\n    return ((g()),)\n\n"
        "def h(x):\n    'é'; yield (((yield ((f(x)),)),))\n"
    )


def test_one_long_line_takes_no_longer_than_many():
    began = time.process_time()
    changed = mutable(b"def f(x):\n    '\xc3\xa9'; " + b"return x; " * 40_000 + b"\n").mutated(["f"])
    assert changed.count(b"((x),)") == 40_000
    assert time.process_time() - began < 8


def test_a_file_of_half_a_megabyte_and_more_is_not_parsed():
    def source(size):
        head = "def f(x):\n    return x\n# "
        return (head + "x" * (size - len(head))).encode()

    assert mutable(source(1 << 19)).mutated(["f"]).startswith(b"def f(x):\n    return ((x),)\n")
    assert not mutable(source((1 << 19) + 1)).wraps


@pytest.mark.parametrize(("files", "fits"), [(3, True), (30, False)])
def test_sources_without_end_are_not_parsed(tmp_path, files, fits):
    """A candidate may fill every file up to the limit; an honest one is far from it."""
    head = "def f(x):\n    return x\n"
    trees = {}
    for side in ("base", "candidate"):
        (tmp_path / side).mkdir()
        held = {}
        for number in range(files):
            padding = f"# {number} {side}".ljust(200_000 if side == "candidate" else 20)
            size = (tmp_path / side / f"m{number}.py").write_text(head + padding)
            held[b"m%d.py" % number] = Held(REGULAR, "", size)
        trees[side] = TreeOnDisk(tmp_path / side, held)
    parsed, bench = Parsed(), SimpleNamespace(**trees)
    found = [parsed.fits(bench, b"m%d.py" % number, "f") for number in range(files)]
    assert all(found) == fits
    assert found[0]
    assert not parsed.fits(bench, b"m0.py", "g")


def test_a_source_of_any_length_that_a_build_left_is_not_read(tmp_path):
    (tmp_path / "m.py").touch()
    os.truncate(tmp_path / "m.py", 1 << 37)
    tree = TreeOnDisk(tmp_path, {b"m.py": Held(REGULAR, "", 1 << 37)})
    assert not Parsed().fits(SimpleNamespace(base=tree, candidate=tree), b"m.py", "f")
