"""Finds modules of the product that a candidate would have at two import places at once. Pure.

Between the folders of `sys.path` the first one wins, and it is not the same one for all: pytest puts the folders of tests
and conftest.py in front, asv the folder above the suite behind. With `src/pkg` and a copy of it at the root, tests could read
the one and benchmarks the other. So a name has one place. A product that leaves its place whole for another one is no double.
"""

from __future__ import annotations

import re
from collections import defaultdict
from typing import TYPE_CHECKING

from truelap.prepare.rivals import folders_above
from truelap.rules import module_name

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping

    Offers = Mapping[bytes, Mapping[bytes, Collection[bytes]]]

SPEAKING = (b".py", b".pyx", b".pyi", b".pxd")
"""Endings of the files that are asked what they import."""

_IMPORT = re.compile(rb"(?:^|;)[ \t]*(?:from[ \t]+(\w+)|c?import[ \t]+([^#;\n]+))", re.MULTILINE)
_QUOTED = re.compile(rb"""["'](\w+)(?:\.[\w.]*)?["']""")
_WORD = re.compile(rb"\w+")


def doubles(
    base: Collection[bytes],
    candidate: Collection[bytes],
    places: Iterable[bytes],
    sources: Callable[[], Iterable[bytes]],
) -> frozenset[bytes]:
    """New files that bring a module to a place while it stays at another; of two new places, the first one has it.

    Args:
        base: the files of base, without links.
        candidate: the files that the candidate would have.
        places: folders that the project, its tests or its benchmarks import from, b"" for the root, first one first.
        sources: contents that may import something. What nobody imports by its top-level name is no double.

    >>> two = [b"src/a.py", b"a/__init__.py"]
    >>> doubles([b"src/a.py"], two, [b"src", b""], lambda: [b"import a"])
    frozenset({b'a/__init__.py'})
    >>> doubles([b"src/a.py"], two, [b"src", b""], lambda: [b"from . import a"])
    frozenset()
    >>> doubles([b"src/a.py"], [b"a/__init__.py"], [b"src", b""], lambda: [b"import a"])
    frozenset()
    """
    found = _doubles(base, candidate, tuple(dict.fromkeys(places)))
    if not found:
        return frozenset()
    names = imported(sources())
    return frozenset().union(*(paths for name, paths in found if name in names)) - frozenset(base)


def _doubles(
    base: Iterable[bytes], candidate: Iterable[bytes], places: tuple[bytes, ...]
) -> list[tuple[bytes, frozenset[bytes]]]:
    """Top-level names and files of the modules that are new at one place and have their name elsewhere too."""
    before, after = offered(base, places), offered(candidate, places)
    new = {place: after[place].keys() - before[place].keys() for place in places}
    homes: dict[bytes, set[int]] = defaultdict(set)
    for number, place in enumerate(places):
        for unit in after[place]:
            # A package hides whatever other places have below its name.
            for name in (unit, *folders_above(unit)):
                homes[name].add(number if unit in new[place] else -1 - number)
    return [
        (unit.partition(b"/")[0], frozenset(after[place][unit]))
        for number, place in enumerate(places)
        for unit in new[place]
        if any(home < number and home != -1 - number for home in homes[unit])
    ]


def offered(paths: Iterable[bytes], places: Collection[bytes]) -> Offers:
    """For each place the modules to be imported from there, as paths without suffix, and the files that bring them.

    What lies in a package with an `__init__` is the package's (`b"pkg"`, or `b"space/pkg"` below a bare folder).
    """
    named = [(path, name) for path in paths if (name := _stem(path)) is not None]
    packages = {path.rpartition(b"/")[0] for path, name in named if name.rpartition(b"/")[2] == b"__init__"}
    found: dict[bytes, dict[bytes, list[bytes]]] = {place: defaultdict(list) for place in places}
    for path, name in named:
        above = folders_above(path)
        for place in {*above, b""}.intersection(found):
            depth = len(place) + 1 if place else 0
            inside = [folder for folder in reversed(above) if len(folder) > len(place) and folder in packages]
            unit = (inside[0] if inside else name)[depth:]
            if unit != b"__init__":
                found[place][unit].append(path)
    return found


def imported(sources: Iterable[bytes]) -> frozenset[bytes]:
    """Top-level names that some sources import, or say in a text of their own (`import_module("a.b")`).

    >>> sorted(imported([b"import a.b, c as d", b"from e import f; from .g import h", b"load('i.j')"]))
    [b'a', b'b', b'c', b'd', b'e', b'i']
    """
    return frozenset(name for source in sources for name in _names(source))


def _names(source: bytes) -> Iterator[bytes]:
    for first, several in _IMPORT.findall(source):
        yield from (first,) if first else (word for word in _WORD.findall(several) if word != b"as")
    yield from _QUOTED.findall(source)


def _stem(path: bytes) -> bytes | None:
    folder, slash, file = path.rpartition(b"/")
    name = module_name(file.decode("utf-8", "surrogateescape"))
    return None if name is None else folder + slash + name.encode("utf-8", "surrogateescape")
