"""The backend for containers that allow no namespaces: a user of its own, a Landlock domain, and a filter of system calls.

Weaker than bubblewrap in the points that `GIVES_UP` names. See `landlock_view` for where things are, `landlock_rules` for what a
program may open, `launch_landlock` for how it is started and ended.
"""

from __future__ import annotations

import ctypes
import os
import platform
import time
from contextlib import ExitStack
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from truelap.errors import WorldError
from truelap.world import (
    landlock_rules,
    landlock_view,
    leases,
    ownership,
    procfs,
    reach,
    seccomp,
    traces,
    view,
)
from truelap.world.landlock_cage import LandlockCage, end_user
from truelap.world.launchers import Launchers
from truelap.world.outlets import Outlets
from truelap.world.removal import remove_folder
from truelap.world.selfcheck import capabilities, interrogate
from truelap.world.session import LiveSession
from truelap.world.usage import FolderPlace, SharedPlace

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from truelap.world.interpreter import Interpreter
    from truelap.world.leases import Lease
    from truelap.world.sandbox import Capability, Step
    from truelap.world.translation import Paths
    from truelap.world.usage import Place

GIVES_UP: Mapping[str, str] = MappingProxyType(
    {
        "own processes only": "numbers of other processes can be asked for; what /proc says of them cannot be opened",
        "own place": "nothing can be mounted: the tree is under a random path, of the same length for both sides, and TMPDIR "
        "is another folder than /tmp; paths in messages are translated",
        "own loopback": "no socket can be made: tests that need one fail at base as well, and are not judged",
        "quota of the kernel": "what is written is counted by the judge, now and then",
        "names of files": "names, sizes and times of files can be asked for where the modes of folders allow it",
    }
)
"""What does not hold, by line of the self-check, and what it means."""

GIVES_UP_SAME_USER: Mapping[str, str] = MappingProxyType(
    {
        "sealed tree": "the step is the judge's own user and can write its copy; the manifest check finds that",
        "modes of files": "modes of the judge's own files can be changed, though not what is in them",
    }
)
"""The same for a judge that is not root."""

_VERSION_CALL, _ASK_VERSION = 444, 1
_OLDEST = 2
"""The first version that lets a file be moved to another folder, as honest programs do."""

_START_TIMEOUT_S = 30.0


def landlock_version() -> int:
    """The version of Landlock that the kernel knows, 0 when it has none or it is switched off."""
    libc = ctypes.CDLL(None, use_errno=True)
    found = libc.syscall(_VERSION_CALL, None, ctypes.c_size_t(0), ctypes.c_uint32(_ASK_VERSION))
    return max(0, int(found))


class Landlock:
    """Sandboxes by Landlock.

    Args:
        interpreter: the project's; every user must be able to reach it.
        hidden: host folders that must never be read (the repository with the submission in it).

    Raises:
        WorldError: kernel or machine lack what is needed, or the interpreter cannot be reached.
    """

    name = "landlock"

    def __init__(self, interpreter: Interpreter, hidden: Sequence[Path] = ()) -> None:
        self._root = os.geteuid() == 0
        self._version = landlock_version()
        _demand_kernel(self._version, root=self._root)
        if self._root:
            landlock_view.demand_reach(interpreter)
            _end_abandoned()
        self._interpreter = interpreter
        self._hidden = tuple(hidden)
        self._copies = landlock_view.Copies()
        self._launchers = Launchers("launch_landlock")

    @property
    def gives_up(self) -> Mapping[str, str]:
        """What does not hold here."""
        return GIVES_UP if self._root else MappingProxyType({**GIVES_UP, **GIVES_UP_SAME_USER})

    def start(self, step: Step) -> LiveSession:
        """Start a step; its program is running when this returns.

        Raises:
            WorldError: there is no sandbox to be had.
        """
        with ExitStack() as undo:
            lease = leases.lease_user() if self._root else None
            if lease is not None:
                undo.callback(lease.release)
                _demand_way(step.tree)
            ownership.prepare(step, lease.uid if lease else None)
            rooms = landlock_view.Rooms(step, lease.uid if lease else None)
            undo.callback(remove_folder, rooms.root)
            plan, paths = self._plan(step, rooms, lease.uid if lease else None)
            outlets = Outlets(step, paths)
            undo.callback(outlets.close)
            places = _places(step, rooms, lease)
            launcher = self._launchers.launch(plan, outlets.inherited)
            outlets.handed_on()
            cage = LandlockCage(launcher, lease, rooms.root)
            undo.callback(cage.destroy)
            cage.await_start(_START_TIMEOUT_S)
            self._launchers.prepare()
            session = LiveSession(cage, outlets, step.limits, places)
            undo.pop_all()
            return session

    def self_check(self) -> tuple[Capability, ...]:
        """Run the self-check probe in a real sandbox."""
        report = interrogate(self, self._interpreter)
        return capabilities(report, view.fixed_environment(self._interpreter), self.gives_up)

    def _plan(self, step: Step, rooms: landlock_view.Rooms, uid: int | None) -> tuple[dict[str, Any], Paths]:
        """See `launch_landlock`."""
        shown = landlock_view.shown(step, self._interpreter, self._copies)
        for target, source in shown.items():
            if landlock_view.is_bytecode(target):
                rooms.show_bytecode(target, source)
        paths = landlock_view.translation(step, shown, rooms)
        given = dict(os.environ) if "cleared_environment" in step.without else {}
        fixed = paths.outside(view.fixed_environment(self._interpreter, step.cores) | dict(step.env))
        network = "no_network" in step.without
        leave = seccomp.Leave(
            (seccomp.AF_UNIX, seccomp.AF_INET, seccomp.AF_INET6) if network else (),
            nameless=False,
            others=self._root,
        )
        own = (step.tree, rooms.scratch)
        plan = {
            "uid": uid,
            "limits": view.resource_limits(step.limits, beside=0 if self._root else _own_threads()),
            "cores": sorted(step.cores) if step.cores else None,
            "argv": paths.outside(list(step.argv)),
            "environment": given | fixed,
            "folder": str(step.tree),
            "rules": landlock_rules.rules(
                [*shown.values(), rooms.links], own, self._hidden, terminals=self._root
            ),
            "handled": landlock_rules.handled(self._version, network=not network),
            "scope": self._version >= landlock_rules.SCOPE_VERSION,
            "filter": seccomp.sandbox_filter(platform.machine(), leave),
            "written": [str(rooms.root)],
        }
        return plan, paths


def _end_abandoned() -> None:
    """End what goes on of steps whose judge and launcher were both killed: nobody else will."""
    for lease in leases.abandoned():
        end_user(lease.uid)
        traces.remove_shared(lease.uid)


def _demand_kernel(version: int, *, root: bool) -> None:
    needed = _OLDEST if root else landlock_rules.SCOPE_VERSION
    if version == 0:
        raise WorldError("the kernel has no Landlock, or it is switched off")
    if version < needed:
        who = "root" if root else "an ordinary user"
        raise WorldError(f"the kernel knows version {version} of Landlock; for {who} it takes {needed}")
    if not seccomp.is_known(platform.machine()):
        raise WorldError(f"there is no filter of system calls for {platform.machine()}")


def _places(step: Step, rooms: landlock_view.Rooms, lease: Lease | None) -> list[Place]:
    now, uid = time.time(), lease.uid if lease else os.getuid()
    return [FolderPlace(step.tree, now), FolderPlace(rooms.scratch, now), SharedPlace(uid, now)]


def _demand_way(tree: Path) -> None:
    closed = reach.barrier(tree, way_only=True)
    if closed is not None:
        raise WorldError(
            f"{closed} is closed to other users, so the sandbox cannot reach its tree; "
            f"open it (chmod o+x {closed}), or name another working folder with --work"
        )


def _own_threads() -> int:
    """How many threads the judge's own user has: the kernel counts them together with those of the step."""
    return sum(len(procfs.threads(pid)) for pid in procfs.of_user(os.getuid()))
