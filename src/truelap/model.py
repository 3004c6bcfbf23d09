"""Every value that moves between stations. All are frozen; a station answers with a new `Case`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

from pydantic import BaseModel, ConfigDict, Field

if TYPE_CHECKING:
    from collections.abc import Mapping

REGULAR = 0o100644
EXECUTABLE = 0o100755
SYMLINK = 0o120000
GITLINK = 0o160000
FILES = (REGULAR, EXECUTABLE)

Level = Literal["info", "fail", "inconclusive"]
Outcome = Literal["accepted", "rejected", "refused", "inconclusive"]
Speed = Literal["faster", "slower", "same", "mixed", "not_measured"]
ChangeKind = Literal["added", "deleted", "modified", "mode_changed", "type_changed"]
StationStatus = Literal["done", "failed", "skipped", "not_run"]


def shown(path: bytes) -> str:
    r"""Show a path of the submission as text: UTF-8 where it is UTF-8, `\xNN` for any other byte.

    >>> shown(b"a/\xc3\xa9.py"), shown(b"a/\xff.py")
    ('a/é.py', 'a/\\xff.py')
    """
    return path.decode("utf-8", "backslashreplace")


class Frozen(BaseModel):
    """Base of all values: no change after making, no unknown field, no silent conversion."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", strict=True, ser_json_bytes="base64", val_json_bytes="base64"
    )

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:
        """Copy, with some fields changed; what was worked out from the old ones (`cached_property`) is not taken along."""
        made = super().model_copy(update=update, deep=deep)
        for name in made.__dict__.keys() - type(self).model_fields.keys():
            del made.__dict__[name]
        return made


class Entry(Frozen):
    """One raw entry of `git diff-tree -r -z --raw --no-renames --full-index` between base and submission.

    Modes are git's six-digit octal file modes, 0 where that side has no file; blob ids are hex, all zeros likewise.
    """

    path: bytes
    """`/`-separated, relative to the tree's root, exactly as git stores it."""
    old_mode: int
    new_mode: int
    old_blob: str
    new_blob: str

    @property
    def kind(self) -> ChangeKind:
        """What happened to the path."""
        if self.old_mode == 0:
            return "added"
        if self.new_mode == 0:
            return "deleted"
        if self.old_mode & 0o170000 != self.new_mode & 0o170000:
            return "type_changed"
        return "mode_changed" if self.old_blob == self.new_blob else "modified"


class Patch(Frozen):
    """A submission as collect understood it."""

    sha256: str
    """Of the submission's bytes as they were given (of the diff that collect made, for a tree)."""
    applied: bool
    """False when the diff is absent, empty or does not apply to base."""
    error: str | None = None
    """Why it does not apply, in one line."""
    claimed_paths: tuple[bytes, ...] = ()
    """Paths that the diff's text names (they are judged even when the diff does not apply)."""
    entries: tuple[Entry, ...] = ()
    tree: str = ""
    """Id, in the private store, of base with the whole diff applied."""
    files: int = 0
    added_lines: int = 0
    removed_lines: int = 0
    size_bytes: int = 0
    unpacked_bytes: int = 0
    """All changed and new files together."""
    set_aside: dict[str, tuple[bytes, ...]] = Field(default_factory=dict)
    """Paths of a working tree that are no part of the submission, by the reason."""


class Finding(Frozen):
    """One thing to know about the submission or the run.

    `code` is stable and has the form `family:name` or `name` (`refused:symlinks`, `tests:regressed`, `rebuild_failed`).
    """

    code: str
    level: Level
    message: str
    path: str | None = None


class Evidence(Frozen):
    """What a station measured. Subclasses live with the station; reports see only these two views."""

    section: ClassVar[str] = ""
    """Key of verdict.json that `summary` fills (tests, outputs, timing); empty for none."""

    def summary(self) -> dict[str, Any]:
        """The few numbers that belong into verdict.json."""
        return {}

    def artifacts(self) -> dict[str, Any]:
        """Files of the contract that this evidence fills: name -> JSON value (`*.json`), text, or bytes."""
        return {}


class StationRecord(Frozen):
    """One line of `stations[]` in verdict.json."""

    name: str
    status: StationStatus
    seconds: float


class Base(Frozen):
    """The starting tree, as it stands in the private store."""

    given: str
    """How the user named it: a revision, or a directory."""
    commit: str | None
    """The commit id that a revision named; None for a pristine directory."""
    tree: str
    """Tree id of the whole base: what both sides start from."""
    protected_paths: tuple[str, ...] = ()
    """Regular expressions for what base's own asv config and the task's files of benchmarks resolve to, besides the policy's patterns."""
    test_code: tuple[str, ...] = ()
    """Regular expressions for what base's own pytest set-up makes test code, besides the policy's patterns."""
    helpers: tuple[str, ...] = ()
    """Regular expressions for what merely serves its tests and benchmarks; known once the candidate is assembled."""
    distributions: tuple[str, ...] = ()
    """Names under which base's own metadata has the project installed."""
    import_folders: tuple[str, ...] = ()
    """Folders that base's tests and benchmarks import from besides the project's own, "" for the root."""
    links: tuple[tuple[bytes, tuple[bytes, ...]], ...] = ()
    """Its symbolic links, each with the paths that it leads to: links on the way and the end, unless that is out of the tree
    or its product."""
    gitlinks: tuple[tuple[bytes, str], ...] = ()
    """Submodules of the commit (path, commit id). Their content is not part of the tree."""
    carried: tuple[bytes, ...] = ()
    """Ignored build outputs of a pristine directory that the task carries. Only a rebuild changes them."""


class Case(Frozen):
    """What rides the line: everything known about one submission so far."""

    name: str
    """Task name."""
    base: Base
    patch: Patch | None = None
    candidate_tree: str | None = None
    """Id of the assembled candidate; base's own id after a refusal."""
    findings: tuple[Finding, ...] = ()
    evidence: tuple[tuple[str, Evidence], ...] = ()
    stations: tuple[StationRecord, ...] = ()
    discarded: tuple[str, ...] = ()
    """Paths of the submission that were put back to base."""
    refused: bool = False
    """True when nothing of the submission may run."""

    def plus(
        self,
        *,
        findings: tuple[Finding, ...] = (),
        evidence: tuple[tuple[str, Evidence], ...] = (),
        stations: tuple[StationRecord, ...] = (),
        **changed: Any,
    ) -> Self:
        """A new case: tuples grow at the end, other fields are replaced."""
        grown = {
            "findings": self.findings + findings,
            "evidence": self.evidence + evidence,
            "stations": self.stations + stations,
        }
        return self.model_copy(update={**changed, **grown})

    def get(self, station: str) -> Evidence | None:
        """The evidence that a station left, or None."""
        return dict(self.evidence).get(station)


class Machine(Frozen):
    """Where the verdict was made (names of the machine's user or paths are not part of it)."""

    system: str
    cpu: str
    cores: int
    python: str
    sandbox: str
    details: dict[str, Any] = {}

    @property
    def confined(self) -> bool:
        """Whether the submission's code ran in a sandbox."""
        return self.sandbox != "none"


class Submission(Frozen):
    """`submission` of verdict.json."""

    sha256: str
    files: int
    added_lines: int
    removed_lines: int
    candidate_tree: str | None


class Reward(Frozen):
    """The number for a trainer; `value` is None when the outcome is inconclusive."""

    value: float | None
    scheme: str
    reasons: tuple[str, ...] = ()


class Verdict(Frozen):
    """verdict.json. Format history: 1, the first."""

    format: Literal[1] = 1
    tool: str
    policy: dict[str, str]
    seed: int
    task: dict[str, str | None]
    submission: Submission
    patch: dict[str, str | None]
    outcome: Outcome
    failure_reason: str | None
    speed: Speed
    findings: tuple[Finding, ...]
    stations: tuple[StationRecord, ...]
    discarded: tuple[str, ...]
    tests: dict[str, Any]
    outputs: dict[str, Any]
    timing: dict[str, Any]
    reward: Reward
    machine: Machine
