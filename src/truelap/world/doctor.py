"""What this machine offers, as data for `truelap doctor`: each line holds, or says what is lost without it."""

from __future__ import annotations

import os
import platform
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
from truelap.world import namespaces, process, seccomp, slots
from truelap.world.bubblewrap import Bubblewrap, bubblewrap_version, find_bubblewrap
from truelap.world.clock import cpu_ns_of
from truelap.world.landlock import Landlock, landlock_version
from truelap.world.sandbox import Capability
from truelap.world.unsandboxed import Unsandboxed

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from truelap.world.interpreter import Interpreter
    from truelap.world.sandbox import Sandbox

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
class Backend:
    """What a sandbox gives here, and what it gives up."""

    lines: tuple[Capability, ...]
    """Of one that does not work, one line, "works", says why."""
    trusted: bool
    """Whether every line holds that it does not give up in writing."""


@dataclass(frozen=True)
class Survey:
    """Everything that `truelap doctor` shows."""

    backends: Mapping[str, Backend]
    """By name, strongest first."""
    machine: tuple[Capability, ...]

    @property
    def trusted(self) -> tuple[str, ...]:
        """Backends that hold all that they promise."""
        return tuple(name for name, backend in self.backends.items() if backend.trusted)

    def as_data(self) -> dict[str, Any]:
        """For `--json`."""
        backends = self.backends.items()
        return {
            "trusted": list(self.trusted),
            "backends": {name: [asdict(line) for line in backend.lines] for name, backend in backends},
            "machine": [asdict(line) for line in self.machine],
        }


def survey(interpreter: Interpreter, work: Path | None = None) -> Survey:
    """Look at this machine. Takes about two seconds.

    Args:
        interpreter: runs the self-checks.
        work: where working folders would be made; None for the system's temporary folder.
    """
    backends = {
        "bubblewrap": _asked(lambda: Bubblewrap(interpreter)),
        "landlock": _asked(lambda: Landlock(interpreter)),
        "none": Backend(Unsandboxed(interpreter).self_check(), trusted=False),
    }
    place = work or Path(tempfile.gettempdir())
    machine = (
        _git(),
        _bubblewrap(),
        _namespaces(),
        _landlock(),
        _filter(),
        _cores(),
        slots.offered(),
        _cpu_clock(),
        _noise(),
        _disk(place),
    )
    return Survey(backends, machine)


def _asked(make: Callable[[], Sandbox]) -> Backend:
    try:
        sandbox = make()
        lines = sandbox.self_check()
    except TruelapError as error:
        return Backend((Capability("works", False, str(error)),), trusted=False)
    return Backend(lines, trusted=all(line.holds or line.name in sandbox.gives_up for line in lines))


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
    refused = namespaces.refusal()
    if refused is None:
        return Capability("namespaces", True, "open")
    closed = [
        f"{name.replace('/', '.')} = {value}"
        for name, value in _CLOSED
        if _number(Path("/proc/sys", name)) == value
    ]
    return Capability("namespaces", False, f"{'; '.join([refused, *closed])}: bubblewrap cannot be had")


def _landlock() -> Capability:
    version = landlock_version()
    if version == 0:
        return Capability("landlock", False, "the kernel has none: no sandbox where namespaces are forbidden")
    return Capability("landlock", True, f"version {version}")


def _filter() -> Capability:
    machine = platform.machine()
    known = seccomp.is_known(machine)
    return Capability(
        "system calls", known, machine if known else f"there is no filter for {machine}: no sandbox"
    )


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
        "noise",
        quiet,
        f"{spread:.1%}"
        if quiet
        else f"the machine is busy now ({spread:.1%}); `truelap doctor --noise` says what can be told",
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
