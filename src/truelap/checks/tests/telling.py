"""What verdict.json and tests.json say of the tests. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from truelap.checks.tests.evidence import TestsEvidence
    from truelap.checks.tests.results import Node
    from truelap.checks.tests.sides import Side
    from truelap.checks.tests.value_evidence import ValueEvidence


_MESSAGE_CHARS = 1 << 24
"""What all messages of tests.json may hold together; those that come later are left out."""


def summary(found: TestsEvidence, candidate: Side) -> dict[str, Any]:
    """`tests` of verdict.json."""
    return {
        "ran": found.candidate is not None and not candidate.config_error,
        "n_selected": len(found.base.nodes),
        "n_base_pass": len(found.base.passed),
        "n_base_failing": len(found.base.failing),
        "n_base_uncollected": found.base.n_uncollected,
        "n_candidate_pass": len(candidate.passed),
        "n_regressed": len(found.regressed),
        "regressed": list(found.regressed),
        "strategy": found.selection.strategy,
        "base_kept": found.base.kept,
        "plugins": {"base": _brought(found.base), "candidate": _brought(candidate)},
        "config_file": found.config_file,
        "pytest": found.pytest,
        "value_evidence": {} if found.values is None else found.values.told(),
        "perturbed": {} if found.secret is None else found.secret.told(),
        "canaries": {} if found.canaries is None else found.canaries.model_dump(mode="json"),
        "mutants": {} if found.mutants is None else found.mutants.model_dump(mode="json"),
        "integrity": {} if found.integrity is None else found.integrity.told(),
    }


def details(found: TestsEvidence, candidate: Side) -> dict[str, Any]:
    """tests.json."""
    nodes = None if found.candidate is None else candidate.nodes
    return {
        "tests": _table(found.base.nodes, nodes, found.values),
        "regressed": list(found.regressed),
        "n_base_pass": len(found.base.passed),
        "plugins": {
            side: [plugin.name for plugin in run.plugins]
            for side, run in (("base", found.base), ("candidate", candidate))
        },
        "config_file": found.config_file,
        "selected": list(found.selection.paths),
        "left_out": list(found.selection.left_out),
        "strategy": found.selection.strategy,
        "base_kept": found.base.kept,
        "pytest": found.pytest,
        "base": _told(found.base),
        "candidate": _told(candidate),
        "value_evidence": {} if found.values is None else found.values.told(),
        "perturbed": {} if found.secret is None else found.secret.told(),
        "canaries": {} if found.canaries is None else found.canaries.model_dump(mode="json"),
        "mutants": {} if found.mutants is None else found.mutants.model_dump(mode="json"),
        "integrity": {} if found.integrity is None else found.integrity.told(),
    }


def _brought(side: Side) -> list[str]:
    """Names of the plugins that are not pytest's own."""
    return [plugin.name for plugin in side.plugins if plugin.dist or plugin.in_tree]


def _told(side: Side) -> dict[str, Any]:
    return {
        "sessions": len(side.sessions),
        "seconds": sum(session.seconds for session in side.sessions),
        "warnings": sum(session.warnings for session in side.sessions),
        "faults": [fault.model_dump(mode="json") for fault in side.faults],
        "uncollected": side.uncollected,
        "changed": list(side.changed),
        "planted": list(side.planted),
        "touched": list(side.touched),
    }


def _table(
    base: dict[str, Node], candidate: dict[str, Node] | None, values: ValueEvidence | None
) -> dict[str, Any]:
    """Per id what became of it on both sides; a candidate that never ran has no outcome."""
    rows = {
        name: _row(base.get(name), candidate.get(name) if candidate else None, candidate is not None)
        for name in dict.fromkeys([*base, *(candidate or {})])
    }
    for name, ruled in values.tests.items() if values else ():
        rows[name]["values"] = ruled.status
        rows[name]["message"] = rows[name]["message"] or ruled.why
    room = _MESSAGE_CHARS
    for row in rows.values():
        room -= len(row["message"])
        if room < 0:
            row["message"] = "(left out: the messages before it are long enough)" if row["message"] else ""
    return rows


def _row(base: Node | None, candidate: Node | None, ran: bool) -> dict[str, Any]:
    messages = [node.message for node in (candidate, base) if node is not None and node.message]
    missing = "missing" if ran else None
    return {
        "base": base.outcome if base else "missing",
        "candidate": candidate.outcome if candidate else missing,
        "seconds": {
            "base": base.seconds if base else None,
            "candidate": candidate.seconds if candidate else None,
        },
        "message": messages[0] if messages else "",
    }
