"""What a test hands to a helper of the tests is recorded; what it hands to anybody else is not."""

import ast
import textwrap

import pytest

from truelap.checks.tests.attest_helpers import Helpers
from truelap.checks.tests.attest_modules import Modules
from truelap.checks.tests.attest_perturb import perturb
from truelap.checks.tests.attest_rewrite import attest
from truelap.policy import load_policy

TEST_CODE = load_policy().test_code
PATTERNS = (*TEST_CODE.patterns, *TEST_CODE.helper_patterns)
FILES = {
    "pyproject.toml": b'[project]\nname = "pkg"\n',
    "pkg/__init__.py": b"",
    "pkg/core.py": b"",
    "pkg/_checks.py": b"",
    "pkg/tests/__init__.py": b"",
    "pkg/tests/helpers.py": b"",
    "pkg/tests/deep/test_x.py": b"",
    "common.py": b"",
    "conftest.py": b"",
}
MODULES = Modules(frozenset(FILES), ("",), PATTERNS, FILES.__getitem__)
FILE = "pkg/tests/deep/test_x.py"


def handed(text, modules=MODULES):
    """The lines of the statements that hand something to a helper."""
    tree = ast.parse(textwrap.dedent(text))
    helpers = Helpers(tree, modules.names(tree, FILE))
    statements = [node for node in ast.walk(tree) if isinstance(node, ast.Expr)]
    return sorted(node.lineno for node in statements if helpers.calls(node))


@pytest.mark.parametrize(
    ("line", "call"),
    [
        ("from ..helpers import same", "same(f(), 1)"),
        ("from ..helpers import same as alike", "alike(f(), 1)"),
        ("from .. import helpers", "helpers.same(f(), 1)"),
        ("from pkg.tests import helpers as h", "h.expect(f()).equals(1)"),
        ("import pkg.tests.helpers", "pkg.tests.helpers.same(f(), 1)"),
        ("import pkg._checks as checks", "checks.same(f(), 1)"),
        ("from pkg._checks import *", "same(f(), 1)"),
        ("from pkg import _checks", "_checks.Same.check(f(), 1)"),
        ("from conftest import same", "same(f(), 1)"),
        ("import common", "common.same(f(), 1)"),
        ("from helpers import same", "same(f(), 1)"),
        ("from helpers import same", "await same(f(), 1)"),
    ],
)
def test_what_is_imported_from_test_code_is_a_helper(line, call):
    assert handed(f"{line}\nasync def test():\n    {call}\n") == [3]


@pytest.mark.parametrize(
    ("line", "call"),
    [
        ("import random", "random.seed(1)"),
        ("import os", "os.remove(f())"),
        ("import pkg.tests.helpers", "pkg.core.run(1)"),
        ("from pkg import core", "core.run(f())"),
        ("from pkg.core import run", "run(f())"),
        ("from ...core import run", "run(f())"),
        ("from ..helpers import same", "print(same(f(), 1))"),
        ("from ..helpers import same", "x = same(f(), 1)"),
        ("from ..helpers import same", "same"),
        ("from pkg._checks import *", "print(f())"),
        ("from pkg.core import *", "run(f())"),
        ("x = [1]", "x.append(f())"),
        ("def check(x): return x", "check(f())"),
        ("class C: pass", "self.make(f())"),
    ],
)
def test_anything_else_is_none(line, call):
    assert handed(f"{line}\ndef test(self):\n    {call}\n") == []


def test_what_a_file_defines_is_a_helper_when_it_holds_assertions():
    text = """
    from functools import partial
    from ..helpers import same
    def straight(x, y): assert x == y
    def through(x): straight(x, 1)
    def farther(x): same(x, 2)
    def raising(x):
        if x: raise AssertionError(x)
    def harmless(x): return x
    close = partial(straight, y=3)
    short = lambda x: straight(x, 1)
    class T(Base):
        def check(self, x): self.assertEqual(x, 1)
        def nested(self, x): self.check(x)
        def make(self, x): return x
        def test(self, fixture):
            eq = self.assertEqual
            straight(1, 2)
            through(1)
            farther(1)
            raising(1)
            harmless(1)
            close(1)
            short(1)
            self.check(1)
            self.nested(1)
            self.make(1)
            eq(1, 2)
            fixture(1)
            fixture.add(1)
            T.check(self, 1)
    """
    inside = [5, 6, 14]
    assert [line for line in handed(text) if line not in inside] == [
        18,
        19,
        20,
        21,
        23,
        24,
        25,
        26,
        28,
        29,
        31,
    ]


def test_methods_that_a_class_takes_over_from_test_code_are_helpers():
    text = "from ..helpers import Base\nclass T(Base):\n    def test(self):\n        self.check(1)\n        self.skipTest('')\n"
    assert handed(text) == [4]
    assert handed(text.replace("..helpers", "pkg.core")) == []


def test_all_that_is_handed_over_is_recorded_and_only_that():
    text = "from ..helpers import same\ndef test():\n    same(f(1), [2], tolerance=g())\n    f(3)\n"
    found = attest(text.encode(), FILE, name="_rec", modules=MODULES)
    assert (
        found.source.decode().splitlines()[2] == "    same(_rec(0,0,(f(1))), [2], tolerance=_rec(0,2,(g())))"
    )
    assert [(site.kind, site.line, len(site.operands)) for site in found.sites] == [("handed", 3, 3)]
    soft = attest(text.encode(), FILE, name="_rec", soft=True, modules=MODULES).source.decode()
    assert "_rec.soft(0,(same))(_rec(0,0,(f(1)))" in soft
    assert attest(text.encode(), FILE, name="_rec").sites == ()


def test_what_stands_beside_it_is_expected():
    text = "from ..helpers import same\ndef test():\n    same(f(100), 200)\n    f(300)\n"
    found = perturb(text.encode(), b"s", filename=FILE, inputs=0, expected=1, modules=MODULES)
    changed = found.source.decode()
    assert found.changes == 1
    assert "f(100)" in changed
    assert "200" not in changed
