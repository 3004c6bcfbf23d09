"""What was compared, as frozen values, and the two views of it: numbers for verdict.json, and outputs.json."""

from __future__ import annotations

from typing import Any, ClassVar

from truelap.checks.outputs.ruling import Ruling, Status
from truelap.checks.outputs.siblings import Siblings
from truelap.model import Evidence, Frozen
from truelap.workers.impact import Choice

_NAMED = 16


class CaseOutput(Frozen):
    """One benchmark with one set of parameters."""

    id: str
    params: tuple[str, ...] = ()
    ruling: Ruling
    calls: int | None = None
    """Calls between the two that were looked at; None where only the first was."""
    siblings: Siblings = Siblings()
    """Of calls beside the benchmark's own."""

    def as_data(self) -> dict[str, Any]:
        """One entry of outputs.json."""
        told = self.ruling
        return {
            "status": told.status,
            "reason": told.reason,
            "params": list(self.params),
            "compared": told.compared,
            "left_out": told.left_out,
            "largest_error": told.largest_error,
            "error_at": told.error_at or None,
            "calls_between": self.calls,
            "siblings": self.siblings.as_data(),
        }


class OutputEvidence(Evidence):
    """Everything that the outputs station found."""

    section: ClassVar[str] = "outputs"

    config: str
    """Path of the asv config in base."""
    seed: int
    settings: dict[str, Any]
    """The policy's numbers."""
    cases: tuple[CaseOutput, ...]
    failed_modules: dict[str, str]
    """Modules of the suite that cannot be imported at base, with the reason."""
    unchanged_files: tuple[str, ...] = ()
    """Files of the suite whose benchmarks could not be made to tell; only what they return is seen."""
    changed_files: tuple[str, ...] = ()
    """Files of the candidate's tree that were other than they should be after it had run."""
    touched: tuple[str, ...] = ()
    """Files of tests and benchmarks, and folders of theirs, that the candidate's worker wrote to."""
    choice: Choice | None = None
    """Which benchmarks were run, where the task has not all of them run."""
    base_kept: int = 0
    """Cases whose base was not run, because an earlier verification kept what it tells."""
    two_products: tuple[str, ...] = ()
    """Modules that the candidate's tests and benchmarks load from different files, in words."""

    def of(self, status: Status) -> tuple[CaseOutput, ...]:
        """The cases of this status."""
        return tuple(case for case in self.cases if case.ruling.status == status)

    @property
    def compared(self) -> int:
        """How many cases could be compared."""
        return len(self.of("equal")) + len(self.of("differs"))

    @property
    def beside(self) -> tuple[CaseOutput, ...]:
        """The cases with a difference in a call beside the benchmark's own, and none in its own."""
        alike = (case for case in self.cases if case.ruling.status != "differs")
        return tuple(case for case in alike if case.siblings.difference is not None)

    def summary(self) -> dict[str, Any]:
        """See `Evidence`: counts, the share of cases that could be compared, the largest error and where it stands."""
        worst = max(self.cases, key=lambda case: case.ruling.largest_error, default=None)
        error = worst.ruling.largest_error if worst else 0.0
        return {
            "n_cases": len(self.cases),
            "n_compared": self.compared,
            "n_base_kept": self.base_kept,
            "selection": self.choice.as_data() if self.choice else None,
            **{f"n_{name}": len(self.of(name)) for name in ("equal", "differs", "missing", "not_comparable")},
            "n_siblings": sum(case.siblings.tried for case in self.cases),
            "n_siblings_compared": sum(case.siblings.compared for case in self.cases),
            "n_siblings_differ": len(self.beside),
            "share": self.compared / len(self.cases) if self.cases else None,
            "largest_error": error,
            "largest_error_at": f"{worst.id}: {worst.ruling.error_at}" if worst and error else None,
            "differing": [
                {"id": case.id, "status": case.ruling.status, "reason": case.ruling.reason}
                for case in (*self.of("differs"), *self.of("missing"))[:_NAMED]
            ],
        }

    def artifacts(self) -> dict[str, Any]:
        """See `Evidence`: outputs.json."""
        return {
            "outputs.json": {
                "config": self.config,
                "seed": self.seed,
                "settings": self.settings,
                "unchanged_files": list(self.unchanged_files),
                "failed_modules": self.failed_modules,
                "benchmarks": {case.id: case.as_data() for case in self.cases},
            }
        }
