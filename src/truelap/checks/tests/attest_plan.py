"""Which test files are rewritten, and what they become. Pure."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from truelap.checks.tests.attest_modules import NO_MODULES
from truelap.checks.tests.attest_perturb import perturb
from truelap.checks.tests.attest_rewrite import attest
from truelap.checks.tests.doctest_book import Book
from truelap.policy import matches

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from truelap.checks.tests.attest_marks import Site
    from truelap.checks.tests.attest_modules import Modules
    from truelap.world.files import Manifest

_REGULAR = (0o100644, 0o100755)


@dataclass(frozen=True)
class Sources:
    """Rewritten test files.

    Attributes:
        name: of the recorder; "" when nothing is recorded.
        files: their bytes by path.
        sites: every site by id.
        homes: the file of each site.
        plain: files that run as they are, with the reason.
        book: base's doctests; their sites and homes are among those above.
        product: names of the files whose lines a patch may shift.
    """

    name: str
    files: Mapping[bytes, bytes] = field(default_factory=dict)
    sites: Mapping[int, Site] = field(default_factory=dict)
    homes: Mapping[int, str] = field(default_factory=dict)
    plain: Mapping[str, str] = field(default_factory=dict)
    book: Book = field(default_factory=Book)
    product: frozenset[str] = frozenset()

    @property
    def shown(self) -> set[str]:
        """The rewritten files, as ids name them."""
        return {shown_path(path) for path in self.files}

    def speaks(self, test: str) -> bool:
        """Whether a test's values are recorded."""
        return bool(self.name) and (test in self.book.ids or file_of(test) in self.shown)

    def with_book(self, book: Book) -> Sources:
        """The same with doctests."""
        sites, homes = {**self.sites, **book.sites}, {**self.homes, **book.homes}
        return replace(self, book=book, sites=sites, homes=homes)

    def also_plain(self, reasons: Mapping[str, str]) -> Sources:
        """The same with more files on record as plain."""
        return replace(self, plain={**self.plain, **reasons})

    def bare(self, reason: str) -> Sources:
        """None of them: all run as they are, for one reason, and nothing is recorded."""
        plain = self.also_plain(dict.fromkeys(self.shown, reason))
        return replace(plain, name="", files={}, sites={}, homes={})


def file_of(test: str) -> str:
    """The file of a test's id.

    >>> file_of("tests/test_a.py::TestB::test_c[d::e]")
    'tests/test_a.py'
    """
    return test.partition("::")[0]


def shown_path(path: bytes) -> str:
    """A path as text that survives everywhere."""
    return path.decode("utf-8", "backslashreplace")


def candidates(
    base: Manifest,
    other: Manifest,
    collected: Iterable[str],
    patterns: tuple[str, ...],
    python_files: tuple[str, ...],
) -> list[bytes]:
    """Files that may be rewritten: regular test files, the same on both sides, and what tests may inherit from.

    Args:
        base: base's manifest.
        other: the candidate's.
        collected: files that tests were collected from.
        patterns: of test code.
        python_files: names that pytest takes for test files.
    """
    named = {file.encode("utf-8", "surrogateescape") for file in collected}

    def fits(path: bytes) -> bool:
        name = path.rpartition(b"/")[2].decode("utf-8", "replace")
        if not path.endswith(b".py") or name == "conftest.py":
            return False
        usual = any(fnmatchcase(name, pattern) for pattern in python_files)
        return usual if path in named else usual and matches(patterns, path)

    return [
        path
        for path, entry in base.items()
        if entry.mode in _REGULAR and other.get(path) == entry and fits(path)
    ]


def rewrite(
    paths: Iterable[bytes],
    read: Callable[[bytes], bytes],
    name: str,
    secret: bytes | None = None,
    modules: Modules = NO_MODULES,
) -> Sources:
    """Rewrite files so that their assertions send what they compare.

    Args:
        paths: of the files.
        read: base's bytes of one.
        name: of the recorder.
        secret: also changes literals, and makes assertions soft; None for neither.
        modules: where they may have helpers from.
    """
    files: dict[bytes, bytes] = {}
    sites: dict[int, Site] = {}
    homes: dict[int, str] = {}
    plain: dict[str, str] = {}
    for path in paths:
        shown, source, reason = shown_path(path), read(path), ""
        if secret is not None:
            changed = perturb(source, secret, filename=shown, modules=modules)
            source, reason = changed.source or source, changed.reason
        soft = secret is not None
        found = attest(source, shown, name=name, first=len(sites), soft=soft, modules=modules)
        if found.source is None or reason:
            plain[shown] = found.reason or reason
            continue
        files[path] = found.source
        sites.update((site.id, site) for site in found.sites)
        homes.update((site.id, shown) for site in found.sites)
    return Sources(name, files, sites, homes, plain, product=modules.product_files)
