"""Which test files of base import a changed module, read from their source alone. Pure."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence


def importers(
    changed: Iterable[str], tests: Iterable[str], read: Callable[[str], bytes], roots: Sequence[str]
) -> dict[str, set[str]]:
    """The test files that name each changed module in an import, absolute or relative, wherever it stands.

    What is reached through another module, or imported by a text, is not seen. A file that is no Python imports nothing.

    Args:
        changed: paths of sources.
        tests: paths of test files.
        read: base's bytes of one.
        roots: folders of the tree that are importable, "" for its root.
    """
    wanted: dict[str, set[str]] = {}
    for path in changed:
        wanted.setdefault(_module(path), set()).add(path)
    words = [module.rpartition("/")[2].encode("utf-8", "surrogateescape") for module in wanted]
    found: dict[str, set[str]] = {path: set() for paths in wanted.values() for path in paths}
    for test in tests:
        source = read(test)
        # Most test files do not so much as hold the name.
        if not any(word in source for word in words):
            continue
        for module in _imported(source, test, roots) & wanted.keys():
            for path in wanted[module]:
                found[path].add(test)
    return found


def _module(path: str) -> str:
    """A source as a module's place: `pkg/_fast.pyx` is `pkg/_fast`, and a package is its folder."""
    folder, _, name = path.rpartition("/")
    stem = name.partition(".")[0]
    return folder if stem == "__init__" else f"{folder}/{stem}".lstrip("/")


def _imported(source: bytes, test: str, roots: Sequence[str]) -> set[str]:
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return set()
    folder = test.rpartition("/")[0].split("/") if "/" in test else []
    # pytest puts a test file's own folder on sys.path.
    homes = [*(root.split("/") if root else [] for root in roots), folder]
    return {
        "/".join([*home, *parts])
        for node in ast.walk(tree)
        if isinstance(node, ast.Import | ast.ImportFrom)
        for level, parts in _named(node)
        for home in (homes if level == 0 else _above(folder, level))
    }


def _named(node: ast.Import | ast.ImportFrom) -> Iterator[tuple[int, list[str]]]:
    """The level (0 for an absolute import) and the parts of each name that may be a module."""
    if isinstance(node, ast.Import):
        yield from ((0, alias.name.split(".")) for alias in node.names)
        return
    module = node.module.split(".") if node.module else []
    yield node.level, module
    yield from ((node.level, [*module, alias.name]) for alias in node.names)


def _above(folder: list[str], level: int) -> list[list[str]]:
    return [folder[: len(folder) - level + 1]] if level <= len(folder) + 1 else []
