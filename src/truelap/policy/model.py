"""The sections of a policy and their keys. No value stands here: the shipped file holds every one."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Field

from truelap.defences import DEFENCES
from truelap.model import Frozen
from truelap.policy.patterns import Names, Patterns, as_tuple

if TYPE_CHECKING:
    from collections.abc import Iterable

PositiveSeconds = Annotated[float, Field(gt=0)]
PositiveCount = Annotated[int, Field(gt=0)]
Share = Annotated[float, Field(gt=0, lt=1)]
Chances = Annotated[tuple[Share, ...], BeforeValidator(as_tuple), Field(min_length=1)]


class Protected(Frozen):
    """The measurement setup: edits to it are discarded and recorded in protected_restore.json."""

    patterns: Patterns


class TestCode(Frozen):
    """Tests, helpers and what only pytest reads: edits are discarded and recorded in test_edits.json."""

    __test__ = False
    patterns: Patterns
    helper_patterns: Patterns
    config_patterns: Patterns


class Refuse(Frozen):
    """Refusal rules that are off, and the size limits of a diff."""

    off: Names
    max_diff_bytes: PositiveCount
    max_unpacked_bytes: PositiveCount
    max_files: PositiveCount
    max_file_bytes: PositiveCount
    max_path_bytes: PositiveCount


class Rebuild(Frozen):
    """Which changed paths make the task's build run: compiled sources, and files that say how to build."""

    compiled: Patterns
    build_files: Patterns

    @property
    def patterns(self) -> tuple[str, ...]:
        """Both."""
        return self.compiled + self.build_files


class Limits(Frozen):
    """Bounds of one sandboxed step. Whatever hits one is a failure of the submission if base passes the same step."""

    wall_s: PositiveSeconds
    cpu_s: PositiveCount
    memory_bytes: PositiveCount
    processes: PositiveCount
    file_bytes: PositiveCount
    scratch_bytes: PositiveCount
    files: PositiveCount
    output_bytes: PositiveCount
    message_bytes: PositiveCount
    messages: PositiveCount


class Tests(Frozen):
    """Thresholds of the tests station."""

    __test__ = False
    min_base_pass: PositiveCount
    timeout_s: PositiveSeconds
    test_timeout_s: PositiveSeconds
    fallback_folders: PositiveCount
    group_s: PositiveSeconds


class Time(Frozen):
    """Thresholds of the time station. Shares are numbers: a `margin` of 0.05 is 5 %, a `screen` of 0.7 is 0.7 of the margin."""

    margin: Share
    value_margin: Annotated[float, Field(ge=0, lt=1)]
    setup: Literal["before_samples", "before_calls"]
    sample_s: PositiveSeconds
    pairs: PositiveCount
    max_pair_s: PositiveSeconds
    benchmark_timeout_s: PositiveSeconds
    screen: Annotated[float, Field(gt=0, le=1)]
    visits: PositiveCount
    max_visits: PositiveCount
    level: Share
    chance: Chances
    control: Annotated[float, Field(ge=0, le=1)]
    station_s: PositiveSeconds
    once_s: PositiveSeconds
    import_s: PositiveSeconds
    peak_bytes: PositiveCount
    screened_share: Annotated[float, Field(ge=0, le=1)]


class Outputs(Frozen):
    """Thresholds of the outputs station. Tolerances of floats are relative to base's number."""

    rtol: PositiveSeconds
    single_rtol: PositiveSeconds
    atol: Annotated[float, Field(ge=0)]
    max_rtol: PositiveSeconds
    repeat_s: PositiveSeconds
    max_calls: PositiveCount
    siblings: Annotated[int, Field(ge=0)]
    sibling_s: PositiveSeconds
    station_s: PositiveSeconds


Unearned = Literal["report", "reject", "credit"]
"""What becomes of a gain that the benchmark shows and that a user would not have."""


class Judging(Frozen):
    """What findings lead to which outcome."""

    regressions: Literal["report", "reject"]
    memo: Unearned
    moved: Unearned
    timeraw: Literal["report", "credit"]
    memory: Literal["report", "reject"]
    stop_on_fail: bool


class RewardRules(Frozen):
    """How a verdict becomes a number. `cap` bounds |ln(speed-up)| of one benchmark."""

    scheme: Literal["log-speedup", "formulacode-v1", "advantage"]
    fail_penalty: float
    cap: PositiveSeconds


def _known_defence(name: str) -> str:
    if name not in DEFENCES:
        raise ValueError(f"no defence is called {name}; defences: {', '.join(DEFENCES)}")
    return name


class Ablate(Frozen):
    """Defences that are switched off, by name (`defences.DEFENCES`)."""

    off: Annotated[tuple[Annotated[str, AfterValidator(_known_defence)], ...], BeforeValidator(as_tuple)]


class Policy(Frozen):
    """The whole policy; `digest` names it, see `parse_policy`."""

    format: Literal[1]
    name: str
    digest: str
    protected: Protected
    test_code: TestCode
    refuse: Refuse
    rebuild: Rebuild
    limits: Limits
    tests: Tests
    time: Time
    outputs: Outputs
    verdict: Judging
    reward: RewardRules
    ablate: Ablate

    def keeps(self, defence: str) -> bool:
        """Whether a defence is in force."""
        return _known_defence(defence) not in self.ablate.off

    def without(self, defences: Iterable[str]) -> Policy:
        """The same policy with some defences and rules (`rule:NAME`) switched off, under a digest of its own."""
        names = sorted(defences)
        rules = [name.removeprefix("rule:") for name in names if name.startswith("rule:")]
        rest = [name for name in names if not name.startswith("rule:")]
        refuse = self.refuse.model_copy(update={"off": (*self.refuse.off, *rules)})
        digest = hashlib.sha256("\n".join((self.digest, *names)).encode()).hexdigest()
        ablate = Ablate(off=(*self.ablate.off, *rest))
        return self.model_copy(update={"refuse": refuse, "ablate": ablate, "digest": digest})

    def as_data(self) -> dict[str, Any]:
        """The policy as JSON data, without its digest."""
        return self.model_dump(mode="json", exclude={"digest"})
