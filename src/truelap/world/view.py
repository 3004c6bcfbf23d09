"""What a program sees inside a sandbox: mounts, environment and limits, worked out before anything is started."""

from __future__ import annotations

import os
import resource
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from truelap.world.sandbox import PROBES, Bind

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from truelap.policy import Limits
    from truelap.world.interpreter import Interpreter
    from truelap.world.sandbox import Step

SCRATCH = PurePosixPath("/tmp")  # noqa: S108 - inside the sandbox, of its own
HOME = SCRATCH / "home"
PYCACHE = SCRATCH / "pycache"
STAGE = "/tmp"  # noqa: S108 - a private mount over it, in the launcher's own mount namespace
_ROOMS = {"shm": "/dev/shm", "scratch": str(SCRATCH)}  # noqa: S108
"""Folders in memory that a program may write, by the names that they have on the stage."""
PACKAGE = Path(__file__).resolve().parent.parent
USER = 1000
"""User and group as the program sees them, the same whichever user was leased."""
_NAME = "user"

PROCESSORS = Path("/sys/devices/system/cpu")
_USR = Path("/usr")
_ROOT_NAMES = ("bin", "lib", "lib32", "lib64", "libx32", "sbin")
FROM_ETC = (
    "alternatives",
    "ca-certificates",
    "fonts",
    "ld.so.cache",
    "ld.so.conf",
    "ld.so.conf.d",
    "mime.types",
    "os-release",
    "pki/tls/certs",
    "protocols",
    "services",
    "ssl/certs",
    "ssl/openssl.cnf",
)
MADE_ETC = ("group", "hosts", "nsswitch.conf", "passwd")
_OPEN_FILES = 4096
_ALONE = (
    *("--unshare-all", "--unshare-user", "--disable-userns", "--die-with-parent", "--new-session"),
    *("--cap-drop", "ALL", "--uid", str(USER), "--gid", str(USER), "--hostname", "sandbox", "--clearenv"),
)
_CPU_GRACE_S = 5
_POOLS = (
    "BLIS_NUM_THREADS",
    "GOTO_NUM_THREADS",
    "MKL_NUM_THREADS",
    "NUMBA_NUM_THREADS",
    "NUMEXPR_NUM_THREADS",
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "POLARS_MAX_THREADS",
    "RAYON_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
)
"""How many threads libraries start for themselves: more than there are processors would stand in each other's way."""


def root_folders() -> tuple[Path, ...]:
    """/usr, and what looks into it from the root: links on most machines."""
    return (_USR, *(Path("/", name) for name in _ROOT_NAMES))


def fixed_environment(interpreter: Interpreter, cores: frozenset[int] | None = None) -> dict[str, str]:
    """Every variable that a program finds, besides those of its step: nothing of the judge's.

    Args:
        interpreter: the project's.
        cores: that the step is kept on; pools of threads are as large as that, and of one thread for a step that is not.
    """
    return {
        "HOME": str(HOME),
        "LANG": "C.UTF-8",
        "LOGNAME": _NAME,
        "PATH": f"{interpreter.executable.parent}:/usr/local/bin:/usr/bin:/bin",
        "PYTHONHASHSEED": "0",
        "PYTHONNOUSERSITE": "1",
        "PYTHONPYCACHEPREFIX": str(PYCACHE),
        "TMPDIR": str(SCRATCH),
        "TZ": "UTC",
        "USER": _NAME,
    } | dict.fromkeys(_POOLS, str(len(cores or (0,))))


def shown_binds(step: Step, interpreter: Interpreter) -> tuple[Bind, ...]:
    """Host folders that appear read-only: the probes, the interpreter's, the step's own; parents before what lies in them."""
    given = (Bind(PACKAGE / "probes", PROBES), *interpreter.binds, *step.binds)
    by_target = {bind.target: bind for bind in given}
    return tuple(by_target[target] for target in sorted(by_target))


def arguments(
    step: Step, interpreter: Interpreter, hidden: Iterable[Path], place: Callable[[Path], str]
) -> list[str]:
    """Bubblewrap's options for a step, without the program itself.

    Args:
        step: what to run.
        interpreter: the project's.
        hidden: host folders that must not be seen even where one of the folders shown holds them.
        place: says under which path bubblewrap finds a host path that the sandbox's user may not be able to reach.
    """
    binds = shown_binds(step, interpreter)
    found = list(_ALONE)
    found += ["--share-net"] if "no_network" in step.without else []
    given = dict(os.environ) if "cleared_environment" in step.without else {}
    found += _environment(given | fixed_environment(interpreter, step.cores) | dict(step.env))
    found += _system(place)
    found += ["--proc", "/proc", "--dev", "/dev"]
    for name, folder in _ROOMS.items():
        found += ["--bind", f"{STAGE}/{name}", folder]
    found += ["--dir", str(HOME), "--dir", str(PYCACHE)]
    for bind in binds:
        found += ["--ro-bind", place(bind.source), str(bind.target)]
    covers = [str(cover) for cover in _covers(binds, hidden)]
    for cover in covers:
        found += ["--tmpfs", cover]
    found += ["--bind", place(step.tree), str(step.mount)]
    for folder in (*covers, "/dev", "/"):
        found += ["--remount-ro", folder]
    return [*found, "--chdir", str(step.mount)]


def rooms(limits: Limits) -> dict[str, str]:
    """Mount options of each room, by its name on the stage."""
    options = f"mode=1777,size={limits.scratch_bytes},nr_inodes={limits.files}"
    return dict.fromkeys(_ROOMS, options)


def _environment(variables: Mapping[str, str]) -> list[str]:
    return [word for name, value in sorted(variables.items()) for word in ("--setenv", name, value)]


def _system(place: Callable[[Path], str]) -> list[str]:
    found = ["--ro-bind", str(_USR), str(_USR)]
    for path in root_folders()[1:]:
        if path.is_symlink():
            found += ["--symlink", str(path.readlink()), str(path)]
        elif path.is_dir():
            found += ["--ro-bind", str(path), str(path)]
    for path in (Path("/etc", name) for name in FROM_ETC):
        if path.exists():
            found += ["--ro-bind", str(path), str(path)]
    if PROCESSORS.is_dir():
        found += ["--ro-bind", str(PROCESSORS), str(PROCESSORS)]
    made = place(PACKAGE / "world" / "etc")
    for name in MADE_ETC:
        found += ["--ro-bind", f"{made}/{name}", f"/etc/{name}"]
    return found


def _covers(binds: Iterable[Bind], hidden: Iterable[Path]) -> list[PurePosixPath]:
    """Where something hidden would appear inside."""
    shown = [*binds, Bind(_USR, PurePosixPath(_USR))]
    found = set()
    for path in {form for given in hidden for form in (given.absolute(), given.resolve())}:
        for bind in shown:
            source = bind.source.resolve()
            if path.is_dir() and path.is_relative_to(source):
                found.add(bind.target / path.relative_to(source))
    return sorted(found)


def resource_limits(limits: Limits, *, beside: int = 0) -> list[tuple[int, int, int]]:
    """(resource, soft, hard) for every process of the sandbox, never above what the judge itself may have.

    The address space stands in for memory, which the kernel does not bound: a process that asks for more gets an honest
    MemoryError. What several hold together is `watch`'s business. Processes are counted per leased user, or per user namespace.

    Args:
        limits: of the step.
        beside: how many threads of others the kernel counts among the step's.
    """
    wanted = [
        (resource.RLIMIT_AS, limits.memory_bytes, limits.memory_bytes),
        (resource.RLIMIT_CORE, 0, 0),
        (resource.RLIMIT_CPU, limits.cpu_s, limits.cpu_s + _CPU_GRACE_S),
        (resource.RLIMIT_FSIZE, limits.file_bytes, limits.file_bytes),
        (resource.RLIMIT_NOFILE, _OPEN_FILES, _OPEN_FILES),
        (resource.RLIMIT_NPROC, limits.processes + beside, limits.processes + beside),
        (resource.RLIMIT_NICE, 0, 0),
        (resource.RLIMIT_RTPRIO, 0, 0),
    ]
    return [(kind, _allowed(kind, soft), _allowed(kind, hard)) for kind, soft, hard in wanted]


def _allowed(kind: int, value: int) -> int:
    most = resource.getrlimit(kind)[1]
    return value if most == resource.RLIM_INFINITY else min(value, most)
