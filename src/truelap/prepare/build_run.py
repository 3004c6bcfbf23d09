"""Runs a build on one side's copy of the tree, each command in a sandbox of its own, and says what it left."""

from __future__ import annotations

import time
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any, NamedTuple

from truelap.model import Evidence
from truelap.prepare.build_command import with_interpreter
from truelap.world.disk import UnreadableError
from truelap.world.files import Deviations, deviations
from truelap.world.harvest import size_of
from truelap.world.sandbox import Step

if TYPE_CHECKING:
    from pathlib import Path

    from truelap.policy import Policy
    from truelap.task import Environment
    from truelap.world import World
    from truelap.world.files import TreeOnDisk
    from truelap.world.sandbox import Ending

# Trees carry no .git and no clock: version tools that ask for either get the same answer on both sides.
_FIXED = {"SETUPTOOLS_SCM_PRETEND_VERSION": "0.0.0", "SOURCE_DATE_EPOCH": "315532800"}
_SHOWN_BYTES = 400
_STARTER = ("/bin/sh", "-c", 'exec "$0" "$@"')
"""A command that cannot be started (a script that the candidate deletes) is then a build that fails, and no fault of the sandbox."""


class Rebuilt(Evidence):
    """What was run, why, and what it printed."""

    reason: str
    commands: tuple[tuple[str, ...], ...]
    base_log: str
    candidate_log: str = ""

    def artifacts(self) -> dict[str, Any]:
        """rebuild.log."""
        ran = "\n".join(" ".join(command) for command in self.commands)
        return {
            "rebuild.log": f"{self.reason}\n{ran}\n\n== base\n{self.base_log}\n== candidate\n{self.candidate_log}\n"
        }


class Built(NamedTuple):
    """One side's build: its copy of the tree, what it printed, when it began, what it wrote; `error` where that is None."""

    copy: TreeOnDisk
    log: str
    began_ns: int
    found: Deviations | None
    error: str | None


class BuildRun:
    """The same commands, environment and limits for both sides.

    Args:
        world: where steps run.
        policy: its limits, and the defences in force.
        environment: the task's.
        commands: in their order.
        python: the project's interpreter, as the user named it.
    """

    def __init__(
        self,
        world: World,
        policy: Policy,
        environment: Environment,
        commands: tuple[tuple[str, ...], ...],
        python: Path,
    ) -> None:
        self._world, self._policy, self._environment = world, policy, environment
        self._commands, self._python = commands, python

    def on(self, copy: TreeOnDisk, side: str) -> Built:
        """Build a copy of the tree, which belongs to the build."""
        log, found, began = "", Deviations(), time.time_ns()
        for number, command in enumerate(self._commands):
            self._world.events.progress(f"building {side}: {' '.join(command)}")
            step = self._step(copy, command, f"build-{side}-{number}")
            with self._world.sandbox.start(step) as session:
                ending = session.wait(self._policy.limits.wall_s)
            text = ending.output.decode("utf-8", "replace")
            log += text
            error = _why(ending, " ".join(command), text)
            if error:
                return Built(copy, log, began, None, error)
            try:
                # After each command, because the next one's step is handed this very folder.
                found = deviations(copy.root, copy.manifest)
            except UnreadableError as unreadable:
                return Built(copy, log, began, None, f"the build left what cannot be read: {unreadable}")
        size, most = size_of(copy.root, (*found.added, *found.changed)), self._policy.limits.scratch_bytes
        if size > most:
            error = f"the build left {size} bytes, more than the policy allows (limits.scratch_bytes: {most})"
            return Built(copy, log, began, None, error)
        return Built(copy, log, began, found, None)

    def _step(self, copy: TreeOnDisk, command: tuple[str, ...], name: str) -> Step:
        return Step(
            name=name,
            argv=(*_STARTER, *with_interpreter(command, self._world.interpreter.executable, self._python)),
            tree=copy.root,
            limits=self._policy.limits,
            mount=PurePosixPath(self._environment.mount),
            access="owned",
            env={**_FIXED, **self._environment.env},
            channel=False,
            without=frozenset(self._policy.ablate.off),
        )


def _why(ending: Ending, command: str, text: str) -> str | None:
    if ending.how == "exit" and ending.code == 0:
        return None
    how = {"exit": f"ended with status {ending.code}", "signal": f"was ended by signal {ending.code}"}
    last = text.strip()[-_SHOWN_BYTES:]
    return f"`{command}` {how.get(ending.how, 'did not end in time')}: {last}"
