"""Workloads that are plain scripts, as GSO and SWE-fficiency have them: `setup` makes the input, `run` is what is timed. Pure."""

from __future__ import annotations

import ast
import fnmatch
import posixpath
import re
import warnings
from typing import TYPE_CHECKING, Literal

from truelap.errors import UsageError
from truelap.splice import Swap, read_text, splice

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from truelap.splice import Text

CALLED = ("run", "workload", "experiment")
"""What the function that is timed may be called; the first that a script has. `probes/bench_script.py` has the same."""

Style = Literal["asv", "scripts", "pytest"]
"""How a suite is written: asv's, plain scripts, tests of pytest-benchmark."""

_CLOCK = "timeit"
_BREAK = re.compile(r"\r\n|\r|\n")
_Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


def find_scripts(named: Iterable[str], paths: Iterable[bytes], key: str = "scripts") -> tuple[str, ...]:
    """The scripts, or files of tests, that a task file names, by path.

    Args:
        named: patterns as a shell has them, relative to the tree's root; `*` stands for slashes as well.
        paths: every path of base.
        key: of the task file, for errors.

    Raises:
        UsageError: one names no such file of base.

    >>> find_scripts(["work/*.py"], [b"work/a.py", b"work/data.txt", b"lib/b.py"])
    ('work/a.py',)
    """
    scripts = [path.decode() for path in paths if path.endswith(b".py") and _is_text(path)]
    found: set[str] = set()
    for pattern in named:
        here = fnmatch.filter(scripts, posixpath.normpath(pattern))
        if not here:
            raise UsageError(
                f"benchmarks.{key}: {pattern!r} names no file of base; give paths of `.py` files, relative to the tree's root"
            )
        found.update(here)
    return tuple(sorted(found))


def unclocked(source: bytes) -> bytes | None:
    r"""A script without what it measures itself: its own statements that use `timeit`, and those that use what these make.

    Such scripts do so whenever they are imported. Every other line stays where it was.

    Returns:
        None when there is nothing to leave out, or it cannot be left out: then the script runs as it is.

    >>> unclocked(b"import timeit\ntook = timeit.repeat(len)\nprint(max(took))\n")
    b'import timeit\npass\npass\n'
    """
    try:
        text = read_text(source)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(source)
            changed = text.encoded(splice(text.text, (), _without(text, _measuring(tree))))
            ast.parse(changed)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    return None if changed == source else changed


def _without(text: Text, left_out: Iterable[ast.stmt]) -> Iterator[Swap]:
    for node in left_out:
        start = text.offset(node.lineno, node.col_offset)
        end = text.offset(node.end_lineno or node.lineno, node.end_col_offset or 0)
        yield Swap(start, end, "pass" + "".join(_BREAK.findall(text.text[start:end])))


def _measuring(tree: ast.Module) -> Iterator[ast.stmt]:
    """The script's own statements that name what measures, or what such a statement makes."""
    measuring: set[str] = set()
    for node in tree.body:
        if isinstance(node, ast.Import | ast.ImportFrom):
            from_clock = isinstance(node, ast.ImportFrom) and node.module == _CLOCK
            aliases = [alias for alias in node.names if from_clock or alias.name == _CLOCK]
            measuring |= {alias.asname or alias.name for alias in aliases}
        elif not isinstance(node, _Definition) and _names(node, ast.Load) & measuring:
            measuring |= _names(node, ast.Store)
            yield node


def _names(node: ast.AST, use: type[ast.expr_context]) -> set[str]:
    return {part.id for part in ast.walk(node) if isinstance(part, ast.Name) and isinstance(part.ctx, use)}


def _is_text(path: bytes) -> bool:
    try:
        path.decode()
    except UnicodeDecodeError:
        return False
    return True
