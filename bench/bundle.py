"""Fourteen small benchmarks of a made-up library, each a number of equal units of work, so that a cost of a known share can be added."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

UNITS = 100
"""Units of one call: a cost of 7 % is seven units more."""

KINDS: dict[str, str] = {
    "integers": "total = 0\n    for number in range(60):\n        total += number * number\n    return total",
    "words": "return len(' and '.join('abcdefgh').split(' and '))",
    "table": "table = {}\n    for number in range(40):\n        table[number % 7] = table.get(number % 7, 0) + number\n    return table",
    "ordered": "return sorted(range(80, 0, -1))",
    "pattern": "return PATTERN.findall('key = value, other = 12')",
    "recursive": "return fibonacci(6)",
    "document": 'return json.loads(\'{"a": [1, 2, 3], "b": {"c": null}}\')',
    "objects": "return [Point(number, -number).size() for number in range(20)]",
    "sets": "return set(range(40)) & set(range(20, 60))",
    "octets": "return bytes(range(100)).hex().upper()",
    "heap": "heap = []\n    for number in range(25):\n        heapq.heappush(heap, number * 7919 % 31)\n    return heapq.heappop(heap)",
    "fractions": "return sum(1 / number for number in range(1, 60))",
    "text": "return '%s-%05d' % ('name', 42) + f'{3.14159:.3f}'",
    "chains": "return list(itertools.chain.from_iterable([[1, 2], [3], [4, 5, 6]] * 6))",
}

HEAD = """import heapq, itertools, json, re

PATTERN = re.compile(r"(\\w+) = (\\w+)")

class Point:
    def __init__(self, x, y):
        self.x, self.y = x, y

    def size(self):
        return abs(self.x) + abs(self.y)

def fibonacci(n):
    return n if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)
"""


def files(costs: Mapping[str, float]) -> dict[str, str]:
    """A project whose benchmarks cost so much more than a hundred units.

    Args:
        costs: share by name of the benchmark; others cost what they cost.
    """
    bodies = [
        f"def one_{name}():\n    {body}\n\ndef {name}():\n    for _ in range({round(UNITS * (1 + costs.get(name, 0.0)))}):\n        one_{name}()\n"
        for name, body in KINDS.items()
    ]
    calls = [f"def time_{name}():\n    lib.{name}()\n" for name in KINDS]
    return {
        "asv.conf.json": "{}",
        "benchmarks/__init__.py": "",
        "benchmarks/b.py": "\n".join(["import lib\n", *calls]),
        "lib.py": "\n".join([HEAD, *bodies]),
    }


def injected(shares: tuple[float, ...], seed: int) -> dict[str, float]:
    """A signed cost for each benchmark: every share with both signs, in an order of the seed's. Above zero, the candidate is slower."""
    costs = [sign * share for share in shares for sign in (1, -1)]
    draw = random.Random(seed)
    names = draw.sample(sorted(KINDS), len(KINDS))
    return {name: costs[number % len(costs)] for number, name in enumerate(names)}
