"""What this machine offers, as data for `truelap doctor`: each line holds, or says what is lost without it."""

from __future__ import annotations

import ctypes
import os
import re
import shutil
import statistics
import subprocess
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from truelap.errors import TruelapError, WorldError
from truelap.world import process
from truelap.world.bubblewrap import Bubblewrap, bubblewrap_version, find_bubblewrap
from truelap.world.clock import cpu_ns_of
from truelap.world.sandbox import Capability
from truelap.world.unsandboxed import Unsandboxed

if TYPE_CHECKING:
    from collections.abc import Mapping

    from truelap.world.interpreter import Interpreter

_LANDLOCK_CREATE_RULESET, _LANDLOCK_VERSION = 444, 1
_OLDEST_GIT = (2, 30)
_ENOUGH_DISK = 2 << 30
_NOISE_SAMPLES = 60
_NOISE_LOOPS = 200_000
_QUIET = 0.05
_CLOSED = (
    ("user/max_user_namespaces", 0),
    ("kernel/unprivileged_userns_clone", 0),
    ("kernel/apparmor_restrict_unprivileged_userns", 1),
)


@dataclass(frozen=True)
class Survey:
    """Everything that `truelap doctor` shows."""

    backends: Mapping[str, tuple[Capability, ...]]
    """By name, strongest first; a backend that does not work has one line, "works", that says why."""
    machine: tuple[Capability, ...]

    def as_data(self) -> dict[str, Any]:
        """For `--json`."""
        return {
            "backends": {name: [asdict(line) for line in lines] for name, lines in self.backends.items()},
            "machine": [asdict(line) for line in self.machine],
        }


def survey(interpreter: Interpreter, work: Path | None = None) -> Survey:
    """Look at this machine. Takes about two seconds.

    Args:
        interpreter: runs the self-checks.
        work: where working folders would be made; None for the system's temporary folder.
    """
    backends = {
        "bubblewrap": _bubblewrap_lines(interpreter),
        "landlock": (Capability("works", False, "not in this version"),),
        "none": Unsandboxed(interpreter).self_check(),
    }
    place = work or Path(tempfile.gettempdir())
    machine = (
        _git(),
        _bubblewrap(),
        _namespaces(),
        _landlock(),
        _cores(),
        _cgroup(),
        _cpu_clock(),
        _noise(),
        _disk(place),
    )
    return Survey(backends, machine)


def _bubblewrap_lines(interpreter: Interpreter) -> tuple[Capability, ...]:
    try:
        return Bubblewrap(interpreter).self_check()
    except TruelapError as error:
        return (Capability("works", False, str(error)),)


def _git() -> Capability:
    try:
        said = process.run(
            ["git", "--version"], env={"PATH": os.environ.get("PATH", "")}, timeout_s=10
        ).stdout
    except WorldError as error:
        return Capability("git", False, f"{error}; nothing works without git")
    text = said.decode("ascii", "replace").strip()
    numbers = re.search(r"(\d+)\.(\d+)", text)
    recent = numbers is not None and tuple(map(int, numbers.groups())) >= _OLDEST_GIT
    return Capability("git", recent, text if recent else f"{text}: 2.30 or newer is needed")


def _bubblewrap() -> Capability:
    try:
        path = find_bubblewrap()
    except WorldError as error:
        return Capability("bubblewrap", False, str(error))
    return Capability("bubblewrap", True, f"{path} {'.'.join(map(str, bubblewrap_version(path)))}")


def _namespaces() -> Capability:
    """Root makes its own; an ordinary user needs the kernel's leave."""
    closed = []
    for name, closed_at in _CLOSED:
        value = _number(Path("/proc/sys", name))
        if value == closed_at:
            closed.append(f"{name.replace('/', '.')} = {value}")
    if not closed:
        return Capability("user namespaces", True, "open")
    return Capability("user namespaces", False, f"{', '.join(closed)}: bubblewrap may not work for this user")


def _landlock() -> Capability:
    libc = ctypes.CDLL(None, use_errno=True)
    version = libc.syscall(
        _LANDLOCK_CREATE_RULESET, None, ctypes.c_size_t(0), ctypes.c_uint32(_LANDLOCK_VERSION)
    )
    if version < 1:
        return Capability("landlock", False, "the kernel has none: no sandbox where namespaces are forbidden")
    return Capability("landlock", True, f"ABI {version}")


def _cores() -> Capability:
    allowed = len(os.sched_getaffinity(0))
    quota = cpu_quota()
    shown = f"{allowed} of {os.cpu_count()}" + (f", quota {quota:g}" if quota is not None else "")
    enough = min(allowed, quota if quota is not None else allowed) >= 2  # noqa: PLR2004 - one to time on, one for the judge
    return Capability(
        "cores", enough, shown if enough else f"{shown}: the judge shares the core that it times on"
    )


def cpu_quota() -> float | None:
    """Processors that the cgroup allows, None without a limit."""
    limit = _text(Path("/sys/fs/cgroup", _own_cgroup(), "cpu.max")) or _text(Path("/sys/fs/cgroup/cpu.max"))
    if limit:
        most, period = limit.split()
        return None if most == "max" else int(most) / int(period)
    most_us = _number(Path("/sys/fs/cgroup/cpu/cpu.cfs_quota_us"))
    period_us = _number(Path("/sys/fs/cgroup/cpu/cpu.cfs_period_us"))
    return most_us / period_us if most_us and period_us and most_us > 0 else None


def _own_cgroup() -> str:
    found = re.search(r"^0::/(.*)$", _text(Path("/proc/self/cgroup")), re.MULTILINE)
    return found.group(1) if found else ""


def _cgroup() -> Capability:
    folder = Path("/sys/fs/cgroup")
    writable = os.access(folder / "cgroup.procs", os.W_OK) or os.access(
        folder / "memory" / "cgroup.procs", os.W_OK
    )
    lost = "not writable: memory is limited for each process of a sandbox, not for all of them together"
    return Capability("cgroup", writable, "writable (not used yet)" if writable else lost)


def _cpu_clock() -> Capability:
    with subprocess.Popen([shutil.which("sleep") or "/bin/sleep", "10"], env={}) as other:
        try:
            cpu_ns_of(other.pid)
        except OSError as error:
            return Capability(
                "CPU clock",
                False,
                f"{error.strerror}: the clock of other processes cannot be read, timing is impossible",
            )
        finally:
            other.kill()
    return Capability(
        "CPU clock",
        True,
        f"of other processes, {time.clock_getres(time.CLOCK_PROCESS_CPUTIME_ID) * 1e9:g} ns",
    )


def _noise() -> Capability:
    """How much equal work differs here, right now: half the distance of the outer tenths, by the median."""
    samples = []
    for _ in range(_NOISE_SAMPLES):
        start = time.perf_counter_ns()
        sum(range(_NOISE_LOOPS))
        samples.append(time.perf_counter_ns() - start)
    tenths = statistics.quantiles(samples, n=10)
    spread = (tenths[-1] - tenths[0]) / 2 / statistics.median(samples)
    quiet = spread < _QUIET
    return Capability(
        "noise", quiet, f"{spread:.1%}" + ("" if quiet else ": small changes may stay undecided")
    )


def _disk(place: Path) -> Capability:
    try:
        free = shutil.disk_usage(place).free
    except OSError as error:
        return Capability("disk", False, f"{place}: {error.strerror}")
    enough = free >= _ENOUGH_DISK
    shown = f"{free / (1 << 30):.1f} GiB free in {place}"
    return Capability("disk", enough, shown if enough else f"{shown}: large repositories need more")


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="ascii", errors="replace").strip()
    except OSError:
        return ""


def _number(path: Path) -> int | None:
    text = _text(path)
    return int(text) if re.fullmatch(r"-?\d+", text) else None
