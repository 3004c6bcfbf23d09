"""How the chosen tests are spread over sessions. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


def by_file(ids: Iterable[str], jobs: int) -> tuple[tuple[str, ...], ...]:
    """Spread the files of collected ids over sessions of about equal size; each file stays whole.

    Args:
        ids: in collection order.
        jobs: how many sessions at most.

    >>> by_file(["a.py::1", "a.py::2", "b.py::1", "c.py::1"], 2)
    (('a.py',), ('b.py', 'c.py'))
    """
    counts: dict[str, int] = {}
    for name in ids:
        file = name.partition("::")[0]
        counts[file] = counts.get(file, 0) + 1
    order = {file: place for place, file in enumerate(counts)}
    bins: list[list[str]] = [[] for _ in range(min(jobs, len(counts)))]
    sizes = [0] * len(bins)
    for file in sorted(counts, key=lambda file: (-counts[file], order[file])):
        smallest = sizes.index(min(sizes))
        bins[smallest].append(file)
        sizes[smallest] += counts[file]
    return tuple(tuple(sorted(files, key=order.__getitem__)) for files in bins)
