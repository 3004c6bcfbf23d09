"""The tests in Common Test Report Format, which Harbor's viewer shows. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from truelap.report.encode import finite

if TYPE_CHECKING:
    from collections.abc import Mapping

_CTRF = {"passed": "passed", "skipped": "skipped", "xfailed": "skipped", "xpassed": "other", None: "pending"}


def ctrf_data(tests: Mapping[str, Any], tool: str) -> dict[str, Any]:
    """ctrf.json from the content of tests.json. Times of the clock are relative to 0: a pure report has no clock."""
    regressed = set(tests.get("regressed", ()))
    rows = [_ctrf_test(name, row, name in regressed) for name, row in tests.get("tests", {}).items()]
    statuses = [row["status"] for row in rows]
    counts = {
        status: statuses.count(status) for status in ("passed", "failed", "pending", "skipped", "other")
    }
    stop = sum(row["duration"] for row in rows)
    summary = {"tests": len(rows), **counts, "start": 0, "stop": stop}
    results = {"tool": {"name": tool}, "summary": summary, "tests": rows}
    return {"reportFormat": "CTRF", "specVersion": "0.0.0", "results": results}


def _ctrf_test(name: str, row: Mapping[str, Any], regressed: bool) -> dict[str, Any]:
    seconds = row.get("seconds")
    if isinstance(seconds, dict):
        seconds = seconds.get("candidate")
    outcome = row.get("candidate")
    status = (
        "failed" if regressed else _CTRF.get(outcome, "failed" if row.get("base") == "passed" else "other")
    )
    made = {"name": name, "status": status, "rawStatus": f"base {row.get('base')}, candidate {outcome}"}
    message = {"message": row["message"]} if row.get("message") and status == "failed" else {}
    return {**made, "duration": round(1000 * (finite(seconds) or 0.0)), **message}
