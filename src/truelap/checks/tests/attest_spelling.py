"""Literals that stand otherwise in the file than in memory: over several lines, with escapes, in parts, or around fields. Pure."""

from __future__ import annotations

import ast
from itertools import chain, islice
from typing import TYPE_CHECKING

from truelap.checks.tests.attest_rewrite import parse

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_TRIES = 16


def respelt(written: str, old: str | bytes, new: str | bytes) -> str:
    r"""How the source of a literal must be changed so that it means `new`, a letter of which differs; as it is where that cannot be.

    >>> print(respelt(r"'one\n' 'two'", "one\ntwo", "one\ntwx"))
    'one\n' 'twx'
    """
    for trial in _trials(written, _plain(old), _plain(new)):
        found = _parsed(trial)
        if isinstance(found, ast.Constant) and found.value == new:
            return trial
    return written


def refilled(written: str, other: Callable[[str], str]) -> str:
    """The source of an f-string with other texts between its fields, where they can be found in it.

    >>> refilled("f'{size} items'", lambda text: text.replace("t", "x"))
    "f'{size} ixems'"
    """
    tree = _parsed(written)
    for part in tree.values if isinstance(tree, ast.JoinedStr) else ():
        if isinstance(part, ast.Constant) and isinstance(part.value, str):
            old, part.value = part.value, other(part.value)
            trials = _trials(written, old, part.value)
            found = next((trial for trial in trials if _means(trial, tree)), None)
            if found is None:
                part.value = old
            written = found or written
    return written


def _means(written: str, tree: ast.expr | None) -> bool:
    found = _parsed(written)
    return found is not None and tree is not None and ast.dump(found) == ast.dump(tree)


def _plain(value: str | bytes) -> str:
    return value if isinstance(value, str) else value.decode("latin-1")


def _parsed(written: str) -> ast.expr | None:
    try:
        statement = parse(f"({written})".encode(), "").body[0]
    except (SyntaxError, ValueError):
        return None
    return statement.value if isinstance(statement, ast.Expr) else None


def _trials(written: str, old: str, new: str) -> Iterator[str]:
    """The source with the letter that differs replaced, wherever the word stands that it is in."""
    place = next((at for at, (one, two) in enumerate(zip(old, new, strict=False)) if one != two), None)
    if place is None:
        return
    start, end = place, place + 1
    while start and old[start - 1].isalnum():
        start -= 1
    while end < len(old) and old[end].isalnum():
        end += 1
    # A word that the source breaks in two is found by its letter alone.
    words = ((at + place - start for at in _found(written, old[start:end])), _found(written, old[place]))
    for letter in islice(chain(*words), _TRIES):
        yield written[:letter] + new[place] + written[letter + 1 :]


def _found(written: str, word: str) -> Iterator[int]:
    at = written.find(word)
    while at >= 0:
        yield at
        at = written.find(word, at + 1)
