"""Station restore: assembles the candidate tree from base and the admitted entries, without those that are put back.

Put back are the measurement setup (protected), test code, and what a rule discards. Nothing is cleaned: the candidate
never was the submission's tree. It is listed again afterwards, so that what remains is known and not assumed.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from pydantic import Field

from truelap.errors import TruelapError, WorldError
from truelap.model import EXECUTABLE, FILES, REGULAR, Entry, Evidence, Finding, shown
from truelap.policy import matches
from truelap.prepare.admit import Admission
from truelap.prepare.doubles import SPEAKING, doubles
from truelap.prepare.guard import Guard, helpers_of
from truelap.prepare.rivals import Rivals, folders_above
from truelap.prepare.scene import moved_to, places

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from truelap.model import Case
    from truelap.policy import Policy
    from truelap.prepare.collect import HasStore
    from truelap.settings import Settings
    from truelap.task import Task
    from truelap.world.git import Store

Fate = Literal["kept", "protected", "test_code", "ruled", "in_the_way", "rival", "package", "double"]

_BASES, _NEW = "base's version is used", "it is new, and left out"
_MESSAGES: Mapping[Fate, str] = {
    "protected": "base's asv config, a file of benchmarks that the task names, or a link of base's measurement setup, leads to it, so it belongs there; "
    + _BASES,
    "test_code": f"is test code; {_BASES}",
    "in_the_way": "stands where a restored file or its folder must be",
    "rival": "would be imported in place of a file of base that is put back",
    "package": "decides from where a file that is put back is imported; " + _BASES,
    "double": "has the name of a module that stays at another place to import from: tests and benchmarks could read"
    " different ones; " + _BASES,
}


_NEW_PACKAGE = (
    "would change from where base's tests in and below this folder are imported, so it is left out, and what the submission imports"
    " from this package is missing: put it into a module of another folder, or give base's folder its __init__.py first"
)
_MOVED = "the product has moved here whole, so the candidate is imported from here too"
_RECORDED: tuple[Fate, ...] = ("protected", "in_the_way", "rival", "package", "double")


class Restoration(Evidence):
    """What was put back, and what of it remains (nothing, unless truelap is wrong)."""

    section: ClassVar[str] = ""
    base: str
    error: str | None = None
    """Why the station could not do its work, in one line."""
    discarded: tuple[str, ...] = ()
    """Protected paths, and paths that stand in the way of a restored one or of its import."""
    remaining: tuple[str, ...] = ()
    modified: tuple[str, ...] = ()
    added: tuple[str, ...] = ()
    deleted: tuple[str, ...] = ()
    config_changed: tuple[str, ...] = ()
    """Changed files that may hold pytest's configuration. They stay; pytest reads base's."""
    added_sha256: dict[str, str] = Field(default_factory=dict)

    def artifacts(self) -> dict[str, Any]:
        """protected_restore.json and test_edits.json, with the keys that graders know."""
        if self.error is not None:
            return {"protected_restore.json": {"ran": False, "error": self.error}}
        edits = self.model_dump(mode="json", exclude={"base", "error", "discarded", "remaining"})
        restored = {
            "ran": True,
            "base": self.base,
            "discarded": list(self.discarded),
            "remaining": list(self.remaining),
        }
        return {"protected_restore.json": restored, "test_edits.json": edits}


def restore(case: Case, world: HasStore, policy: Policy, task: Task, settings: Settings) -> Case:  # noqa: ARG001 - a station
    """The case with its candidate tree. A fault of ours leaves none, and is on record."""
    try:
        return _Assembly(case, world.store, policy, task).run()
    except (TruelapError, OSError) as error:
        evidence = Restoration(base=case.base.commit or case.base.tree, error=str(error))
        finding = Finding(code="station:restore", level="inconclusive", message=str(error))
        return case.plus(findings=(finding,), evidence=(("restore", evidence),))


class _Assembly:
    def __init__(self, case: Case, store: Store, policy: Policy, task: Task) -> None:
        self._case, self._store, self._policy, self._task = case, store, policy, task
        self._entries = case.patch.entries if case.patch is not None and not case.refused else ()
        self._files = tuple(store.list_tree(case.base.tree))
        paths = [file.path for file in self._files]
        self._places = froms = places(case.base, task, paths)
        self._guard = Guard(store, case.base, policy, froms, [entry.path for entry in self._entries])
        self._rivals = Rivals(self._guard.names, self._guard.holds, map(str.encode, froms))
        self._links, self._gaps = self._rivals.package_files()
        admission = case.get("admit")
        ruled = admission.discarded if isinstance(admission, Admission) else ()
        self._ruled = frozenset(path for _, path, _ in ruled)

    def run(self) -> Case:
        """Sort the entries, build the tree from those that are kept, and list it again."""
        sorted_out = self._sorted_out()
        kept = sorted_out["kept"]
        base = self._case.base.tree
        tree = self._store.replace(base, ((e.path, e.new_mode, e.new_blob) for e in kept))
        left = self._store.entries(base, tree)
        if set(left) != set(kept):
            raise WorldError(
                "the assembled tree does not differ from base as it was meant to; this is a fault of truelap"
            )
        remaining = tuple(shown(entry.path) for entry in left if self._fate(entry) != "kept")
        put_back = [entry for fate, some in sorted_out.items() if fate != "kept" for entry in some]
        helpers = helpers_of(self._store, self._case.base, self._policy, self._places)
        return self._case.plus(
            base=self._case.base.model_copy(update={"helpers": helpers}),
            candidate_tree=tree,
            findings=(*self._notes(sorted_out), *self._moves(tree), *self._failures(tree, remaining)),
            evidence=(("restore", self._evidence(sorted_out, remaining)),),
            discarded=(*self._case.discarded, *sorted(shown(entry.path) for entry in put_back)),
        )

    def _sorted_out(self) -> Mapping[Fate, list[Entry]]:
        found: dict[Fate, list[Entry]] = defaultdict(list)
        for entry in self._entries:
            found[self._fate(entry)].append(entry)
        blocking = _in_the_way(found)
        found["in_the_way"] = [entry for entry in found["kept"] if entry.path in blocking]
        found["kept"] = [entry for entry in found["kept"] if entry.path not in blocking]
        hiding = self._hiding(found["kept"])
        found["rival"] = [entry for entry in found["kept"] if entry.path in hiding]
        found["kept"] = [entry for entry in found["kept"] if entry.path not in hiding]
        twice = self._twice(found["kept"])
        found["double"] = [entry for entry in found["kept"] if entry.path in twice]
        found["kept"] = [entry for entry in found["kept"] if entry.path not in twice]
        return found

    def _hiding(self, kept: list[Entry]) -> frozenset[bytes]:
        if not self._policy.keeps("rivals"):
            return frozenset()
        gone = frozenset(entry.path for entry in kept if entry.new_mode == 0)
        return self._rivals.among((entry.path for entry in kept if entry.old_mode == 0), gone)

    def _twice(self, kept: list[Entry]) -> frozenset[bytes]:
        if not self._policy.keeps("doubles"):
            return frozenset()
        base = {file.path: file.blob for file in self._files if file.mode in FILES}
        coming = {entry.path: entry.new_blob for entry in kept if entry.new_mode in FILES}
        staying = base.keys() - {entry.path for entry in kept}
        blobs = [blob for files in (base, coming) for path, blob in files.items() if path.endswith(SPEAKING)]
        sources = (content for _, content in self._store.blobs(blobs))
        return doubles(base.keys(), staying | coming.keys(), map(str.encode, self._places), lambda: sources)

    def _fate(self, entry: Entry) -> Fate:
        kind = self._guard.kind(entry.path)
        if kind is not None:
            return kind
        if entry.path in self._ruled:
            return "ruled"
        return "package" if self._policy.keeps("packages") and self._regroups(entry) else "kept"

    def _regroups(self, entry: Entry) -> bool:
        return (entry.new_mode == 0 and entry.path in self._links) or (
            entry.old_mode == 0 and entry.path in self._gaps
        )

    def _notes(self, sorted_out: Mapping[Fate, list[Entry]]) -> Iterator[Finding]:
        # What a rule discards was noted when it ruled.
        for fate, message in _MESSAGES.items():
            for entry in sorted_out[fate]:
                told = (self._by_its_name(entry.path) if fate == "protected" else None) or message
                if entry.old_mode == 0:
                    told = _NEW_PACKAGE if fate == "package" else told.replace(_BASES, _NEW)
                yield Finding(code=f"discarded:{fate}", level="info", message=told, path=shown(entry.path))

    def _by_its_name(self, path: bytes) -> str | None:
        """What to say of a path that nothing but its name makes measurement setup: a package of the product may be named so."""
        if matches(self._case.base.protected_paths, path):
            return None
        pattern = next((one for one in self._policy.protected.patterns if matches((one,), path)), None)
        return pattern and (
            f"is named as measurement setup is (the policy's protected pattern {pattern}); {_BASES}, even of product code"
        )

    def _moves(self, tree: str) -> Iterator[Finding]:
        before, after = (
            [file.path for file in self._store.list_tree(one)] for one in (self._case.base.tree, tree)
        )
        for place in moved_to(self._case.base, self._task, frozenset(before), frozenset(after)):
            yield Finding(code="product:moved", level="info", message=_MOVED, path=place)

    def _failures(self, tree: str, remaining: tuple[str, ...]) -> Iterator[Finding]:
        for path in remaining:
            yield Finding(
                code="tamper:remaining", level="fail", message="could not be put back to base", path=path
            )
        patch = self._case.patch
        if tree == self._case.base.tree and not self._case.refused:
            empty = patch is None or not patch.entries
            message = (
                "the submission is empty" if empty else "nothing is left of the submission after discarding"
            )
            yield Finding(code="no_patch", level="fail", message=message)

    def _evidence(self, sorted_out: Mapping[Fate, list[Entry]], remaining: tuple[str, ...]) -> Restoration:
        tests = sorted_out["test_code"]
        added = [entry for entry in tests if entry.kind == "added"]
        config = [e for e in sorted_out["kept"] if matches(self._policy.test_code.config_patterns, e.path)]
        return Restoration(
            base=self._case.base.commit or self._case.base.tree,
            discarded=_shown(entry for fate in _RECORDED for entry in sorted_out[fate]),
            remaining=remaining,
            modified=_shown(entry for entry in tests if entry.kind not in {"added", "deleted"}),
            added=_shown(added),
            deleted=_shown(entry for entry in tests if entry.kind == "deleted"),
            config_changed=_shown(config),
            added_sha256=self._digests(entry for entry in added if entry.new_mode in {REGULAR, EXECUTABLE}),
        )

    def _digests(self, entries: Iterable[Entry]) -> dict[str, str]:
        files = list(entries)
        contents = self._store.blobs(entry.new_blob for entry in files)
        return {
            shown(entry.path): hashlib.sha256(content).hexdigest()
            for entry, (_, content) in zip(files, contents, strict=True)
        }


def _in_the_way(found: Mapping[Fate, list[Entry]]) -> frozenset[bytes]:
    """Kept paths that cannot exist beside what base has at the restored paths: a file for a folder, or below a file."""
    back = {
        entry.path for fate, some in found.items() if fate != "kept" for entry in some if entry.old_mode != 0
    }
    folders = {folder for path in back for folder in folders_above(path)}
    coming = (entry.path for entry in found.get("kept", ()) if entry.new_mode != 0)
    return frozenset(path for path in coming if path in folders or not back.isdisjoint(folders_above(path)))


def _shown(entries: Iterable[Entry]) -> tuple[str, ...]:
    return tuple(sorted(shown(entry.path) for entry in entries))
