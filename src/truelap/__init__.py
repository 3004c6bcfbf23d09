"""Is this patch really faster, and still right? A verifier for patches whose author is not trusted.

>>> import truelap
>>> verdict = truelap.verify(repo, base="main", patch=diff)  # doctest: +SKIP
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from truelap.errors import TruelapError, UsageError, WorldError
    from truelap.model import Finding, Reward, Verdict
    from truelap.policy import Policy, load_policy
    from truelap.settings import Settings
    from truelap.task import Task, load_task
    from truelap.verify import verify

__all__ = [
    "Finding",
    "Policy",
    "Reward",
    "Settings",
    "Task",
    "TruelapError",
    "UsageError",
    "Verdict",
    "WorldError",
    "load_policy",
    "load_task",
    "verify",
]

_HOMES = {
    "errors": ("TruelapError", "UsageError", "WorldError"),
    "model": ("Finding", "Reward", "Verdict"),
    "policy": ("Policy", "load_policy"),
    "settings": ("Settings",),
    "task": ("Task", "load_task"),
    "verify": ("verify",),
}


def __getattr__(name: str) -> Any:
    # Imported on first use: `truelap --help` must not wait for what it does not need.
    for home, names in _HOMES.items():
        if name in names:
            return getattr(import_module(f"{__name__}.{home}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
