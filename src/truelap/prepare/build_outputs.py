"""Which files of the candidate's build are kept: they pass the rules for a diff, and what measures stays base's."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from truelap.model import Entry, Finding, shown
from truelap.policy import matches
from truelap.rules import Change, Scene, examine, load_rules

if TYPE_CHECKING:
    from collections.abc import Mapping

    from truelap.policy import Policy
    from truelap.rules import Rules, Ruling
    from truelap.world.harvest import Product

_NOT_FOR_BUILDS = {"compiled_files", "size"}
_BASES_OWN_STAYS = {"startup_files"}


class Outputs(NamedTuple):
    """What goes into the built candidate, and what is said about the rest."""

    kept: tuple[Product, ...]
    findings: tuple[Finding, ...]


class Judging(NamedTuple):
    """What decides: the rules in force, the base as built, the patterns of what measures, and what base's build made."""

    rules: Rules
    scene: Scene
    guarded: tuple[str, ...]
    by_base: Mapping[bytes, Product]
    content_limit: int


def judging(
    policy: Policy, scene: Scene, guarded: tuple[str, ...], by_base: Mapping[bytes, Product]
) -> Judging:
    """The rules that hold for a build's outputs: all in force but those on compiled files and on sizes."""
    rules = tuple((name, judge) for name, judge in load_rules(policy) if name not in _NOT_FOR_BUILDS)
    return Judging(rules, scene, guarded, by_base, policy.refuse.max_file_bytes)


def judge_outputs(made: tuple[Product, ...], judging: Judging) -> Outputs:
    """Judge each file. Base's own products in tests and measurement setup are the candidate's too, made by it or not."""
    kept = [twin for path, twin in judging.by_base.items() if matches(judging.guarded, path)]
    findings: list[Finding] = []
    for product in made:
        twin = judging.by_base.get(product.path)
        if matches(judging.guarded, product.path):
            reason = None if twin else "the candidate's build adds to the tests or the measurement setup"
        elif twin is not None and (twin.sha256, twin.mode) == (product.sha256, product.mode):
            kept.append(product)
            continue
        else:
            chosen, reason = _by_rules(product, twin, judging)
            kept += [chosen] if chosen else []
        findings += [_finding(product, reason)] if reason else []
    return Outputs(tuple(kept), tuple(findings))


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


def _finding(product: Product, message: str) -> Finding:
    return Finding(code="tamper:build_outputs", level="fail", message=message, path=shown(product.path))
