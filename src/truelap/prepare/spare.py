"""Compiled sources that a submission adds among the tests: left out of the candidate, though its build may name them.

A build that fails without them is run once more with them. What it makes among the tests is not kept then.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from truelap.model import EXECUTABLE, REGULAR, Finding, shown
from truelap.policy import matches

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from truelap.model import Case
    from truelap.policy import Policy
    from truelap.prepare.guard import Guard
    from truelap.world.git import Store
    from truelap.world.harvest import Product


class Spare(NamedTuple):
    """Such sources, and the candidate's tree with them."""

    paths: frozenset[bytes] = frozenset()
    tree: str = ""

    def without_theirs(
        self, made: tuple[Product, ...], among_tests: Callable[[bytes], bool]
    ) -> tuple[Product, ...]:
        """What a build made, without what it added to the tests if it had them."""
        return tuple(one for one in made if not among_tests(one.path)) if self.paths else made

    def findings(self) -> tuple[Finding, ...]:
        """A note if they were there for the build."""
        if not self.paths:
            return ()
        names = ", ".join(sorted(map(shown, self.paths)))
        message = f"the candidate builds only with its new test code, so that was there ({names}); what became of it was not kept"
        return (Finding(code="rebuild:test_sources", level="info", message=message),)


def spare_sources(
    case: Case, store: Store, policy: Policy, guard: Callable[[Iterable[bytes]], Guard]
) -> Spare | None:
    """The new compiled sources among a submission's discarded test code; None where there are none."""
    entries = case.patch.entries if case.patch else ()
    new = [
        entry
        for entry in entries
        if entry.kind == "added"
        and entry.new_mode in {REGULAR, EXECUTABLE}
        and matches(policy.rebuild.compiled, entry.path)
    ]
    kinds = guard([entry.path for entry in new])
    spare = {entry.path: entry for entry in new if kinds.kind(entry.path) == "test_code"}
    candidate = str(case.candidate_tree)
    tree = store.replace(candidate, ((path, one.new_mode, one.new_blob) for path, one in spare.items()))
    # Where the candidate has a file for a folder of theirs they would replace it.
    added = {entry.path for entry in store.entries(candidate, tree) if entry.kind == "added"}
    alone = len(store.entries(candidate, tree)) == len(added) == len(spare)
    return Spare(frozenset(spare), tree) if spare and alone else None
