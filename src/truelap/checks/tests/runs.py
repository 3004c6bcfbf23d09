"""One side's tests, run once: each session gets a fresh copy of its tree and is inspected for what it did to it."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING

from truelap.checks.tests.config import write_copy
from truelap.checks.tests.kept import keep, kept
from truelap.checks.tests.sessions import Run, Setup, run_session
from truelap.checks.tests.sides import Side
from truelap.model import shown
from truelap.policy import matches
from truelap.world.disk import UnreadableError
from truelap.world.files import deviations
from truelap.world.seal import Seal, telling
from truelap.world.tree_links import real_files
from truelap.world.trees import overlaid

if TYPE_CHECKING:
    from collections.abc import Sequence

    from truelap.checks.tests.results import Session
    from truelap.checks.tests.traces import Traces
    from truelap.world.files import TreeOnDisk

# Files that take part in how tests or modules are found; any other new file is the tests' own business.
_GUARDED = (r"\.(py|pyc|so|pyd|pth|ini|toml|cfg)$",)


@dataclass
class _Clock:
    """All sessions of one run together have one time limit, from the start of the first."""

    limit_s: float
    deadline: float | None = None

    def at(self) -> float:
        if self.deadline is None:
            self.deadline = time.monotonic() + self.limit_s
        return self.deadline


def run_side(setup: Setup, run: Run, traces: Traces) -> Side:
    """Run one side's tests once, `setup.jobs` sessions at a time, and note what they touched.

    Raises:
        WorldError: the machine or the sandbox failed.
    """
    side = kept(setup, run)
    if side is None:
        side = _made(setup, run)
        keep(setup, run, side)
    if run.on_record:
        traces.add(run.tree.root, side.touched)
    return side


def _made(setup: Setup, run: Run) -> Side:
    clock = _Clock(setup.timeout_s)
    with ThreadPoolExecutor(max_workers=setup.jobs) as pool:
        futures = [
            pool.submit(_one, setup, run, f"tests-{run.name}-{number}", paths, clock)
            for number, paths in enumerate(_chosen(run))
        ]
        return _together([future.result() for future in futures])


def _together(sides: Sequence[Side]) -> Side:
    return Side(
        sessions=tuple(session for side in sides for session in side.sessions),
        changed=tuple(dict.fromkeys(path for side in sides for path in side.changed)),
        planted=tuple(dict.fromkeys(path for side in sides for path in side.planted)),
        touched=tuple(dict.fromkeys(path for side in sides for path in side.touched)),
        unreadable=tuple(dict.fromkeys(text for side in sides for text in side.unreadable)),
        config_error=next((side.config_error for side in sides if side.config_error), None),
    )


def _chosen(run: Run) -> list[tuple[str, ...]]:
    places = _places(run.tree)
    chosen = [(args, tuple(arg for arg in args if arg in places)) for args in run.plan]
    # No arguments at all would make pytest run everything.
    return [present for args, present in chosen if present or not args]


def _places(tree: TreeOnDisk) -> set[str]:
    """Every file and folder of a tree, by all of their names."""
    places: set[str] = set()
    for path in (*tree.manifest, *real_files(tree)):
        place = path.decode("utf-8", "surrogateescape")
        while place and place not in places:
            places.add(place)
            place = place.rpartition("/")[0]
    return places


def _one(setup: Setup, run: Run, name: str, paths: Sequence[str], clock: _Clock) -> Side:
    shared = not setup.policy.keeps("fresh_tree")
    with setup.world.trees.fresh(run.tree, name, shared=shared) as copy:
        problem = write_copy(setup.config, copy.root)
        if problem is not None:
            return Side(config_error=problem)
        with overlaid(copy, run.tree, run.sources, restore=shared) as tree:
            seal = Seal()
            session = run_session(setup, run, name, tree.root, paths=paths, deadline=clock.at(), seal=seal)
            side = _inspected(setup, session, tree)
            touched = telling(seal.touched(tree.root), run.tree, setup.guarded, setup.roots_of(run.tree))
            return side.with_touched(tuple(map(shown, touched)) if setup.policy.keeps("touches") else ())


def _inspected(setup: Setup, session: Session, tree: TreeOnDisk) -> Side:
    """The session together with what it did to its tree."""
    if not setup.policy.keeps("manifest"):
        return Side(sessions=(session,))
    try:
        found = deviations(tree.root, tree.manifest)
    except UnreadableError as error:
        return Side(sessions=(session,), unreadable=(str(error),))
    ours = setup.config.copy_path.encode()
    changed = [path for path in (*found.changed, *found.missing) if path != ours]
    planted = [path for path in found.added if path != ours and _is_guarded(path, setup.guarded)]
    return Side(sessions=(session,), changed=tuple(map(shown, changed)), planted=tuple(map(shown, planted)))


def _is_guarded(path: bytes, patterns: tuple[str, ...]) -> bool:
    return matches(_GUARDED, path) and matches(patterns, path)
