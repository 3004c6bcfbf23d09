"""Where the symbolic links of a tree lead, worked out from the tree alone. Pure.

A link has the name, and something else has the bytes: whoever may edit the target of `tests/aid.py -> ../shared/aid.py` edits a
helper of the tests. Paths are texts relative to the tree's root, "" for the root itself.
"""

from __future__ import annotations

import posixpath
import re
from bisect import bisect_left
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
Leads = tuple[bytes, tuple[bytes, ...]]
"""A link, and the paths that it leads to."""

_LONGEST = 40
"""Links on one way, as Linux counts them: then it is a loop."""
_MOST_SEEN = 50000


class Way(NamedTuple):
    """The links that are passed on the way to a path, and where it ends; None where that is out of the tree, or nowhere."""

    passed: tuple[str, ...]
    end: str | None


class Links:
    """The links of a tree.

    Args:
        targets: text of each link, by its path.
        files: paths of all other files.
    """

    def __init__(self, targets: Mapping[str, str], files: Iterable[str]) -> None:
        self._targets = targets
        self._files = frozenset(files)
        self._sorted = sorted((*self._files, *targets)) if targets else []

    def __iter__(self) -> Iterator[str]:
        """Paths of the links."""
        return iter(sorted(self._targets))

    def way(self, path: str) -> Way:
        """Follow a path to its end, as the kernel does; an absolute target counts as out of the tree.

        >>> links = Links({"a/x": "../b/y", "b": "c", "o": "o"}, ["c/y"])
        >>> links.way("a/x"), links.way("o/z").end, links.way("c/../../x").end
        (Way(passed=('a/x', 'b'), end='c/y'), None, None)
        """
        passed: list[str] = []
        here: list[str] = []
        waiting = path.split("/")[::-1]
        while waiting:
            part = waiting.pop()
            if part in {"", "."}:
                continue
            if part == "..":
                if not here:
                    return Way(tuple(passed), None)
                here.pop()
                continue
            here.append(part)
            target = self._targets.get("/".join(here))
            if target is None:
                continue
            passed.append("/".join(here))
            if target.startswith("/") or len(passed) > _LONGEST:
                return Way(tuple(dict.fromkeys(passed)), None)
            here.pop()
            waiting += target.split("/")[::-1]
        return Way(tuple(passed), "/".join(here))

    def ways(self, path: str) -> frozenset[str]:
        """A path, and everything that decides what is found there: links on the way, and its end."""
        passed, end = self.way(path)
        return frozenset({path, *passed, *([end] if end is not None else ())})

    def aliases(self) -> dict[str, str]:
        """The files of the tree that are seen through links: each name, and the file's own path.

        A link to a folder that it lies in names nothing new. Of endless many names, the first ones.
        """
        found = (pair for link in self for pair in self._through(link, link, frozenset()))
        return dict(islice(found, _MOST_SEEN))

    def _through(self, name: str, link: str, inside: frozenset[str]) -> Iterator[tuple[str, str]]:
        end = self.way(link).end
        if end is None:
            return
        if end in self._files:
            yield name, end
        elif end not in inside and not lies_in(link, end):
            for path in self._below(end):
                alias = name + path[len(end) :]
                if path in self._targets:
                    yield from self._through(alias, path, inside | {end})
                else:
                    yield alias, path

    def _below(self, folder: str) -> Iterator[str]:
        start = bisect_left(self._sorted, f"{folder}/")
        for path in islice(self._sorted, start, None):
            if not path.startswith(f"{folder}/"):
                return
            yield path


NO_LINKS = Links({}, ())
"""Of a tree that has none."""


def lies_in(path: str, folder: str) -> bool:
    """Whether a path lies below a folder.

    >>> lies_in("a/b", "a"), lies_in("a", "a"), lies_in("a", "")
    (True, False, True)
    """
    return not folder or path.startswith(posixpath.join(folder, ""))


def escaped(path: bytes) -> str:
    r"""A path as a regular expression over its bytes.

    >>> print(escaped("a.b/é".encode()))
    a\.b/\xc3\xa9
    """
    return "".join(re.escape(chr(byte)) if byte < 128 else f"\\x{byte:02x}" for byte in path)  # noqa: PLR2004 - ASCII
