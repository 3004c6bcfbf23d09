"""Data that base's own test code reads is test code, wherever it lies: the candidate's tests read base's bytes of it.

Which files these are is learnt where base runs. What code of the product opens as well is the product's, and stays the
candidate's; so does everything that Python or a compiler reads as code.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from truelap.checks.tests.attest_plan import file_of
from truelap.model import SYMLINK
from truelap.policy import matches
from truelap.world.files import overlaid

if TYPE_CHECKING:
    from truelap.checks.tests.sessions import Setup
    from truelap.checks.tests.sides import Side
    from truelap.world.files import TreeOnDisk

_DOCTEST = "<doctest>"
_CODE = (r"\.(py|pyi|pyc|so|pyd|pth)$",)


def read_by_tests(before: Side, base: TreeOnDisk, setup: Setup) -> tuple[bytes, ...]:
    """Files of base that only its tests read.

    Args:
        before: base's run.
        base: its tree.
        setup: what counts as test code, and what is source of a build.
    """
    rebuild = setup.policy.rebuild
    code = (*_CODE, *rebuild.compiled, *rebuild.build_files, *setup.policy.test_code.config_patterns)
    openers: dict[str, set[str]] = {}
    for session in before.sessions:
        for path, by in session.opened:
            openers.setdefault(path, set()).add(by)
    # A document that tests were collected from is test code by that alone.
    found = {file_of(name) for name in before.nodes} - openers.keys()
    found |= {path for path, by in openers.items() if all(_is_test(name, setup) for name in by)}
    # A name that is not UTF-8 is told escaped, and so names no file here.
    return tuple(
        path
        for path in sorted(name.encode("utf-8", "surrogateescape") for name in found)
        if path in base.manifest and base.manifest[path][0] != SYMLINK and not matches(code, path)
    )


def with_base_data(
    setup: Setup, base: TreeOnDisk, candidate: TreeOnDisk, paths: tuple[bytes, ...]
) -> tuple[TreeOnDisk, tuple[bytes, ...]]:
    """The candidate as its tests see it, and the paths at which that is not what was submitted.

    Raises:
        WorldError: the machine failed.
    """
    other = tuple(path for path in paths if candidate.manifest.get(path) != base.manifest[path])
    if not other:
        return candidate, ()
    return overlaid(candidate, base, other, setup.world.workspace.folder("data")), other


def _is_test(by: str, setup: Setup) -> bool:
    return by == _DOCTEST or matches(setup.guarded, by.encode("utf-8", "surrogateescape"))
