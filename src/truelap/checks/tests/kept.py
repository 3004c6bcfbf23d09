"""Base's runs that are kept for the next submission: under which key, and as what.

Only runs of base's tests as they are, or rewritten with base's own literals: what depends on the judge's secret is measured
anew each time. A key covers all that a run depends on and the judge knows of, his own code included.
"""

from __future__ import annotations

import hashlib
import json
import platform
from functools import cache
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError
from pydantic_core import PydanticSerializationError

from truelap.checks.tests.sides import Side
from truelap.world.interpreter import PACKAGE

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from truelap.checks.tests.sessions import Run, Setup
    from truelap.world.interpreter import Interpreter

_RECORDER = b"_recorder"


def kept(setup: Setup, run: Run) -> Side | None:
    """A run that was made before, None when there is none or nothing is kept."""
    keep = setup.world.keep
    if keep is None or not run.keep:
        return None
    found = keep.get(_key(setup, run))
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
        store.put(_key(setup, run), side.model_dump_json().encode())
    except (PydanticSerializationError, UnicodeEncodeError):
        # A name that is no text: it is measured again.
        return


def _key(setup: Setup, run: Run) -> str:
    """What a run depends on, as a sha256."""
    own = run.recording.name.encode() if run.recording else _RECORDER
    facts: dict[str, Any] = {
        "judge": _judge(),
        "machine": [platform.machine(), platform.release(), setup.world.sandbox.name],
        "interpreter": _environment(setup.world.interpreter),
        "policy": setup.policy.digest,
        "tree": _files((path, f"{mode:o} {digest}") for path, (mode, digest, _) in run.tree.manifest.items()),
        "config": [setup.config.origin, setup.config.copy_path, _sha256(setup.config.content)],
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
        "sources": _files(
            (path, _sha256(text.replace(own, _RECORDER))) for path, text in run.sources.items()
        ),
        "recording": [run.recording.soft, run.recording.test_s] if run.recording else None,
        "ids": [sorted(run.skip), sorted(run.only)],
    }
    return _sha256(json.dumps(facts, sort_keys=True).encode())


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _files(pairs: Iterable[tuple[bytes, str]]) -> str:
    digest = hashlib.sha256()
    for path, text in sorted(pairs):
        digest.update(b"%d %b %b\n" % (len(path), path, text.encode()))
    return digest.hexdigest()


def _environment(interpreter: Interpreter) -> list[Any]:
    """Packages by version, and when their folders last changed: an environment can be changed without a new version."""
    packages: Mapping[str, str] = interpreter.packages
    changed = [[str(folder), folder.stat().st_mtime_ns] for folder in interpreter.path if folder.is_dir()]
    return [str(interpreter.executable), interpreter.version, sorted(packages.items()), changed]


@cache
def _judge() -> str:
    """Digest of the judge's own sources."""
    root = PACKAGE
    sources = sorted(root.rglob("*.py"))
    return _files((str(path.relative_to(root)).encode(), _sha256(path.read_bytes())) for path in sources)
