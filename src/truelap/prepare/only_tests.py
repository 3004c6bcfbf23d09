"""Finds single-file helpers of base that only its tests use (`pkg/_testutils.py`): they count as test code.

A module counts when it is named like a helper, some test imports it and nothing else in base so much as mentions its name:
no other source, stub, metadata or documentation. So a module that is public, loaded lazily or named in an entry point stays what it is, and a
helper with an everyday name does too. The cost is one pass over base's text, and none when no such file is changed.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from truelap.imports import imports_of, parsed
from truelap.policy import matches

if TYPE_CHECKING:
    from collections.abc import Iterable

    from truelap.policy import TestCode
    from truelap.world.git import Store
    from truelap.world.git_listing import TreeFile

_WORD = re.compile(rb"\w+")
_SPEAKING = (b".py", b".pyi", b".pyx", b".pxd", b".toml", b".cfg", b".rst", b".md", b".txt")


def only_for_tests(
    store: Store, base: Iterable[TreeFile], changed: Iterable[bytes], test_code: TestCode
) -> frozenset[bytes]:
    """Those of the changed paths that only tests use at base.

    Args:
        store: where base is.
        base: every file of base.
        changed: paths that base has and the submission edits.
        test_code: the policy's patterns.
    """
    stems = {path: _stem(path) for path in changed if _may_be_helper(path, test_code)}
    if not stems:
        return frozenset()
    speaking = [file for file in base if file.path.endswith(_SPEAKING)]
    wanted = frozenset(stems.values())
    imported: set[bytes] = set()
    mentioned: dict[bytes, set[bytes]] = {}
    contents = store.blobs(file.blob for file in speaking)
    for file, (_, content) in zip(speaking, contents, strict=True):
        words = wanted.intersection(_WORD.findall(content))
        if words and matches(test_code.patterns, file.path):
            imported |= _imported(content) & words
            continue
        for word in words:
            mentioned.setdefault(word, set()).add(file.path)
    return frozenset(
        path for path, stem in stems.items() if stem in imported and mentioned.get(stem, set()) <= {path}
    )


def _may_be_helper(path: bytes, test_code: TestCode) -> bool:
    return matches(test_code.helper_patterns, path) and not path.endswith(b"__init__.py")


def _stem(path: bytes) -> bytes:
    return path.rpartition(b"/")[2].removesuffix(b".py")


def _imported(source: bytes) -> set[bytes]:
    return {part.encode() for _, name in imports_of(parsed(source)) for part in name.split(".")}
