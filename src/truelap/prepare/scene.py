"""What rules may know of a submission or of a build's outputs: base, where its code is imported from, what is installed."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from truelap.policy import followed, matches
from truelap.rules import Scene
from truelap.task import import_roots, moved_roots, new_source

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from truelap.model import Base, Entry
    from truelap.policy import Policy
    from truelap.task import Task
    from truelap.world.interpreter import Interpreter


def scene(
    base: Base,
    modes: Mapping[bytes, int],
    policy: Policy,
    task: Task,
    interpreter: Interpreter | None,
    **whole: Any,
) -> Scene:
    """The scene for a base.

    Args:
        base: what it says of itself.
        modes: its paths and their modes, as they stand on disk when it is built.
        policy: in force.
        task: says where the project is imported from.
        interpreter: the project's own; None where the environment is not to be looked at.
        **whole: the scene's further fields.
    """
    protected = followed(base, policy, (*policy.protected.patterns, *base.protected_paths))
    guards = followed(base, policy, (*protected, *policy.test_code.patterns))
    roots = (f"{place}/".encode() if place else b"" for place in places(base, task, modes))
    return Scene(
        policy=policy,
        base_modes=modes,
        protected=protected,
        # What comes into a folder of tests is put back.
        import_roots=tuple(root for root in roots if not matches(guards, root + b"x.py")),
        installed=_foreign(base, interpreter) if interpreter else frozenset(),
        **whole,
    )


def places(base: Base, task: Task, paths: Iterable[bytes]) -> tuple[str, ...]:
    """Every folder of the tree that the project, its tests or its benchmarks import from."""
    return tuple(dict.fromkeys([*import_roots(task.environment, paths), *base.import_folders]))


def with_new_places(base: Base, task: Task, paths: Collection[bytes], entries: Iterable[Entry]) -> Base:
    """Base with the `src` folders that a submission brings modules of base's names to: the product may move there.

    Args:
        base: the starting tree.
        task: where it says itself what is imported from where, nothing moves.
        paths: every path of base.
        entries: of the submission.
    """
    if task.environment.python_path is not None:
        return base
    roots = import_roots(task.environment, paths)
    coming = frozenset(entry.path for entry in entries if entry.new_mode)
    found = {new_source(root, roots, paths, coming) for root in roots} - {None, *base.import_folders}
    return base.model_copy(
        update={"import_folders": (*base.import_folders, *sorted(source for source in found if source))}
    )


def moved_to(base: Base, task: Task, paths: Collection[bytes], tree: Collection[bytes]) -> tuple[str, ...]:
    """The folders that a tree is imported from and base is not.

    Args:
        base: as `with_new_places` made it.
        task: of the project.
        paths: every path of base.
        tree: every path of the tree.
    """
    roots = import_roots(task.environment, paths)
    found = moved_roots(roots, paths, tree, base.import_folders)
    return tuple(root for root in found if root not in roots)


def _foreign(base: Base, interpreter: Interpreter) -> frozenset[str]:
    own = frozenset(base.distributions)
    return frozenset(
        name
        for name, owners in interpreter.modules.items()
        if not owners or {re.sub(r"[-_.]+", "-", owner).lower() for owner in owners} - own
    )
