"""How the chosen tests are spread over sessions. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from random import Random


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


def in_small_groups(
    seconds: Mapping[str, float], least_s: float, draw: Random
) -> tuple[tuple[str, ...], ...]:
    """Spread test files over processes: each file in one, in an order of the judge's.

    A process of its own for each file leaves no state from one to the next. Where it would take longer to start one than to run
    a file, the file shares it with others.

    Args:
        seconds: what each file took at base.
        least_s: a file that takes less shares a process until they take so long together.
        draw: of the judge.

    >>> from random import Random
    >>> in_small_groups({"a.py": 9.0, "b.py": 0.1, "c.py": 0.1}, 3.0, Random(1))
    (('a.py',), ('b.py', 'c.py'))
    """
    files = sorted(seconds)
    draw.shuffle(files)
    alone = [(file,) for file in files if seconds[file] >= least_s]
    groups: list[list[str]] = []
    spent = least_s
    for file in (file for file in files if seconds[file] < least_s):
        if spent >= least_s:
            groups.append([])
            spent = 0.0
        groups[-1].append(file)
        spent += seconds[file]
    found = [*alone, *map(tuple, groups)]
    draw.shuffle(found)
    return tuple(found)
