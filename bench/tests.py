"""What judging tests by values costs: the tests station against two plain pytest runs of the same files.

Cold, and with base's truth kept by an earlier verification. Two real projects are downloaded for it.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"
sys.path.insert(0, str(EXAMPLES))

import honest  # noqa: E402
import real  # noqa: E402

WORK = EXAMPLES.parent / "demo-real-out"
PROJECTS = ("toolz", "boltons")
LIMITS = {"cold": 3.5, "kept": 2.0}
ROUNDS = 3


def main() -> None:
    for name in PROJECTS:
        pair = next(pair for pair in reversed(honest.PAIRS) if pair.name == name)
        python = real.environment(pair, WORK)
        sides = honest.make(pair, WORK)
        for what, ratio, note in ratios(pair, sides, python):
            row = {"what": f"tests station / two plain runs, {pair.title}, {what}", "value": round(ratio, 2)}
            print(json.dumps({**row, "unit": "x", "limit": LIMITS[what], "note": note}), flush=True)


def ratios(pair: honest.Pair, sides: honest.Sides, python: Path) -> list[tuple[str, float, str]]:
    """The middle one of a few rounds each, held against the plain runs just before and after: a shared machine's load changes."""
    found: dict[str, list[tuple[float, str]]] = {"cold": [], "kept": []}
    for _ in range(ROUNDS):
        with TemporaryDirectory() as folder:
            before = honest.plain(pair, sides.base, python)[1]
            for told in found.values():
                station = station_s(pair, sides, python, folder)
                after = honest.plain(pair, sides.base, python)[1]
                note = f"{station:.1f} s against {before:.1f} + {after:.1f} s"
                told.append((station / (before + after), note))
                before = after
    return [(what, *sorted(told)[ROUNDS // 2]) for what, told in found.items()]


def station_s(pair: honest.Pair, sides: honest.Sides, python: Path, keep: str) -> float:
    """Seconds of the tests station, as the verdict says."""
    verdict: dict[str, Any] = honest.test(pair, sides.release, sides.base, python, "--keep", keep)
    return float(next(station["seconds"] for station in verdict["stations"] if station["name"] == "tests"))


if __name__ == "__main__":
    main()
