"""Whether this machine lets us make namespaces at all: what bubblewrap needs, and a stock container refuses."""

from __future__ import annotations

import sys
from pathlib import Path

from truelap.world import process

_TRIAL = "import sys; sys.path.append({folder!r}); import launch; launch.try_out()"
_TIMEOUT_S = 20.0


def refusal() -> str | None:
    """What is refused, None when nothing is. Tried by a process of its own, with the very calls that a sandbox takes."""
    program = _TRIAL.format(folder=str(Path(__file__).parent))
    done = process.run(
        [sys.executable, "-I", "-S", "-c", program], env={}, cwd=Path("/"), timeout_s=_TIMEOUT_S
    )
    said = done.stdout.decode("utf-8", "replace").strip()
    return said or (None if done.code == 0 else done.complaint)
