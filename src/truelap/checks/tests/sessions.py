"""One pytest session in a fresh sandbox, and the judge's reading of its channel."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from truelap.checks.tests.doctest_book import Book
from truelap.checks.tests.messages import parse
from truelap.checks.tests.outcome import BROKEN_EXITS, Fold
from truelap.checks.tests.results import CRASH, Fault, Session
from truelap.checks.tests.starting import start_message
from truelap.errors import StepFault
from truelap.task import moved_roots
from truelap.workers.venue import program, shown
from truelap.world.sandbox import Step

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from pathlib import Path, PurePosixPath

    from truelap.policy import Policy
    from truelap.pytest_config import PytestConfig
    from truelap.world import World
    from truelap.world.files import TreeOnDisk
    from truelap.world.sandbox import Ending
    from truelap.world.sandbox import Session as Live
    from truelap.world.seal import Seal

_HELLO_S = 120.0
"""Longest start of sandbox and interpreter."""

_EXIT_S = 30.0
"""Longest way from the end message to the end of the process."""

_PATIENCE = 6.0
"""Wall time for a test against its limit of CPU time."""

_OUTPUT_CHARS = 1500


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
    """Sessions of one run at a time."""
    runs: int
    """Runs of one side at a time."""
    seed: int
    numpy: bool = False
    """Whether the environment's numpy is there before the tree is; see `workers.arrays`."""
    base: Collection[bytes] = ()
    """Every path of base."""
    places: tuple[str, ...] = ()
    """Where a product may have moved, see `moved_roots`."""

    def roots_of(self, tree: TreeOnDisk) -> tuple[str, ...]:
        """Folders to import a tree from."""
        return moved_roots(self.roots, self.base, tree.manifest, self.places)


Plan = tuple[tuple[str, ...], ...]
"""The arguments of each session; an empty tuple of arguments is whatever the configuration names."""


@dataclass(frozen=True)
class Recording:
    """How a session of rewritten tests is run."""

    name: str
    """Of the recorder."""
    soft: bool = False
    """Assertions do not end tests."""
    test_s: float = 0.0
    """CPU seconds for one test, 0 for no limit."""
    idle_s: float = 0.0
    """Seconds that one test may wait without computing, 0 for as long as it may take in all."""
    shown: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Attributes that objects are asked for where they do not hold them, by the type's name; see `attest_shown`."""


@dataclass(frozen=True)
class Run:
    """One side's tests, once.

    Attributes:
        name: for folders and messages.
        tree: the side's tree; each session gets its own copy.
        plan: arguments per session; paths that this side lacks are left out.
        collect_only: stop after collection.
        sources: files that the judge puts in place of base's, the same on both sides.
        recording: None when no test was rewritten.
        hash_seed: None for the verification's own.
        skip: ids that do not run.
        only: the ids that run; empty for all.
        book: doctests of base, which run whatever the tree's docstrings say.
        learn: whether the sessions tell of the tree's own doctests, and of the files that its code opens.
        watched: whether the worker says what the tree's code changes in that which judges it.
        keep: whether the next submission may use it: a run of base that depends on no secret.
        on_record: whether what it touches counts; not for tests that are made to fail, which may leave things behind.
    """

    name: str
    tree: TreeOnDisk
    plan: Plan
    collect_only: bool = False
    sources: Mapping[bytes, bytes] = field(default_factory=dict)
    recording: Recording | None = None
    hash_seed: int | None = None
    skip: tuple[str, ...] = ()
    only: tuple[str, ...] = ()
    book: Book = field(default_factory=Book)
    learn: bool = False
    watched: bool = False
    keep: bool = False
    on_record: bool = True


def run_session(
    setup: Setup, run: Run, name: str, root: Path, *, paths: Sequence[str], deadline: float, seal: Seal
) -> Session:
    """Run pytest once on a tree's copy, and read what it says.

    Args:
        setup: the same for both sides.
        run: the run that the session belongs to.
        name: of the session.
        root: of the copy.
        paths: what to run; empty for whatever the configuration names.
        deadline: on the monotonic clock.
        seal: taken of the copy.

    Raises:
        WorldError: the machine or the sandbox failed.
    """
    fold = Fold(run.name.replace("-", " "), strict=setup.policy.keeps("turns"))
    setup.world.events.progress(f"tests: {fold.how_far}")
    fault: StepFault | None = None
    with setup.world.sandbox.start(_step(setup, run, name, root, deadline=deadline, seal=seal)) as live:
        try:
            _converse(setup, live, fold, start_message(setup, run, paths), deadline)
            ending = live.wait(_EXIT_S)
            _nothing_more(live)
        except StepFault as error:
            fault, ending = error, live.kill()
    return fold.session(_fault(fold, fault, ending), ending.wall_s)


def _step(setup: Setup, run: Run, name: str, root: Path, *, deadline: float, seal: Seal) -> Step:
    left = max(1.0, deadline - time.monotonic())
    seed = setup.seed if run.hash_seed is None else run.hash_seed
    return Step(
        name=name,
        argv=program(setup.world),
        tree=root,
        limits=setup.policy.limits.model_copy(update={"wall_s": left + _HELLO_S}),
        mount=setup.mount,
        binds=shown(),
        access="sealed" if setup.policy.keeps("sealed_tree") else "owned",
        env={**setup.env, "PYTHONHASHSEED": str(seed % 2**32)},
        seal=seal,
        without=frozenset(setup.policy.ablate.off),
    )


def _converse(setup: Setup, live: Live, fold: Fold, start: dict[str, Any], deadline: float) -> None:
    fold.add(parse(live.channel.receive(_HELLO_S)))
    live.channel.send(start)
    values = start["values"]
    limit_s = setup.policy.tests.test_timeout_s
    # The worker's own limit counts CPU time, and cannot end what is not Python.
    test_s = min(limit_s, values["test_s"] * _PATIENCE) if values and values["test_s"] else limit_s
    while fold.end is None:
        left = deadline - time.monotonic()
        if left <= 0:
            raise StepFault("late", f"the tests did not end within {setup.timeout_s:g} s")
        # Until all is collected it imports, which takes as long as where tests run as they are.
        longest = test_s if fold.is_complete else limit_s
        fold.add(parse(live.channel.receive(min(left, longest))))
        setup.world.events.glance(f"tests: {fold.how_far}")


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
    return Fault(code=code, message=message, detail=said or _last_words(ending), after=fold.last_id)


def _last_words(ending: Ending) -> str:
    """The end of what the process printed; of a crash its head, which says what it was."""
    text = ending.output.decode("utf-8", "replace")
    crash = text.rfind(CRASH)
    return (text[-_OUTPUT_CHARS:] if crash < 0 else text[crash:][:_OUTPUT_CHARS]).strip()
