"""Speed and cost of truelap itself: runs the scripts of this folder and prints one table (`make bench`).

A script prints one JSON object a line: `what`, `value`, `unit`, and, where there is a bound, `limit`. A value over its
limit, or a script that fails, makes this program end with 1.
"""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

HERE = Path(__file__).resolve().parent
ELSEWHERE = {"run", "aa", "ab", "bundle", "experiment"}
"""Commands of their own, and what they are made of."""


def rows(script: Path) -> list[dict[str, Any]]:
    """What a script measured; a script that fails is a row without a value."""
    done = subprocess.run([sys.executable, "-I", script], stdout=subprocess.PIPE, text=True, check=False)
    found = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    if done.returncode or not found:
        found.append(
            {"what": f"{script.name} ended with {done.returncode}", "value": None, "unit": "", "limit": 0}
        )
    return found


def within(row: dict[str, Any]) -> bool:
    """Whether a row keeps its bound; one without a bound does."""
    limit = row.get("limit")
    return limit is None or (row["value"] is not None and row["value"] <= limit)


def main() -> int:
    """Run all, or the scripts that are named on the command line."""
    wanted = set(sys.argv[1:])
    table = Table("bench", "what", "value", "limit", "")
    good = True
    console = Console()
    if not console.is_terminal:
        console.width = max(console.width, 120)
    for script in sorted(HERE.glob("*.py")):
        if script.stem in ELSEWHERE or (wanted and script.stem not in wanted):
            continue
        console.print(f"running {script.name} ...", style="dim")
        for row in rows(script):
            value = "-" if row["value"] is None else f"{row['value']:g} {row['unit']}"
            limit = "" if row.get("limit") is None else f"{row['limit']:g} {row['unit']}"
            good = good and within(row)
            table.add_row(
                script.stem,
                row["what"],
                value,
                limit,
                ("" if within(row) else "OVER ") + (row.get("note") or ""),
            )
    console.print(table)
    load = ", ".join(f"{value:.1f}" for value in os.getloadavg())
    console.print(
        f"{datetime.now(UTC):%Y-%m-%d} {platform.machine()} {os.cpu_count()} cores, CPython {platform.python_version()}, load {load}"
    )
    return 0 if good else 1


if __name__ == "__main__":
    raise SystemExit(main())
