"""What counts: patterns, thresholds and limits, read from `policy.toml` (shipped beside this file) or a named file.

A policy is never taken from the environment, the current folder or the tree under test.
"""

from __future__ import annotations

import hashlib
import re
import tomllib
from functools import lru_cache
from importlib.resources import files
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Field, ValidationError

from truelap.defences import DEFENCES
from truelap.errors import UsageError
from truelap.keyfile import complaint
from truelap.model import Frozen

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path


def _compiles(pattern: str) -> str:
    try:
        re.compile(pattern)
    except re.error as error:
        raise ValueError(f"is no regular expression ({error})") from error
    return pattern


def _as_tuple(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


Patterns = Annotated[tuple[Annotated[str, AfterValidator(_compiles)], ...], BeforeValidator(_as_tuple)]
Names = Annotated[tuple[str, ...], BeforeValidator(_as_tuple)]
PositiveSeconds = Annotated[float, Field(gt=0)]
PositiveCount = Annotated[int, Field(gt=0)]


@lru_cache(maxsize=64)
def _joined(patterns: tuple[str, ...]) -> re.Pattern[bytes]:
    # Bytes, and DOTALL-free on purpose: `$` must not match before a trailing newline of a hostile name,
    # so every `$` is read as `\Z`.
    strict = (re.sub(r"(?<!\\)\$", r"\\Z", p) for p in patterns)
    return re.compile("|".join(f"(?:{p})" for p in strict).encode() or b"(?!)")


def matches(patterns: tuple[str, ...], path: bytes) -> bool:
    r"""Whether any of the regular expressions is found in a `/`-separated path of bytes.

    >>> matches((r"(^|/)noxfile\.py$",), b"a/noxfile.py"), matches((r"(^|/)noxfile\.py$",), b"noxfile.py\n")
    (True, False)
    """
    return _joined(patterns).search(path) is not None


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
    max_unpacked_bytes: PositiveCount = 1 << 27
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
    files: PositiveCount = 200_000
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
    group_s: PositiveSeconds = 10.0


class Time(Frozen):
    """Thresholds of the time station. `margin` is a share: 0.05 is 5 %."""

    margin: Annotated[float, Field(gt=0, lt=1)]
    sample_s: PositiveSeconds
    pairs: PositiveCount
    max_pair_s: PositiveSeconds
    benchmark_timeout_s: PositiveSeconds
    visits: PositiveCount
    station_s: PositiveSeconds = 3600.0


class Outputs(Frozen):
    """Thresholds of the outputs station. Tolerances of floats are relative to base's number."""

    rtol: PositiveSeconds = 1e-8
    single_rtol: PositiveSeconds = 1e-5
    atol: Annotated[float, Field(ge=0)] = 1e-12
    max_rtol: PositiveSeconds = 1e-4
    repeat_s: PositiveSeconds = 0.1
    max_calls: PositiveCount = 200
    station_s: PositiveSeconds = 1800.0


class Judging(Frozen):
    """What findings lead to which outcome."""

    regressions: Literal["report", "reject"]
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

    off: Annotated[
        tuple[Annotated[str, AfterValidator(_known_defence)], ...], BeforeValidator(_as_tuple)
    ] = ()


class Policy(Frozen):
    """The whole policy. `digest` is the sha256 of the file's bytes."""

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
    outputs: Outputs = Outputs()
    verdict: Judging
    reward: RewardRules
    ablate: Ablate = Ablate()

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


def shipped_bytes() -> bytes:
    """The bytes of the policy that ships with truelap."""
    return files("truelap").joinpath("policy.toml").read_bytes()


def parse_policy(content: bytes, origin: str) -> Policy:
    """Read a policy file.

    Args:
        content: TOML, UTF-8.
        origin: what to call the file in messages.

    Raises:
        UsageError: not TOML, an unknown key, a wrong type, a pattern that does not compile, or a reward scheme for
            which nothing is measured yet.
    """
    try:
        data = tomllib.loads(content.decode("utf-8"))
        if "digest" in data:
            raise UsageError(f"policy {origin}: digest: there is no such key; it is worked out")
        policy = Policy(digest=hashlib.sha256(content).hexdigest(), **data)
    except ValidationError as error:
        raise UsageError(f"policy {origin}: {complaint(error, Policy)}") from error
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise UsageError(f"policy {origin}: is not TOML: {error}") from error
    if policy.reward.scheme == "advantage":
        raise UsageError(
            f"policy {origin}: reward.scheme: advantage needs a reference patch timed in the same run, which truelap"
            " does not do yet; take log-speedup or formulacode-v1"
        )
    return policy


def load_policy(path: Path | None = None) -> Policy:
    """The shipped policy, or the one in a named file.

    Raises:
        UsageError: the file cannot be read or is not a policy.
    """
    if path is None:
        return parse_policy(shipped_bytes(), "(shipped)")
    try:
        content = path.read_bytes()
    except OSError as error:
        raise UsageError(f"policy {path}: {error.strerror}; name a readable file with --policy") from error
    return parse_policy(content, str(path))
