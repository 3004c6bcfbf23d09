"""Which processors belong to one core, and who runs on which of them. Pure, but for `cores_here`."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

_PROCESSORS = Path("/sys/devices/system/cpu")


@dataclass(frozen=True)
class Core:
    """One core, by the kernel's numbers of its processors.

    Attributes:
        threads: all that share it, ascending.
        usable: those of them that this process may use; at least one.
    """

    threads: tuple[int, ...]
    usable: tuple[int, ...]

    @property
    def number(self) -> int:
        """Its name on this host."""
        return self.threads[0]

    @property
    def whole(self) -> bool:
        """Whether nobody else can be on one of its threads because this process may not."""
        return self.usable == self.threads


class Turn(NamedTuple):
    """Who runs where for a while: both workers on one processor, the judge on others."""

    workers: frozenset[int]
    judge: frozenset[int]


def cores_among(allowed: Collection[int], siblings: Mapping[int, Collection[int]]) -> tuple[Core, ...]:
    """The cores of some processors: whole ones first, then those with the highest numbers, where the kernel does the least of its own.

    Args:
        allowed: the processors.
        siblings: of each, all that share its core; one that is not named is alone.

    >>> [core.threads for core in cores_among({0, 1, 2}, {0: (0, 2), 2: (0, 2), 1: (1, 3)})]
    [(0, 2), (1, 3)]
    """
    groups = {frozenset({cpu, *siblings.get(cpu, ())}) for cpu in allowed}
    found = [Core(tuple(sorted(group)), tuple(sorted(group & set(allowed)))) for group in groups]
    return tuple(sorted(found, key=lambda core: (not core.whole, -core.number)))


def eligible(cores: Sequence[Core]) -> tuple[Core, ...]:
    """The cores to measure on: where two are whole, only such, since nobody can keep another's processor idle."""
    whole = [core for core in cores if core.whole]
    return tuple(whole if len(whole) > 1 else cores)


def turn(cores: Sequence[Core], number: int) -> Turn:
    """Who runs where on the cores of a slot.

    The workers get one thread of a core, and its other threads stay idle: the judge is on another core. Where there is
    only one core it is beside them, and sleeps while they compute.

    Args:
        cores: of the slot, at least one.
        number: another one picks another core, so that one bad core does not decide alone.
    """
    core = cores[number % len(cores)]
    others = [cpu for other in cores if other is not core for cpu in other.usable]
    return Turn(frozenset(core.usable[:1]), frozenset(others or core.usable[1:] or core.usable))


def cores_here() -> tuple[Core, ...]:
    """The cores of the processors that this process may use."""
    allowed = os.sched_getaffinity(0)
    return cores_among(allowed, {cpu: _siblings(cpu) for cpu in allowed})


def _siblings(cpu: int) -> tuple[int, ...]:
    try:
        return read_list((_PROCESSORS / f"cpu{cpu}/topology/thread_siblings_list").read_text("ascii"))
    except OSError:
        return ()


def read_list(text: str) -> tuple[int, ...]:
    r"""A list of processors as the kernel writes it.

    >>> read_list("0-2,8\n")
    (0, 1, 2, 8)
    """
    found: list[int] = []
    for first, last in re.findall(r"(\d+)(?:-(\d+))?", text):
        found += range(int(first), int(last or first) + 1)
    return tuple(found)
