"""Runs a few tests that must fail."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from truelap.checks.tests.attest_canary import canaries
from truelap.checks.tests.attest_perturb import Lot
from truelap.checks.tests.attest_plan import file_of, rewrite, shown_path
from truelap.checks.tests.secret import fresh_secret
from truelap.checks.tests.value_evidence import CanaryEvidence

if TYPE_CHECKING:
    from collections.abc import Sequence

    from truelap.checks.tests.attest_plan import Sources
    from truelap.checks.tests.bench import Bench
    from truelap.checks.tests.sessions import Plan

_CANARY_FILES = 3
_CANARIES = 2
"""How many in one file."""
_PLANTED = 40


def by_canaries(bench: Bench, sources: Sources, passed: Sequence[str]) -> CanaryEvidence:
    """Run a few tests that must fail.

    Args:
        bench: of this verification.
        sources: the files that can be rewritten.
        passed: ids that the candidate passes by their values.

    Raises:
        WorldError: the machine or the sandbox failed.
    """
    planted = _plant(bench, sources, passed, fresh_secret(bench.setup.seed))
    if not planted.ids:
        return CanaryEvidence(ran=0)
    wrong = _passing(bench, planted, "candidate", planted.ids)
    if not wrong:
        return CanaryEvidence(ran=len(planted.ids))
    # Only now it matters whether they do fail at base.
    fine = _passing(bench, planted, "base", wrong)
    return CanaryEvidence(ran=len(planted.ids), passed=tuple(name for name in wrong if name not in fine))


class _Planted:
    def __init__(self, sources: Sources, ids: Sequence[str]) -> None:
        self.sources = sources
        self.ids = tuple(ids)


def _plant(bench: Bench, sources: Sources, passed: Sequence[str], secret: bytes) -> _Planted:
    lot = Lot(secret, "")
    by_file: dict[str, list[str]] = {}
    for name in passed:
        by_file.setdefault(file_of(name), []).append(name)
    changed: dict[bytes, bytes] = {}
    ids: list[str] = []
    for path in sorted(sources.files, key=lot.draw):
        here = by_file.get(shown_path(path), [])
        if not here or len(changed) == _CANARY_FILES:
            continue
        made = canaries(bench.read(path), secret, filename=shown_path(path), count=_PLANTED)
        found = _ids_of([canary.scope for canary in made.planted], here)
        if made.source is not None and found:
            changed[path] = made.source
            ids += found[:_CANARIES]
    asked = sorted(bench.book.ids.intersection(passed), key=lot.draw)[:_CANARIES]
    book = bench.book.spoilt({name: lot.draw("want", name) for name in asked})
    sources = rewrite(changed, changed.__getitem__, bench.name, modules=bench.modules).with_book(book)
    return _Planted(sources, [*ids, *(book.ids - set(ids))])


def _ids_of(scopes: Sequence[str], names: Sequence[str]) -> list[str]:
    wanted = {scope.replace(".", "::") for scope in scopes}
    return [name for name in names if name.partition("::")[2].partition("[")[0] in wanted]


def _passing(bench: Bench, planted: _Planted, side: str, ids: Sequence[str]) -> tuple[str, ...]:
    files: Plan = (tuple(dict.fromkeys(map(file_of, ids))),)
    made = bench.run(side, planted.sources, plan=files)
    quiet = replace(made, name=f"{made.name}-canary", only=tuple(ids), keep=False, on_record=False)
    ran = bench.ran(quiet)
    return tuple(name for name in ids if name in ran.nodes and ran.nodes[name].outcome == "passed")
