"""What the judge tells a test worker before anything of the tree can be imported."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from truelap.workers.venue import ASV

if TYPE_CHECKING:
    from collections.abc import Sequence

    from truelap.checks.tests.sessions import Run, Setup

# pytest's own options that the judge decides: every test runs, in one process, in the same order on both sides.
_FORCED = {"maxfail": 0, "numprocesses": 0, "dist": "no", "tx": []}


def start_message(setup: Setup, run: Run, paths: Sequence[str]) -> dict[str, Any]:
    """The message.

    Args:
        setup: the same for both sides.
        run: the run that the session belongs to.
        paths: what to run; empty for whatever the configuration names.
    """
    return {
        "type": "start",
        "mode": "tests",
        "asv": str(ASV),
        "apart": not setup.policy.keeps("mode_blind"),
        "mount": str(setup.mount),
        "roots": [str(setup.mount / root) for root in setup.roots_of(run.tree)],
        "args": _arguments(setup, run, paths),
        # A project may switch pytest's cache off, and then its option is an unknown one.
        "cache": not any("no:cacheprovider" in word for word in setup.config.addopts),
        "options": {**_FORCED, "randomly_seed": setup.seed % 2**32},
        "chunk_bytes": min(setup.policy.limits.message_bytes // 2, 1 << 18),
        "numpy": setup.numpy,
        "values": None if run.recording is None else asdict(run.recording),
        "integrity": _watched(setup, run),
        "skip": list(run.skip),
        "only": list(run.only),
        "doctests": _doctests(run),
        "opened": run.learn,
    }


def _doctests(run: Run) -> dict[str, Any] | None:
    if run.learn:
        return {"book": None}
    soft = run.recording is not None and run.recording.soft
    return {"book": run.book.sent(soft=soft)} if run.book.tests else None


def _watched(setup: Setup, run: Run) -> dict[str, Any] | None:
    if not run.watched or not setup.policy.keeps("integrity"):
        return None
    return {"modules": ["numpy.testing"] if setup.numpy else [], "mount": f"{setup.mount}/"}


def _arguments(setup: Setup, run: Run, paths: Sequence[str]) -> list[str]:
    mount = setup.mount
    base_config = ["-c", str(mount / setup.config.copy_path)] if setup.policy.keeps("base_config") else []
    return [
        *base_config,
        f"--rootdir={mount}",
        f"--confcutdir={mount}",
        "--continue-on-collection-errors",
        "--color=no",
        # Under the secret most tests fail, and their tracebacks, which nobody reads, would take longer than they do.
        f"--tb={'line' if run.recording is not None and run.recording.soft else 'short'}",
        # What an assertion compared is sent anyway, and pytest's own rewriting would show the recorder's calls.
        *(["--assert=plain"] if run.recording else []),
        *(["--collect-only", "-q"] if run.collect_only else []),
        *(str(mount / path) for path in paths),
    ]
