"""Which sandbox a run gets: the one that was asked for, after it has proved itself here; never quietly a weaker one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from truelap.errors import UsageError, WorldError
from truelap.world.bubblewrap import Bubblewrap
from truelap.world.selfcheck import OPTIONAL
from truelap.world.unsandboxed import Unsandboxed

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from truelap.settings import SandboxName
    from truelap.world.events import Events
    from truelap.world.interpreter import Interpreter
    from truelap.world.sandbox import Sandbox


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
        name: "auto" for the strongest.
        interpreter: the project's.
        hidden: host folders that no sandbox shows.
        events: what each line of the self-check said is recorded here.
        unsafe: whether "none" is allowed.

    Raises:
        UsageError: no such backend here, or "none" without leave.
        WorldError: it is not installed, or a promise of it does not hold on this machine.
    """
    if name == "landlock":
        raise UsageError("--sandbox landlock: not in this version; use bubblewrap")
    if name == "none":
        if not unsafe:
            raise UsageError(
                "--sandbox none: the submission would run unprotected; say --unsafe if that is meant"
            )
        events.say("sandbox", name=name, unsafe=True)
        return Unsandboxed(interpreter)
    sandbox = Bubblewrap(interpreter, hidden)
    prove(sandbox, events)
    return sandbox


def prove(sandbox: Sandbox, events: Events) -> None:
    """Run a backend's self-check.

    Raises:
        WorldError: something that is needed does not hold.
    """
    found = sandbox.self_check()
    events.say("sandbox", name=sandbox.name, **{line.name: line.detail or line.holds for line in found})
    failed = [line for line in found if not line.holds and line.name not in OPTIONAL]
    if failed:
        said = "; ".join(f"{line.name} ({line.detail})" for line in failed)
        raise WorldError(f"sandbox {sandbox.name} does not hold here: {said}; see `truelap doctor`")
