"""Chooses the tests, and the configuration that base's pytest reads for them."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from truelap.checks.tests.selection import ALL, Selection, choice_for, select
from truelap.errors import UsageError
from truelap.pytest_config import pick
from truelap.task import import_roots
from truelap.world.tree_links import real_files

if TYPE_CHECKING:
    from truelap.model import Case
    from truelap.policy import Policy
    from truelap.pytest_config import PytestConfig
    from truelap.task import Task
    from truelap.world import World
    from truelap.world.files import TreeOnDisk


def choose(case: Case, world: World, policy: Policy, task: Task, version: str) -> Selection:
    """The tests that run: those that the task names, all, or those that the changed paths lead to.

    Args:
        case: with its candidate tree.
        world: where its trees are.
        policy: patterns and limits.
        task: its `[tests]`.
        version: of the project's pytest.

    Raises:
        UsageError: the task file names tests that base lacks.
    """
    base = world.trees.base(case)
    if task.tests.paths:
        return _named(task.tests.paths, base)
    if task.tests.select == "all":
        return ALL
    assert case.candidate_tree is not None  # noqa: S101
    changed = [entry.path for entry in world.store.entries(case.base.tree, case.candidate_tree)]
    choice = choice_for(
        config_of(base, ("",), version),
        test_code=policy.test_code.patterns,
        compiled=policy.rebuild.compiled,
        build_files=policy.rebuild.build_files,
        fallback_folders=policy.tests.fallback_folders,
        roots=import_roots(task.environment, base.manifest),
    )
    real = {os.fsdecode(name): os.fsdecode(path) for name, path in real_files(base).items()}
    names = tuple(map(os.fsencode, real))
    return select(names, changed, choice, lambda path: (base.root / real[path]).read_bytes())


def _named(paths: tuple[str, ...], base: TreeOnDisk) -> Selection:
    clean = tuple(path.strip("/") for path in paths)
    for path in clean:
        if not (base.root / path).exists() or ".." in path.split("/"):
            raise UsageError(f"task file: tests.paths names {path}, which base does not hold")
    return Selection(strategy="paths", paths=clean)


def config_of(base: TreeOnDisk, folders: tuple[str, ...], version: str) -> PytestConfig:
    """What a version of pytest reads at base, from the first of these folders that configures it."""

    def read(path: str) -> bytes | None:
        file = (base.root / path).resolve()
        inside = file.is_relative_to(base.root.resolve())
        return file.read_bytes() if inside and file.is_file() else None

    numbers = tuple(int(part) for part in version.split(".")[:2] if part.isdigit())
    return pick(read, folders, numbers)


def folders_of(base: TreeOnDisk, paths: tuple[str, ...]) -> tuple[str, ...]:
    """The folder that all paths share and its parents, nearest first, down to the root ("")."""
    homes = [path if (base.root / path).is_dir() else path.rpartition("/")[0] for path in paths]
    parts = [home.split("/") if home else [] for home in homes]
    common: list[str] = []
    for level in zip(*parts, strict=False):
        if len(set(level)) != 1:
            break
        common.append(level[0])
    return tuple("/".join(common[:depth]) for depth in range(len(common), -1, -1))
