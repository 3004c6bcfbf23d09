"""What base's own runs do differently from one to the next: none of it is held against the candidate. Pure.

Only runs of base are learnt from, in sandboxes of their own: the candidate has no say in what counts as unsteady.
"""

from __future__ import annotations

from collections import Counter
from posixpath import commonprefix
from typing import TYPE_CHECKING

from truelap.checks.tests.messages import Plugin
from truelap.model import Frozen

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from truelap.checks.tests.results import Session
    from truelap.checks.tests.sides import Side

_SPARE = 2
"""By how much a name may be longer or shorter than those that base's runs came up with."""
_BY_NAME = {"conftest.py", "__init__.py", "sitecustomize.py", "usercustomize.py", "pytest.ini", ".pytest.ini"} | {
    "pytest.toml", ".pytest.toml", "tox.ini", "setup.cfg", "pyproject.toml"}  # fmt: skip
"""Files that are read because of their name: none of them is a name like any other."""


class Shapes:
    """Names with parts that are other ones in each of base's runs, and what these have in common.

    Args:
        runs: the names of each run, at least two to learn anything.

    >>> shapes = Shapes([["tests/tmpa1x.ini"], ["tests/tmpk9q.ini"]])
    >>> shapes.cover("tests/tmp7zz.ini"), shapes.cover("tests/conftest.py"), shapes.cover("docs/tmp7zz.ini")
    (True, False, False)
    """

    def __init__(self, runs: Iterable[Iterable[str]]) -> None:
        known = [frozenset(run) for run in runs]
        self._known = frozenset[str]().union(*known)
        placed = [{part for name in run for part in enumerate(name.split("/"))} for run in known]
        self._fixed = frozenset.intersection(*map(frozenset, placed)) if placed else frozenset()
        self._wild: dict[tuple[str, ...], list[tuple[str, ...]]] = {}
        for name in sorted(self._known):
            if not all(name in run for run in known):
                shape, parts = self._split(name)
                self._wild.setdefault(shape, []).append(parts)

    def cover(self, name: str) -> bool:
        """Whether a name is one of base's, or is made like those of base that differ from run to run."""
        if name in self._known:
            return True
        shape, parts = self._split(name)
        examples = self._wild.get(shape, [])
        return len(examples) > 1 and all(map(_alike, parts, zip(*examples, strict=True)))

    def shape(self, name: str) -> tuple[str, ...]:
        """What is the same in every run."""
        return self._split(name)[0]

    def _split(self, name: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
        parts = [*enumerate(name.split("/"))]
        shape = tuple(f"={part[1]}" if part in self._fixed else f"*{_ending(part[1])}" for part in parts)
        return shape, tuple(part[1] for part in parts if part not in self._fixed)


def _ending(part: str) -> str:
    return part.rpartition(".")[2] if "." in part else ""


def _alike(part: str, examples: Sequence[str]) -> bool:
    # The last letter of what they share may be shared by chance.
    start = commonprefix(examples)[:-1]
    lengths = [len(example) for example in examples]
    fits = min(lengths) - _SPARE <= len(part) <= max(lengths) + _SPARE
    return fits and part.startswith(start) and part not in _BY_NAME


class Habits(Frozen):
    """What each of base's runs left behind and loaded."""

    changed: tuple[tuple[str, ...], ...] = ()
    planted: tuple[tuple[str, ...], ...] = ()
    touched: tuple[tuple[str, ...], ...] = ()
    unreadable: tuple[tuple[str, ...], ...] = ()
    plugins: tuple[tuple[Plugin, ...], ...] = ()

    def strange_plugins(self, fresh: Iterable[Plugin]) -> tuple[Plugin, ...]:
        """Those of the candidate's plugins that base's first run did not load, and that no run of base accounts for."""
        shapes = Shapes(map(_as_name, run) for run in self.plugins)
        # Of names made alike base loads so many at most, and the candidate may not bring one more.
        spare: Counter[tuple[str, ...]] = Counter()
        for run in self.plugins:
            spare |= Counter(shapes.shape(_as_name(plugin)) for plugin in run)
        strange = []
        for plugin in fresh:
            shape = shapes.shape(_as_name(plugin))
            if not shapes.cover(_as_name(plugin)) or not spare[shape]:
                strange.append(plugin)
            else:
                spare[shape] -= 1
        return tuple(strange)


def _as_name(plugin: Plugin) -> str:
    return f"{plugin.dist}/{plugin.in_tree}/{plugin.name}"


def habits_of(runs: Iterable[Side]) -> Habits:
    """What some runs of base left and loaded."""
    sides = [*runs]
    return Habits(
        changed=tuple(side.changed for side in sides),
        planted=tuple(side.planted for side in sides),
        touched=tuple(side.touched for side in sides),
        unreadable=tuple(side.unreadable for side in sides),
        plugins=tuple(tuple(side.plugins) for side in sides),
    )


def function_of(test: str) -> str:
    """A test's id without its parameters.

    >>> function_of("tests/test_a.py::test_b[x[y]]")
    'tests/test_a.py::test_b'
    """
    file, mark, rest = test.partition("::")
    return file + mark + rest.partition("[")[0]


def wandering(one: Side, other: Side) -> frozenset[str]:
    """Parametrized functions whose ids are other ones in each of two runs, but as many: addresses, random numbers."""
    left, right = (_by_function(side.nodes) for side in (one, other))
    return frozenset(
        function
        for function, ids in left.items()
        if ids[0] != function and len(ids) == len(right.get(function, ())) and {*ids} != {*right[function]}
    )


def _by_function(ids: Iterable[str]) -> Mapping[str, Sequence[str]]:
    found: dict[str, list[str]] = {}
    for name in ids:
        found.setdefault(function_of(name), []).append(name)
    return found


def renamed(side: Side, functions: frozenset[str]) -> Side:
    """The same run with the ids of some functions counted: `test_b[#0]`, `test_b[#1]`, in the order of collection."""
    if not functions:
        return side
    return side.model_copy(
        update={"sessions": tuple(_counted(session, functions) for session in side.sessions)}
    )


def _counted(session: Session, functions: frozenset[str]) -> Session:
    counts: Counter[str] = Counter()
    names: dict[str, str] = {}
    for name in session.nodes:
        function = function_of(name)
        if function in functions:
            names[name] = f"{function}[#{counts[function]}]"
            counts[function] += 1
    return session.model_copy(
        update={
            "nodes": {names.get(name, name): node for name, node in session.nodes.items()},
            "values": {names.get(name, name): sent for name, sent in session.values.items()},
        }
    )


def missed(before: Side, other: Side) -> list[str]:
    """Ids that pass in one run of base, and do not in another one."""
    passed = frozenset(other.passed)
    return [name for name in before.passed if name not in passed]
