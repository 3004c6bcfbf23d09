"""Where a verdict was made, without names of users, hosts or folders."""

from __future__ import annotations

import os
import platform
import sys
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

from truelap.model import Machine

if TYPE_CHECKING:
    from truelap.world import World


def tool() -> str:
    """Name and version of truelap."""
    return f"truelap {version('truelap')}"


def describe(world: World) -> Machine:
    """The machine, the project's interpreter and the sandbox in use."""
    return Machine(
        system=f"{platform.system()} {platform.release()}",
        cpu=_cpu(),
        cores=len(os.sched_getaffinity(0)),
        python=".".join(str(part) for part in world.interpreter.version),
        sandbox=world.sandbox.name,
        details={"own_interpreter": world.interpreter.executable == Path(sys.executable)},
    )


def cpu_features() -> str:
    """The processor's name, and what it can do: libraries choose their code, and so their last digits, by that."""
    return f"{_cpu()} {_told('flags') or _told('Features') or ''}".strip()


def _cpu() -> str:
    return _told("model name") or platform.machine()


def _told(key: str) -> str | None:
    """What the kernel says of the first core."""
    try:
        lines = Path("/proc/cpuinfo").read_text("utf-8", "replace").splitlines()
    except OSError:
        return None
    return next((line.partition(":")[2].strip() for line in lines if line.startswith(key)), None)
