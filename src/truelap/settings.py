"""Where and how to run: what the command line says, as one frozen value. What counts stands in `policy`."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import Field

from truelap.model import Frozen

Effort = Literal["quick", "standard", "thorough"]
SandboxName = Literal["auto", "bubblewrap", "landlock", "none"]


class Settings(Frozen):
    """Made once in `cli`, then handed on; nothing reads the environment later."""

    out: Path | None = None
    """Where verify writes its files; None for nowhere."""
    work: Path | None = None
    """Parent of the private working folder; None for the system's temporary folder."""
    keep: Path | None = None
    """Where base's truth is kept for the next submission; None for nowhere."""
    keep_named: bool = True
    """Whether the user named that folder: one that was not, and cannot be used, keeps nobody from judging."""
    python: Path
    """Interpreter of the project's environment."""
    sandbox: SandboxName = "auto"
    unsafe: bool = False
    effort: Effort = "standard"
    bench: str | None = None
    """Regular expression that a benchmark's id, or its name as asv prints it, must hold to be compared and timed."""
    jobs: int | None = None
    """Test files that run at a time; None for one, but runs of the same side beside each other as the cores allow."""
    slots: Path | None = None
    """Folder of the locks by which measurements on this host take turns; None for the system's own."""
    gate: str | None = None
    """Address of a measure gate that must give leave as well; None for none."""
    gate_token: str | None = Field(default=None, repr=False)
    wait_s: float = 7200.0
    """Longest wait for a slot, and for the gate's leave, in seconds."""
    seed: int
    """Source of all the judge's random choices; recorded in the verdict."""
    seed_drawn: bool = False
    """Whether nobody named it: its share for base may then be one that base was measured with before."""
    require: Literal["faster"] | None = None
    layout: Literal["harbor", "formulacode"] = "harbor"

    @property
    def base_seed(self) -> int:
        """What base is measured with: all of a small seed, and of a drawn one the part that submissions to a task may share.

        >>> [Settings(python=Path("python"), seed=seed).base_seed for seed in (7, joined(2**31 + 5, 1), joined(2**31 + 5, 2))]
        [7, 2147483653, 2147483653]
        """
        return self.seed if self.seed < _NAMED else self.seed >> _OWN_BITS


_NAMED = 1 << 32
_OWN_BITS = 21
"""So that the whole seed is a number that every reader of JSON has exactly: less than 2 ** 53."""


def joined(shared: int, own: int) -> int:
    """A seed of which `shared`, 2**31 or more and below 2**32, is base's part, and `own` the verification's."""
    return shared << _OWN_BITS | own % (1 << _OWN_BITS)
