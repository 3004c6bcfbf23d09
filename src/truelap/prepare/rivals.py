"""Finds what Python would import in place of a file that is put back, and what would change the names of tests. Pure.

In one folder Python takes a package before an extension module, that before a source, and a source before a folder without
`__init__` (the import system's `FileFinder`). So `conftest/__init__.py` or `conftest.so` hides `conftest.py`, and `tests.py`
hides a bare folder `tests/`, while every restored byte is base's. Between the folders of `sys.path` the first one wins.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from truelap.rules import module_name

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator

_MODULE = b".py"
_INIT = b"/__init__.py"


class _Module(NamedTuple):
    """What a path is imported as: a module called `name` in `folder`."""

    folder: bytes
    name: bytes
    is_package: bool
    is_source: bool

    @property
    def place(self) -> bytes:
        """Its path without an ending."""
        return _joined(self.folder, self.name)


class Rivals:
    """Knows what is to be imported at base.

    Args:
        base: all paths of base.
        is_guarded: whether a path of base is put back.
        places: folders that tests and benchmarks import from, b"" for the root.
    """

    def __init__(
        self, base: Iterable[bytes], is_guarded: Callable[[bytes], bool], places: Iterable[bytes] = (b"",)
    ) -> None:
        self._base = frozenset(base)
        self._guarded = frozenset(filter(is_guarded, self._base))
        self._folders = {folder for path in self._guarded for folder in folders_above(path)}
        self._places = frozenset(places)
        self._names: dict[bytes, set[bytes]] = {}
        for place, name in (found for path in self._guarded for found in self._names_of(path)):
            self._names.setdefault(name, set()).add(place)

    def among(self, added: Iterable[bytes], gone: frozenset[bytes] = frozenset()) -> frozenset[bytes]:
        """Those of the added paths that would be imported instead of what base has.

        Args:
            added: paths that base lacks and the candidate would have.
            gone: paths of base that the candidate validly lacks: turning a module into a package is an honest change.
        """
        return frozenset(path for path in added if self._is_rival(path, self._base - gone))

    def package_files(self) -> tuple[frozenset[bytes], frozenset[bytes]]:
        """The `__init__.py` that decide under which name and from which folder a restored module is imported.

        The first are base's, above such a module without a gap; the second are not there, and each would close the gap.
        """
        links, gaps = set(), set()
        for path in self._guarded:
            for folder in (*folders_above(path), b"") if path.endswith(b".py") else ():
                init = _joined(folder, _INIT[1:])
                if init not in self._base:
                    gaps.add(init)
                    break
                links.add(init)
        return frozenset(links), frozenset(gaps)

    def _is_rival(self, path: bytes, there: frozenset[bytes]) -> bool:
        module = _module(path)
        if module is None:
            return False
        seen = _seen_from(module, self._places)
        if any(places - {place} for place, name in seen if (places := self._names.get(name, set()))):
            return True
        source = module.place + _MODULE
        if module.is_package:
            return source in there
        hides_source = not module.is_source and source in self._guarded
        return hides_source or (module.place in self._folders and module.place + _INIT not in there)

    def _names_of(self, path: bytes) -> Iterator[tuple[bytes, bytes]]:
        for place in {*folders_above(path), b""}.intersection(self._places):
            *folders, file = path[len(place) + 1 if place else 0 :].split(b"/")
            parts = [*folders, file.removesuffix(_MODULE)]
            yield from ((place, b"/".join(parts[: count + 1])) for count in range(len(parts)))


def folders_above(path: bytes) -> tuple[bytes, ...]:
    """Every folder that a path lies in, nearest first.

    >>> folders_above(b"a/b/c.py")
    (b'a/b', b'a')
    """
    parts = path.split(b"/")[:-1]
    return tuple(b"/".join(parts[:count]) for count in range(len(parts), 0, -1))


def hidden_by(path: bytes, places: Collection[bytes] = ()) -> tuple[bytes, ...]:
    """The sources that a path could hide: those of its own module's name, from wherever that is imported.

    >>> hidden_by(b"a/b.abi3.so"), hidden_by(b"a/b/__init__.py"), hidden_by(b"a/b.txt")
    ((b'a/b.py', b'a/b/__init__.py'), (b'a/b.py', b'a/b/__init__.py'), ())
    >>> hidden_by(b"src/b.py", [b"src"])
    (b'src/b.py', b'src/b/__init__.py')
    >>> hidden_by(b"src/b.py", [b"src", b"lib"])
    (b'src/b.py', b'src/b/__init__.py', b'lib/b.py', b'lib/b/__init__.py')
    """
    module = _module(path)
    if module is None:
        return ()
    elsewhere = (
        _joined(other, name)
        for place, name in _seen_from(module, places)
        for other in places
        if other != place
    )
    stems = dict.fromkeys([module.place, *elsewhere])
    return tuple(stem + ending for stem in stems for ending in (_MODULE, _INIT))


def _seen_from(module: _Module, places: Iterable[bytes]) -> Iterator[tuple[bytes, bytes]]:
    """Each place that a module is imported from, with its path from there."""
    for place in places:
        below = place + b"/" if place else b""
        if module.place.startswith(below):
            yield place, module.place[len(below) :]


def _module(path: bytes) -> _Module | None:
    folder, _, file = path.rpartition(b"/")
    name = module_name(file.decode("utf-8", "surrogateescape"))
    if name is None:
        return None
    if name == "__init__":
        above, _, own = folder.rpartition(b"/")
        return _Module(above, own, is_package=True, is_source=file.endswith(b".py")) if own else None
    encoded = name.encode("utf-8", "surrogateescape")
    return _Module(folder, encoded, is_package=False, is_source=file.endswith(b".py"))


def _joined(folder: bytes, name: bytes) -> bytes:
    return folder + b"/" + name if folder else name
