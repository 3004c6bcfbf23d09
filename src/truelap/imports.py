"""Reads what a source imports: by statements, by names in texts, and from folders that it puts on `sys.path`. Pure."""

from __future__ import annotations

import ast
import posixpath
import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    Nodes = tuple[ast.AST, ...]

_BY_NAME = frozenset({"import_module", "importorskip", "__import__", "run_module"})
_BY_PATH = frozenset({"run_path", "spec_from_file_location", "SourceFileLoader", "load_source"})
_TO_PATH = frozenset({"addsitedir", "syspath_prepend"})
_LONGEST = 200

BY_PATH = "|".join(sorted(_BY_PATH))
"""A regular expression for the calls that run a file by its path."""
# Most sources need not be parsed.
_MAY_ADD = re.compile(
    rb"\bsys\s*\.\s*path\b|\bfrom\s+sys\s+import\b|\bsys\s+as\b|" + "|".join(sorted(_TO_PATH)).encode()
)


class Import(NamedTuple):
    """One module that a source names. `level` counts the dots of a relative import."""

    level: int
    name: str


def imports_of(nodes: Iterable[ast.AST]) -> frozenset[Import]:
    """The modules that a parsed source imports; `from a import b` may mean the module `a.b`.

    Every text that is handed to a function that imports by name counts (`importlib.import_module("a.b")`).

    >>> sorted(imports_of(ast.walk(ast.parse("import a.b; from .c import d; __import__('e')"))))
    [Import(level=0, name='a.b'), Import(level=0, name='e'), Import(level=1, name='c'), Import(level=1, name='c.d')]
    """
    nodes = tuple(nodes)
    found = set()
    for node in nodes:
        if isinstance(node, ast.Import):
            found |= {Import(0, alias.name) for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            module = node.module or ""
            names = (f"{module}.{alias.name}".lstrip(".") for alias in node.names)
            found |= {Import(node.level, name) for name in (module, *names) if name}
    for call in _calls(nodes, _BY_NAME):
        for text in _texts(ast.walk(call)):
            name = text.lstrip(".")
            if all(part.isidentifier() for part in name.split(".")):
                found.add(Import(len(text) - len(name), name))
    return frozenset(found)


def parsed(source: bytes) -> Nodes:
    """The nodes of a source; none of one that does not parse."""
    try:
        return tuple(ast.walk(ast.parse(source)))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ()


def files_run(path: str, nodes: Nodes, paths: Collection[str], folders: Collection[str]) -> frozenset[str]:
    """Modules of a tree that a source runs by their paths (`runpy.run_path`): those that its texts name.

    Args:
        path: of the source.
        nodes: of the source.
        paths: every path of the tree.
        folders: every folder of the tree.
    """
    if not any(_calls(nodes, _BY_PATH)):
        return frozenset()
    texts = {text for text in _texts(nodes) if text.endswith(".py")}
    starts = folders_named(path, nodes, folders)
    named = {posixpath.normpath(posixpath.join(start, text)) for start in starts for text in texts}
    return frozenset(named.intersection(paths)) - {path}


def folders_added(path: str, source: bytes, folders: Collection[str]) -> frozenset[str]:
    """Folders of a tree that a source may put on `sys.path`, "" for the root: those above it, and what its texts name.

    Args:
        path: of the source.
        source: its content.
        folders: every folder of the tree.
    """
    if not _MAY_ADD.search(source):
        return frozenset()
    nodes = parsed(source)
    names = {alias.asname or alias.name for alias in _aliases(nodes) if alias.name == "sys"}
    attributes = (node for node in nodes if isinstance(node, ast.Attribute) and node.attr == "path")
    speaks = any(isinstance(node.value, ast.Name) and node.value.id in names for node in attributes)
    taken = any(
        isinstance(node, ast.ImportFrom)
        and node.module == "sys"
        and "path" in {alias.name for alias in node.names}
        for node in nodes
    )
    return (
        folders_named(path, nodes, folders)
        if speaks or taken or any(_calls(nodes, _TO_PATH))
        else frozenset()
    )


def folders_named(path: str, nodes: Nodes, folders: Collection[str]) -> frozenset[str]:
    """The folders above a source, and those that its texts name from there, one after another (`join(here, "a", "b")`)."""
    texts = {text for text in _texts(nodes) if 0 < len(text) < _LONGEST and not text.startswith("/")}
    found = {"", *above(path)}
    waiting = [*found]
    while waiting:
        start = waiting.pop()
        named = {posixpath.normpath(posixpath.join(start, text)) for text in texts}
        new = named.intersection(folders) - found
        found |= new
        waiting += new
    return frozenset(found)


def above(path: str) -> Iterator[str]:
    """Every folder that a path lies in, nearest first, without the root."""
    while path := posixpath.dirname(path):
        yield path


def _calls(nodes: Nodes, names: frozenset[str]) -> Iterator[ast.Call]:
    names |= {alias.asname for alias in _aliases(nodes) if alias.asname and alias.name in names}
    for node in nodes:
        if isinstance(node, ast.Call):
            called = getattr(node.func, "attr", getattr(node.func, "id", None))
            if called in names:
                yield node


def _aliases(nodes: Iterable[ast.AST]) -> Iterator[ast.alias]:
    return (node for node in nodes if isinstance(node, ast.alias))


def _texts(nodes: Iterable[ast.AST]) -> Iterator[str]:
    constants = (node.value for node in nodes if isinstance(node, ast.Constant))
    return (value for value in constants if isinstance(value, str))
