"""Which files the modules of a tree come from: tests and benchmarks must not load different ones under one name.

It is what workers say, a tripwire beside the rule that each name has one place (`prepare.doubles`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence


class Origins(Protocol):
    """Modules by name, and the files that they were loaded from in one worker or another."""

    @property
    def base_loaded(self) -> Mapping[str, Sequence[str]]:
        """Base's."""

    @property
    def loaded(self) -> Mapping[str, Sequence[str]]:
        """The candidate's."""


@runtime_checkable
class TellsOrigins(Protocol):
    """Evidence of a station that knows what its workers loaded."""

    @property
    def integrity(self) -> Origins | None:
        """What was seen in its workers; None where nobody looked."""


def read_origins(value: Any) -> dict[str, str]:
    """What a worker of benchmarks says it has loaded.

    Raises:
        ValueError: it is no list of pairs of texts.
    """
    if not isinstance(value, list):
        raise ValueError("modules that are no list")
    for pair in value:
        if not isinstance(pair, list) or [type(part) for part in pair] != [str, str]:
            raise ValueError("a module that is none")
    return dict(value)


def two_products(
    tests: Origins, base_bench: Mapping[str, str], own_bench: Mapping[str, str]
) -> Iterator[str]:
    """In words, each module that the candidate's tests and benchmarks load from different files, and base's do not.

    Args:
        tests: what both sides' tests loaded.
        base_bench: what base's benchmarks loaded.
        own_bench: what the candidate's did.
    """
    base_tests, own_tests = tests.base_loaded, tests.loaded
    for name in sorted(own_tests.keys() & own_bench.keys()):
        usual = base_bench.get(name) not in {None, *base_tests.get(name, ())} and name in base_tests
        if own_bench[name] not in own_tests[name] and not usual:
            yield f"{name}: tests load {', '.join(own_tests[name])}, benchmarks {own_bench[name]}"
