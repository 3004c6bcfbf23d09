"""Which files of the candidate's build are kept: they pass the rules for a diff, and what measures stays base's."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from truelap.model import FILES, Entry, Finding, shown
from truelap.prepare.doubles import SPEAKING, doubles
from truelap.prepare.rivals import folders_above, hidden_by
from truelap.rules import Change, Scene, examine, load_rules

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping

    from truelap.policy import Policy
    from truelap.prepare.guard import Guard
    from truelap.prepare.left_out import LeftOut
    from truelap.prepare.rivals import Rivals
    from truelap.rules import Rules, Ruling
    from truelap.world.files import Manifest
    from truelap.world.git import Store
    from truelap.world.harvest import Product

_INIT = re.compile(rb"(^|/)__init__\.[^/]+\Z")
_NOT_FOR_BUILDS = {"compiled_files", "size"}
_DOUBLE = (
    "the candidate's build makes a module whose name stays at another place to import from:"
    " tests and benchmarks could read different ones"
)
_BASES_OWN_STAYS = {"startup_files"}
_COPIES = "named like tests or measurement setup, in a folder that only the build makes; left out"
_OTHER_VERSION = "metadata of another version than base's build makes; base's is kept"


class Outputs(NamedTuple):
    """What goes into the built candidate, what is held against it, and what is noted of the rest."""

    kept: tuple[Product, ...]
    findings: tuple[Finding, ...] = ()
    notes: tuple[Finding, ...] = ()


class Judging(NamedTuple):
    """What decides.

    Attributes:
        rules: those in force for a build's outputs.
        scene: base as built.
        guard: says what measures.
        hiding: what would be imported in place of it, or from elsewhere; of any paths that base does not have.
        left_out: what is neither kept nor held against anybody.
        twice: what has the name of a module that the candidate has at another import place.
        by_base: what base's build made.
        standing: what the candidate has before its build.
        content_limit: bytes of a file that rules look at.
    """

    rules: Rules
    scene: Scene
    guard: Guard
    hiding: Callable[[bytes], bool]
    left_out: LeftOut
    twice: frozenset[bytes]
    by_base: Mapping[bytes, Product]
    standing: Collection[bytes]
    content_limit: int


def judging(
    policy: Policy,
    scene: Scene,
    guard: Guard,
    rivals: Rivals,
    *,
    left_out: LeftOut,
    twice: frozenset[bytes],
    by_base: Mapping[bytes, Product],
    standing: Collection[bytes],
) -> Judging:
    """The rules that hold for a build's outputs: all in force but those on compiled files and on sizes."""
    rules = tuple((name, judge) for name, judge in load_rules(policy) if name not in _NOT_FOR_BUILDS)
    _, gaps = rivals.package_files()

    def hiding(path: bytes) -> bool:
        closes = _INIT.search(path) is not None and not gaps.isdisjoint(hidden_by(path))
        is_rival = policy.keeps("rivals") and bool(rivals.among([path]))
        return is_rival or (closes and policy.keeps("packages"))

    limit = policy.refuse.max_file_bytes
    return Judging(rules, scene, guard, hiding, left_out, twice, by_base, standing, limit)


def judge_outputs(made: tuple[Product, ...], judging: Judging) -> Outputs:
    """Judge each file. Base's own products in tests and measurement setup are the candidate's too, made by it or not."""
    kept = [twin for path, twin in judging.by_base.items() if judging.guard.holds(path)]
    findings: list[Finding] = []
    notes: dict[Finding, None] = {}
    for product in made:
        twin = judging.by_base.get(product.path)
        if twin is None and (note := _left_out(product.path, judging)):
            kept += judging.left_out.other_version(product.path)
            notes[note] = None
            continue
        if judging.guard.holds(product.path):
            reason = None if twin else "the candidate's build adds to the tests or the measurement setup"
        elif twin is not None and (twin.sha256, twin.mode) == (product.sha256, product.mode):
            kept.append(product)
            continue
        elif twin is None and judging.hiding(product.path):
            reason = "the candidate's build makes what would be imported in place of a file of base that is put back"
        elif product.path in judging.twice:
            reason = _DOUBLE
        else:
            chosen, reason = _by_rules(product, twin, judging)
            kept += [chosen] if chosen else []
        findings += [_finding(product.path, reason)] if reason else []
    return Outputs(tuple(kept), (*findings, *_in_the_way(kept, judging.standing)), tuple(notes))


def _left_out(path: bytes, judging: Judging) -> Finding | None:
    """A note on what base's build does not make, and the candidate's may; such files in one folder have one together."""
    if not judging.guard.holds(path):
        return _note(path, _OTHER_VERSION) if judging.left_out.other_version(path) else None
    folder = judging.left_out.own_folder(path)
    return _note(folder, _COPIES) if folder else None


def doubled(
    base: Manifest,
    candidate: Manifest,
    made: Iterable[Product],
    *,
    places: Iterable[str],
    sources: Callable[[], Iterable[bytes]],
) -> frozenset[bytes]:
    """Files of a build that bring a module to a place while its name stays at another, see `doubles`.

    Args:
        base: as built.
        candidate: before its build.
        made: what its build leaves.
        places: folders to import from, "" for the root, first one first.
        sources: contents that may import something.
    """
    before, after = (
        {path for path, (mode, _, _) in one.items() if mode in FILES} for one in (base, candidate)
    )
    after |= {product.path for product in made}
    return doubles(before, after, map(str.encode, places), sources)


def read_sources(store: Store, tree: str) -> Iterator[bytes]:
    """Contents of the files of a tree that may import something."""
    speaking = (file.blob for file in store.list_tree(tree) if file.path.endswith(SPEAKING))
    yield from (content for _, content in store.blobs(speaking))


def _in_the_way(kept: Iterable[Product], standing: Collection[bytes]) -> Iterator[Finding]:
    """Files where a folder must be: of what stands, what base's build makes and what the candidate's makes, not all can be."""
    there = {*standing, *(product.path for product in kept)}
    below = {folder: path for path in sorted(there, reverse=True) for folder in folders_above(path)}
    for path in sorted(there & below.keys()):
        yield _finding(path, f"a file stands where there must be a folder with {shown(below[path])}")


def _by_rules(product: Product, twin: Product | None, judging: Judging) -> tuple[Product | None, str | None]:
    old_mode, old_blob = (twin.mode, twin.sha256) if twin else (0, "")
    entry = Entry(
        path=product.path,
        old_mode=old_mode,
        new_mode=product.mode,
        old_blob=old_blob,
        new_blob=product.sha256,
    )
    change = Change(entry, product.content(judging.content_limit))
    found: dict[str, Ruling] = {
        rule: ruling for rule, _, ruling in examine([change], judging.scene, judging.rules)
    }
    for rule, ruling in found.items():
        if ruling.action == "refuse":
            return None, f"the candidate's build makes what no submission may bring ({rule}): {ruling.reason}"
    return (twin if twin and _BASES_OWN_STAYS & found.keys() else product), None


def _note(path: bytes, message: str) -> Finding:
    return Finding(code="rebuild:left_out", level="info", message=message, path=shown(path))


def _finding(path: bytes, message: str) -> Finding:
    return Finding(code="tamper:build_outputs", level="fail", message=message, path=shown(path))
