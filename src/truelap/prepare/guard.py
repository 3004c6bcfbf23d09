"""What is put back to base, as one question: the measurement setup, test code, and what merely serves either.

The same answer holds for a submission's entries and for what a build leaves.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal

from truelap.imports import BY_PATH
from truelap.links import NO_LINKS
from truelap.policy import followed, matches, measurement_setup, measuring
from truelap.prepare.linked import links_of, seen
from truelap.prepare.only_tests import only_for_tests
from truelap.prepare.rivals import hidden_by
from truelap.product import Product
from truelap.serving import Serving

if TYPE_CHECKING:
    from collections.abc import Iterable

    from truelap.model import Base
    from truelap.policy import Policy
    from truelap.world.git import Store

Kind = Literal["protected", "test_code"]


class Guard:
    """Says of a path what it is.

    Args:
        store: where base is.
        base: the starting tree.
        policy: its patterns, and the defences in force.
        places: folders that base's tests and benchmarks import from, "" for the root.
        asked: paths that will be asked about. What serves the tests is looked for only where they lie.
    """

    def __init__(
        self, store: Store, base: Base, policy: Policy, places: Iterable[str], asked: Iterable[bytes]
    ) -> None:
        places = tuple(places)
        self.protected = measurement_setup(base, policy)
        own = base.test_code if policy.keeps("own_tests") else ()
        tests = (*policy.test_code.patterns, *own) if policy.keeps("test_code") else ()
        self._tests = followed(base, policy, tests)
        files = tuple(store.list_tree(base.tree))
        self._links = links_of(store, files) if policy.keeps("links") else NO_LINKS
        self._paths = frozenset(file.path for file in files)
        self._files = seen(files, self._links)
        self._helpers: frozenset[bytes] = frozenset()
        self._packages: frozenset[bytes] = frozenset()
        if policy.keeps("helpers"):
            folders = [_bytes(place) for place in places]
            about = {near for path in asked for near in (path, *hidden_by(path, folders))}
            # Product that is seen under other names too is not mentioned there.
            asked_of = [file for file in self._files if file.path in self._paths or self.holds(file.path)]
            self._helpers = only_for_tests(store, asked_of, about & self._paths, policy.test_code)
            self._serving(store, places, about)

    @property
    def base(self) -> frozenset[bytes]:
        """Every path of base."""
        return self._paths

    @property
    def names(self) -> frozenset[bytes]:
        """Every path of base, and every name under which a file is seen through its links."""
        return self._paths.union(file.path for file in self._files)

    def kind(self, path: bytes) -> Kind | None:
        """What a path belongs to; None where it is the submission's."""
        if matches(self.protected, path):
            return "protected"
        serves = path in self._helpers or any(path.startswith(package) for package in self._packages)
        return "test_code" if serves or matches(self._tests, path) else None

    def holds(self, path: bytes) -> bool:
        """Whether a path is put back."""
        return self.kind(path) is not None

    def _serving(self, store: Store, places: tuple[str, ...], about: Iterable[bytes]) -> None:
        blobs = {_text(file.path): file.blob for file in self._files}
        with store.reader() as read:
            product = Product(blobs.keys(), lambda path: read(blobs[path]))
            if all(self.holds(path) or product.holds(_text(path)) for path in about):
                return
            serving = Serving(
                blobs.keys(),
                lambda path: read(blobs[path]),
                places,
                product,
                is_guarded=lambda path: self.holds(_bytes(path)),
            )
            start = self._speaking(store, serving.tops)
            found = {_bytes(way) for path in serving.found(start) for way in self._links.ways(path)}
        self._helpers |= found
        self._packages = frozenset(
            path.removesuffix(b"__init__.py") for path in found if path.endswith(b"/__init__.py")
        )

    def _speaking(self, store: Store, names: frozenset[str]) -> list[str]:
        """The modules of tests and benchmarks that may import one of some top-level names, or run a file."""
        words = "|".join([BY_PATH, *map(re.escape, sorted(names))])
        word = re.compile(rf"\b(?:{words})\b".encode())
        files = [file for file in self._files if file.path.endswith(b".py") and self.holds(file.path)]
        contents = store.blobs(file.blob for file in files)
        return [
            _text(file.path)
            for file, (_, content) in zip(files, contents, strict=True)
            if word.search(content)
        ]


def helpers_of(store: Store, base: Base, policy: Policy, places: Iterable[str]) -> tuple[str, ...]:
    """Regular expressions for the modules of base that serve its tests or benchmarks and lie outside of its product.

    Args:
        store: where base is.
        base: the starting tree.
        policy: its patterns, and the defences in force.
        places: as for `Guard`.
    """
    named = measuring(base, policy)
    files = tuple(store.list_tree(base.tree))
    blobs = {_text(file.path): file.blob for file in seen(files, links_of(store, files))}
    product = Product(blobs.keys(), lambda path: store.blob(blobs[path]))
    modules = [path for path in blobs if path.endswith(".py") and not matches(named, _bytes(path))]
    asked = [_bytes(path) for path in modules if not product.holds(path)]
    guard = Guard(store, base, policy, places, asked)
    return tuple(f"^{re.escape(_text(path))}$" for path in asked if guard.holds(path))


def _text(path: bytes) -> str:
    return path.decode("utf-8", "surrogateescape")


def _bytes(path: str) -> bytes:
    return path.encode("utf-8", "surrogateescape")
