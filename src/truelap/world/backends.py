"""Which sandbox a run gets: the one that was asked for, after it has proved itself here; never quietly a weaker one."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from truelap.errors import UsageError, WorldError
from truelap.world import namespaces
from truelap.world.bubblewrap import Bubblewrap
from truelap.world.landlock import Landlock
from truelap.world.unsandboxed import Unsandboxed

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from truelap.settings import SandboxName
    from truelap.world.events import Events
    from truelap.world.interpreter import Interpreter
    from truelap.world.sandbox import Capability, Sandbox


def open_sandbox(
    name: SandboxName,
    interpreter: Interpreter,
    hidden: Sequence[Path],
    events: Events,
    *,
    unsafe: bool = False,
) -> Sandbox:
    """Make a backend and let it prove itself.

    Args:
        name: "auto" for bubblewrap, and for landlock where a root judge may make no namespaces.
        interpreter: the project's.
        hidden: host folders that no sandbox shows.
        events: what each line of the self-check said is recorded here.
        unsafe: whether "none" is allowed.

    Raises:
        UsageError: "none" without leave.
        WorldError: it is not to be had, or a promise of it does not hold on this machine.
    """
    if name == "none":
        if not unsafe:
            raise UsageError(
                "--sandbox none: the submission would run unprotected; say --unsafe if that is meant"
            )
        events.say("sandbox", name=name, unsafe=True)
        return Unsandboxed(interpreter)
    if name == "landlock":
        return prove(Landlock(interpreter, hidden), events)
    if name == "bubblewrap":
        return prove(Bubblewrap(interpreter, hidden), events)
    return _strongest(interpreter, hidden, events)


def _strongest(interpreter: Interpreter, hidden: Sequence[Path], events: Events) -> Sandbox:
    try:
        sandbox = Bubblewrap(interpreter, hidden)
        found = sandbox.self_check()
    except WorldError as error:
        refused = namespaces.refusal()
        if refused is None:
            # It could be had: that it does not work is a fault, and no reason for a weaker one.
            raise
        return _second(interpreter, hidden, events, f"bubblewrap cannot be had ({refused})", error)
    return _proven(sandbox, found, events)


def _second(
    interpreter: Interpreter, hidden: Sequence[Path], events: Events, why: str, error: WorldError
) -> Sandbox:
    if os.geteuid() != 0:
        raise WorldError(
            f"{why}; landlock protects less when the judge is not root: ask for it with --sandbox landlock"
        ) from error
    events.progress(f"sandbox: landlock, because {why}")
    try:
        return prove(Landlock(interpreter, hidden), events)
    except WorldError as other:
        raise WorldError(f"{why}, and neither can landlock: {other}") from other


def prove(sandbox: Sandbox, events: Events) -> Sandbox:
    """Run a backend's self-check.

    Raises:
        WorldError: something that it promises does not hold.
    """
    return _proven(sandbox, sandbox.self_check(), events)


def _proven(sandbox: Sandbox, found: tuple[Capability, ...], events: Events) -> Sandbox:
    events.say("sandbox", name=sandbox.name, **{line.name: line.detail or line.holds for line in found})
    failed = [line for line in found if not line.holds and line.name not in sandbox.gives_up]
    if failed:
        said = "; ".join(f"{line.name} ({line.detail})" for line in failed)
        raise WorldError(f"sandbox {sandbox.name} does not hold here: {said}; see `truelap doctor`")
    return sandbox
