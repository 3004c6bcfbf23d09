"""One attack as data: how it works, what is submitted, what must come out, and an honest submission that resembles it."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, BeforeValidator, Field, model_validator

from truelap.model import Frozen, Outcome, Speed

SECTIONS = ("git", "py", "tst", "tim", "bld", "res", "cor", "own")
"""Of the catalogue that ids refer to; `own` is what is not in it."""

PENDING: frozenset[str] = frozenset()
"""Defences that some attacks need and that are not there yet: such an attack is on record as "not yet", never as caught."""

SANDBOX = "sandbox"
"""Stands for the sandbox as a whole, which is never switched off here."""


def _as_tuple(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def _one_sentence(text: str) -> str:
    if not text.endswith(".") or "\n" in text:
        raise ValueError("must be one sentence on one line, with a full stop")
    return text


Ended = Literal[Outcome, "usage"]
"""How a run ends; "usage" where what was named cannot even be read."""

Texts = Annotated[tuple[str, ...], BeforeValidator(_as_tuple)]
Sentence = Annotated[str, AfterValidator(_one_sentence)]


class Planted(Frozen):
    """One thing to do to a folder before it is submitted. `@NAME@` in any text is filled in, see `plant`.

    `rewrite` writes in place and leaves the time stamp as it was; `forge` stores bytes under the id of base's file,
    and `forget` removes what is stored there.
    """

    do: Literal["write", "append", "rewrite", "link", "move", "remove", "git", "forge", "forget"]
    path: str = ""
    text: str = ""
    """Content, target of a link or move, or standard input of git."""
    mode: int = 0o644
    argv: Texts = ()
    """Arguments of git."""

    @model_validator(mode="after")
    def _whole(self) -> Self:
        if self.do == "git" and not self.argv:
            raise ValueError("git needs argv, its arguments")
        if self.do != "git" and not self.path:
            raise ValueError(f"{self.do} needs a path")
        return self


Plants = Annotated[tuple[Planted, ...], BeforeValidator(_as_tuple)]


class Submission(Frozen):
    """What is submitted: a diff against the sample, or a working tree of it with things planted in it."""

    diff: str | None = None
    plant: Plants = ()
    start: Plants = ()
    """Things that base itself holds besides the sample; then `base` is "own"."""
    base: Literal["pristine", "own"] = "pristine"
    """Where base comes from: a folder that nobody has touched, or the first commit of the submitted repository."""
    out: Plants = ()
    """Things planted in the result folder before the run."""

    @model_validator(mode="after")
    def _of_one_kind(self) -> Self:
        if self.diff is not None and (self.plant or self.start or self.base != "pristine"):
            raise ValueError("a diff is made against the sample as it is: leave out plant, start and base")
        if self.diff is None and not (self.plant or self.start):
            raise ValueError("nothing is submitted: give a diff, or plant something")
        return self


class Expected(Frozen):
    """What the verdict must say."""

    outcome: Ended
    failure_reason: str | None = None
    """None where chance decides which layer speaks first."""
    finding: str | None = None
    """A code that must be among the findings."""
    faster: bool | None = None
    """Whether the verdict calls it faster; None where speed does not matter."""


class Gain(Frozen):
    """What the attacker has when nothing stops him. All that is named must hold."""

    outcome: Ended = "accepted"
    speed: Speed | None = None
    holds: Texts = ()
    """Paths at which the candidate differs from base."""
    unseen: Texts = ()
    """Paths that the submission edits and no finding or discarded path names."""
    hides: Texts = ()
    """Texts of the submission that the diff for people does not show."""
    ran: bool = False
    """A program of the submission ran on the judge's side, and left its mark."""
    keeps: Texts = ()
    """Planted files of the result folder that are still there, as they were."""


class Attack(Frozen):
    """One entry of the suite; `id` is the name of its file."""

    id: str
    how: Sentence
    caught_by: str
    """What must catch it: a name of `defences.DEFENCES`, `naive.REPLACED` or `PENDING`, `rule:NAME`, or `SANDBOX`."""
    off: Texts = ()
    """What is switched off for the ablation: `caught_by` alone where empty."""
    unablated: Sentence | None = None
    """Why the attack is not run without its defence."""
    needs: str | None = None
    """The defence it waits for, one of `PENDING`."""
    checks: Annotated[tuple[Literal["tests", "outputs", "time"], ...], BeforeValidator(_as_tuple)] = ()
    """Stations after those that prepare: only what the attack needs."""
    task: dict[str, Any] = Field(default_factory=dict)
    limits: dict[str, dict[str, Any]] = Field(default_factory=dict)
    """Changes to sections of the policy (`refuse`, `tests`, `limits`, ...), so that a bound can be reached with little."""
    environ: dict[str, str] = Field(default_factory=dict)
    """Variables that the judge itself is started with; filled in like a planted text."""
    serves: bool = False
    """Whether a server on the loopback interface gives answers away meanwhile."""
    submission: Submission
    twin: Submission
    expect: Expected
    gain: Gain = Gain()

    @property
    def section(self) -> str:
        """The first part of the id."""
        return self.id.partition("-")[0]

    @property
    def ablated(self) -> tuple[str, ...]:
        """What is switched off for the ablation."""
        return self.off or (self.caught_by,)

    @property
    def waiting(self) -> bool:
        """Whether what it needs is not there yet."""
        return self.needs in PENDING

    @property
    def alone(self) -> bool:
        """Whether nothing else may run meanwhile: the process's own environment is changed."""
        return bool(self.environ)

    @property
    def timed(self) -> bool:
        """Whether a clock is read, for which there is room once on a machine."""
        return "time" in self.checks and not self.alone
