"""One run of one test: which phases a true session tells of, in which order, and what they come to. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from truelap.checks.tests.results import BADNESS, Node, phase_outcome

if TYPE_CHECKING:
    from truelap.checks.tests.messages import Phase


class Attempt:
    """One run of one id: phases in pytest's order, setup first, teardown last."""

    def __init__(self) -> None:
        self.phases: dict[str, Phase] = {}
        self.subtests: list[Phase] = []
        self.retried = False
        """Whether a plugin threw this attempt away and starts another one."""

    @property
    def finished(self) -> bool:
        """Whether its last phase was told."""
        return "teardown" in self.phases

    def takes(self, phase: Phase) -> bool:
        """Whether this phase may follow; pytest skips the call when setup did not pass."""
        if phase.sub:
            # Told as it happens; a plugin that runs tests again tells of the phases around it only afterwards.
            return not self.finished
        if self.finished or phase.when in self.phases:
            return False
        if phase.when == "setup":
            return True
        setup = self.phases.get("setup")
        if setup is None:
            return False
        if phase.when == "call":
            return setup.outcome == "passed"
        return "call" in self.phases or setup.outcome != "passed"

    def take(self, phase: Phase) -> None:
        """Keep a phase that `takes` allows."""
        if phase.outcome == "rerun":
            self.retried = True
        elif phase.sub:
            self.subtests.append(phase)
        else:
            self.phases[phase.when] = phase

    def node(self) -> Node:
        """What became of the test in this run."""
        heard = [*self.phases.values(), *self.subtests]
        if not self.finished:
            seconds = sum(phase.seconds for phase in heard)
            return Node(outcome="missing", seconds=seconds, message="the session ended before this test did")
        ranked = sorted(heard, key=lambda phase: BADNESS[phase_outcome(phase)])
        message = next((phase.text for phase in reversed(ranked) if phase.text), "")
        outcome = phase_outcome(ranked[-1])
        seconds = sum(phase.seconds for phase in self.phases.values())
        return Node(outcome=outcome, seconds=seconds, message="" if outcome == "passed" else message)
