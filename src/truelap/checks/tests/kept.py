"""Base's runs that are kept for the next submission: under which key, and as what.

Only runs of base's tests as they are, or rewritten with base's own literals: what depends on the judge's secret is measured
anew each time. A key covers all that a run depends on and the judge knows of, his own code included.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydantic import ValidationError
from pydantic_core import PydanticSerializationError

from truelap.checks.tests.sides import Side
from truelap.world.provenance import facts_of, files_facts, key_of, sha256, tree_facts

if TYPE_CHECKING:
    from truelap.checks.tests.sessions import Run, Setup

_RECORDER = b"_recorder"


def kept(setup: Setup, run: Run) -> Side | None:
    """A run that was made before, None when there is none or nothing is kept."""
    keep = setup.world.keep
    if keep is None or not run.keep:
        return None
    found = keep.get("tests", _key(setup, run))
    try:
        return Side.model_validate_json(found).model_copy(update={"kept": True}) if found else None
    except ValidationError:
        return None


def keep(setup: Setup, run: Run, side: Side) -> None:
    """Keep a run that went as it should."""
    store = setup.world.keep
    if store is None or not run.keep or side.faults or side.config_error is not None or side.unreadable:
        return
    try:
        store.put("tests", _key(setup, run), side.model_dump_json().encode())
    except (PydanticSerializationError, UnicodeEncodeError):
        # A name that is no text: it is measured again.
        return


def _key(setup: Setup, run: Run) -> str:
    """What a run depends on, as a sha256."""
    own = run.recording.name.encode() if run.recording else _RECORDER
    facts: dict[str, Any] = {
        **facts_of(setup.world),
        "policy": setup.policy.digest,
        "tree": tree_facts(run.tree),
        "config": [setup.config.origin, setup.config.copy_path, sha256(setup.config.content)],
        "mount": str(setup.mount),
        "roots": setup.roots,
        "env": sorted(setup.env.items()),
        "guarded": setup.guarded,
        "limits": [setup.timeout_s, setup.jobs, setup.numpy],
        "seeds": [setup.seed, run.hash_seed],
        "plan": run.plan,
        "collect_only": run.collect_only,
        "learn": run.learn,
        "doctests": run.book.sent(soft=False),
        "watched": run.watched,
        # The recorder's name is drawn anew each time.
        "sources": files_facts(
            (path, sha256(text.replace(own, _RECORDER))) for path, text in run.sources.items()
        ),
        "recording": [run.recording.soft, run.recording.test_s] if run.recording else None,
        "ids": [sorted(run.skip), sorted(run.only)],
    }
    return key_of(**facts)
