"""What base's runs differ in, learnt from runs of base alone."""

import pytest

from truelap.checks.tests.messages import Plugin
from truelap.checks.tests.results import Node, Session
from truelap.checks.tests.sides import UNSTEADY, Side
from truelap.checks.tests.steadiness import Habits, Shapes, missed, renamed, wandering


def side(*ids, outcome="passed", values=()):
    nodes = {name: Node(outcome=outcome, seconds=1.0, message="") for name in ids}
    sent = dict.fromkeys(values, (b"x",))
    session = Session(
        nodes=nodes, plugins=(), uncollected={}, warnings=0, fault=None, seconds=1.0, values=sent
    )
    return Side(sessions=(session,))


RUNS = [["tests/tmpa01i6bqt.ini", "tests/log.ini"], ["tests/tmpb8z_2xyw.ini", "tests/log.ini"]]


@pytest.mark.parametrize(
    ("name", "covered"),
    [
        ("tests/tmpq77zz0ab.ini", True),
        ("tests/log.ini", True),
        ("tests/tmpa01i6bqt.ini", True),
        ("tests/tmpq77zz0ab.py", False),
        ("tests/pytest.ini", False),
        ("tests/xypq77zz0ab.ini", False),
        ("tests/tmpq77zz0abcdefg.ini", False),
        ("docs/tmpq77zz0ab.ini", False),
        ("tests/deep/tmpq77zz0ab.ini", False),
    ],
)
def test_a_name_made_like_those_that_differ_is_covered(name, covered):
    assert Shapes(RUNS).cover(name) is covered


def test_folders_may_have_the_names_that_differ():
    shapes = Shapes([["out/a1b2/x.py"], ["out/c3d4/x.py"]])
    assert shapes.cover("out/e5f6/x.py")
    assert not shapes.cover("out/e5f6/y.py")


@pytest.mark.parametrize("name", ["tests/conftest.py", "tests/__init__.py"])
def test_names_that_are_looked_for_are_never_like_any_other(name):
    runs = [["tests/0123456789.py"], ["tests/abcdefghij.py"]]
    assert Shapes(runs).cover("tests/9f8e7d6c5b.py")
    assert not Shapes(runs).cover(name)


@pytest.mark.parametrize("runs", [[], [["tests/tmp1.ini"]], [["tests/tmp1.ini"], []], [["a"], ["a"]]])
def test_one_example_teaches_nothing(runs):
    assert not Shapes(runs).cover("tests/tmp2.ini")


def plugin(name, *, in_tree=True, dist=""):
    return Plugin(name=name, dist=dist, in_tree=in_tree)


HABITS = Habits(plugins=((plugin("helper-1a2b"), plugin("p")), (plugin("helper-9f0c"), plugin("p"))))


def test_plugins_named_at_random_are_taken_as_often_as_base_loads_them():
    one, more = plugin("helper-77aa"), plugin("helper-88bb")
    assert HABITS.strange_plugins([one]) == ()
    assert HABITS.strange_plugins([one, more]) == (more,)


@pytest.mark.parametrize(
    "other",
    [
        plugin("evil"),
        plugin("helper-77aa", in_tree=False),
        plugin("helper-77aa", dist="d"),
        plugin("p", dist="d"),
    ],
)
def test_other_plugins_stay_strange(other):
    assert HABITS.strange_plugins([other]) == (other,)


FIRST = side("t.py::a", "t.py::f[<object at 0x1>]", "t.py::f[len]", values=["t.py::f[len]"])
OTHER = side("t.py::a", "t.py::f[<object at 0x2>]", "t.py::f[len]")


def test_ids_that_differ_are_counted():
    functions = wandering(FIRST, OTHER)
    assert functions == {"t.py::f"}
    named = renamed(FIRST, functions)
    assert (
        list(named.nodes)
        == ["t.py::a", "t.py::f[#0]", "t.py::f[#1]"]
        == list(renamed(OTHER, functions).nodes)
    )
    assert list(named.sessions[0].values) == ["t.py::f[#1]"]
    assert renamed(named, functions) == named


@pytest.mark.parametrize(
    "other",
    [
        side("t.py::a", "t.py::f[len]", "t.py::f[<object at 0x1>]"),
        side("t.py::a", "t.py::f[len]"),
        side("t.py::b", "t.py::f[len]", "t.py::f[<object at 0x1>]"),
    ],
    ids=["another order", "fewer", "no parameters"],
)
def test_other_differences_do_not_make_ids_wander(other):
    assert wandering(FIRST, other) == frozenset()


def test_a_bracket_in_the_name_of_a_file_is_no_parameter():
    one, other = side("[x].py::a", "[x].py::b"), side("[x].py::a", "[x].py::c")
    assert wandering(one, other) == frozenset()


def test_what_passes_only_sometimes_counts_as_failed():
    both = side("a", "b")
    assert both.passed == ("a", "b")
    assert missed(both, side("a")) == ["b"]
    left = both.without(["b"])
    assert left.passed == ("a",)
    assert (left.nodes["b"].outcome, left.nodes["b"].message) == ("failed", UNSTEADY)
