"""One side's pytest sessions: a fresh copy of the tree, a fresh sandbox and the judge's reading of one channel for each."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from truelap.checks.tests.config import write_copy
from truelap.checks.tests.evidence import Side
from truelap.checks.tests.messages import parse
from truelap.checks.tests.outcome import BROKEN_EXITS, Fold
from truelap.checks.tests.results import Fault, Session
from truelap.errors import StepFault
from truelap.model import shown
from truelap.policy import matches
from truelap.world.disk import UnreadableError
from truelap.world.files import deviations
from truelap.world.sandbox import PROBES, Step

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path, PurePosixPath

    from truelap.checks.tests.config import PytestConfig
    from truelap.policy import Policy
    from truelap.world import World
    from truelap.world.files import TreeOnDisk
    from truelap.world.sandbox import Ending
    from truelap.world.sandbox import Session as Live

_HELLO_S = 120.0
"""Longest start of sandbox and interpreter."""

_EXIT_S = 30.0
"""Longest way from the end message to the end of the process."""

_OUTPUT_CHARS = 1500

# Files that take part in how tests or modules are found; any other new file is the tests' own business.
_GUARDED = (r"\.(py|pyc|so|pyd|pth|ini|toml|cfg)$",)

# pytest's own options that the judge decides: every test runs, in one process, in the same order on both sides.
_FORCED = {"maxfail": 0, "numprocesses": 0, "dist": "no", "tx": []}


@dataclass(frozen=True)
class Setup:
    """What all sessions of both sides have in common."""

    world: World
    policy: Policy
    config: PytestConfig
    mount: PurePosixPath
    roots: tuple[str, ...]
    """Folders to import from, relative to the tree."""
    env: Mapping[str, str]
    guarded: tuple[str, ...]
    """Patterns of test code and measurement setup."""
    timeout_s: float
    """For all sessions of one side together."""
    jobs: int
    seed: int


Plan = tuple[tuple[str, ...], ...]
"""The arguments of each session; an empty tuple of arguments is whatever the configuration names."""


def run_side(setup: Setup, name: str, tree: TreeOnDisk, plan: Plan, *, collect_only: bool = False) -> Side:
    """Run a plan on one side.

    Args:
        setup: the same for both sides.
        name: of the side, for folders and messages.
        tree: the side's tree; each session gets its own copy.
        plan: arguments per session; paths that this side lacks are left out.
        collect_only: stop after collection.

    Raises:
        WorldError: the machine or the sandbox failed.
    """
    deadline = time.monotonic() + setup.timeout_s
    places = _places(tree)
    chosen = [(args, tuple(arg for arg in args if arg in places)) for args in plan]
    # No arguments at all would make pytest run everything.
    todo = [present for args, present in chosen if present or not args]

    def one(numbered: tuple[int, tuple[str, ...]]) -> Side:
        number, args = numbered
        return _one(setup, f"tests-{name}-{number}", tree, _arguments(setup, args, collect_only), deadline)

    with ThreadPoolExecutor(max_workers=setup.jobs) as pool:
        sides = list(pool.map(one, enumerate(todo)))
    return Side(
        sessions=tuple(session for side in sides for session in side.sessions),
        changed=tuple(dict.fromkeys(path for side in sides for path in side.changed)),
        planted=tuple(dict.fromkeys(path for side in sides for path in side.planted)),
        unreadable=tuple(dict.fromkeys(text for side in sides for text in side.unreadable)),
        config_error=next((side.config_error for side in sides if side.config_error), None),
    )


def _places(tree: TreeOnDisk) -> set[str]:
    """Every file and folder of a tree."""
    places: set[str] = set()
    for path in tree.manifest:
        place = path.decode("utf-8", "surrogateescape")
        while place and place not in places:
            places.add(place)
            place = place.rpartition("/")[0]
    return places


def _arguments(setup: Setup, paths: Sequence[str], collect_only: bool) -> list[str]:
    mount = setup.mount
    base_config = ["-c", str(mount / setup.config.copy_path)] if setup.policy.keeps("base_config") else []
    return [
        *base_config,
        f"--rootdir={mount}",
        f"--confcutdir={mount}",
        "--continue-on-collection-errors",
        "--color=no",
        "--tb=short",
        *(["--collect-only", "-q"] if collect_only else []),
        *(str(mount / path) for path in paths),
    ]


def _one(setup: Setup, name: str, tree: TreeOnDisk, args: Sequence[str], deadline: float) -> Side:
    with setup.world.trees.fresh(tree, name, shared=not setup.policy.keeps("fresh_tree")) as copy:
        problem = write_copy(setup.config, copy.root)
        if problem is not None:
            return Side(config_error=problem)
        session = _session(setup, name, copy.root, args, deadline)
        return _inspected(setup, session, copy)


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


def _session(setup: Setup, name: str, root: Path, args: Sequence[str], deadline: float) -> Session:
    fold = Fold(strict=setup.policy.keeps("turns"))
    fault: StepFault | None = None
    with setup.world.sandbox.start(_step(setup, name, root, deadline)) as live:
        try:
            _converse(setup, live, fold, args, deadline)
            ending = live.wait(_EXIT_S)
            _nothing_more(live)
        except StepFault as error:
            fault, ending = error, live.kill()
    return fold.session(_fault(fold, fault, ending), ending.wall_s)


def _step(setup: Setup, name: str, root: Path, deadline: float) -> Step:
    left = max(1.0, deadline - time.monotonic())
    return Step(
        name=name,
        argv=(
            str(setup.world.interpreter.executable),
            "-s",
            "-X",
            "pycache_prefix=/tmp/pycache",
            str(PROBES / "run_tests.py"),
        ),
        tree=root,
        limits=setup.policy.limits.model_copy(update={"wall_s": left + _HELLO_S}),
        mount=setup.mount,
        access="sealed" if setup.policy.keeps("sealed_tree") else "owned",
        env={**setup.env, "PYTHONHASHSEED": str(setup.seed % 2**32)},
        without=frozenset(setup.policy.ablate.off),
    )


def _converse(setup: Setup, live: Live, fold: Fold, args: Sequence[str], deadline: float) -> None:
    fold.add(parse(live.channel.receive(_HELLO_S)))
    live.channel.send(_start(setup, args))
    while fold.end is None:
        left = deadline - time.monotonic()
        if left <= 0:
            raise StepFault("late", f"the tests did not end within {setup.timeout_s:g} s")
        fold.add(parse(live.channel.receive(min(left, setup.policy.tests.test_timeout_s))))


def _start(setup: Setup, args: Sequence[str]) -> dict[str, Any]:
    return {
        "type": "start",
        "mount": str(setup.mount),
        "roots": [str(setup.mount / root) for root in setup.roots],
        "args": list(args),
        # A project may switch pytest's cache off, and then its option is an unknown one.
        "cache": not any("no:cacheprovider" in word for word in setup.config.addopts),
        "options": {**_FORCED, "randomly_seed": setup.seed % 2**32},
        "chunk_bytes": min(setup.policy.limits.message_bytes // 2, 1 << 18),
    }


def _nothing_more(live: Live) -> None:
    try:
        live.channel.receive(1.0)
    except StepFault as end:
        if end.code == "closed":
            return
    raise StepFault("garbled", "the worker went on after its end message")


def _fault(fold: Fold, fault: StepFault | None, ending: Ending) -> Fault | None:
    """What ended a session early: the channel's fault, another end of the process than agreed, or pytest's own word."""
    how = ending.how if ending.code is None else f"{ending.how} {ending.code}"
    status = fold.end.exit if fold.end is not None else 0
    if fault is not None:
        code, message = fault.code, f"{fault} [{how}]"
    elif how != "exit 0":
        code, message = ending.how, f"the worker did not end as agreed [{how}]"
    elif status in BROKEN_EXITS:
        code, message = BROKEN_EXITS[status], f"pytest ended with status {status}"
    else:
        return None
    said = fold.end.text if fold.end is not None else ""
    output = ending.output.decode("utf-8", "replace")[-_OUTPUT_CHARS:].strip()
    return Fault(code=code, message=message, detail=said or output, after=fold.last_id)
