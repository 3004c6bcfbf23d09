"""Where a verdict was made, without names of users, hosts or folders."""

from __future__ import annotations

import os
import platform
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
    )


def _cpu() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text("utf-8", "replace").splitlines()
    except OSError:
        lines = []
    named = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(named, platform.machine())
