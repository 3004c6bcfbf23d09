"""What collect passes over, said once for each kind. Pure."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from truelap.model import Finding, shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from truelap.model import Base
    from truelap.world.worktree import Seen

_SOME = 5
_COMMIT_ID = re.compile("[0-9a-fA-F]{4,40}")


def of_base_alone(base: Base) -> tuple[Finding, ...]:
    """Submodules and carried build outputs: base's own, whatever became of them. And a name of base that may not be its own."""
    submodules = (path for path, _ in base.gitlinks)
    return (
        *_movable(base),
        *_notes("submodule", "its content is not part of base, and edits in it do not count", submodules),
        *_note("build_output", "build outputs are base's own; only a rebuild changes them", base.carried),
    )


def _movable(base: Base) -> tuple[Finding, ...]:
    if base.commit is None or _COMMIT_ID.fullmatch(base.given):
        return ()
    message = (
        f"base was named {base.given!r}, a name that whoever owns the repository can point elsewhere;"
        f" it is commit {base.commit} now; if the submission's author can do that, name this id with --base"
    )
    return (Finding(code="base:movable", level="info", message=message),)


def passed_over(seen: Seen) -> tuple[Finding, ...]:
    """What lies in a working tree and is no edit."""
    ignored = (
        "new files are no part of the submission: base's .gitignore names them and so does the tree's own, or they are"
        " Python's caches"
    )
    tools = (
        "new folders are no part of the submission, and nothing in them is used: an environment, the cache of a tool,"
        " or what a build or an installation left"
    )
    return (
        *_notes("special_file", "a socket, pipe or device: counts as absent", seen.special),
        *_note("ignored", ignored, seen.left_out),
        *_note("environment", tools, seen.of_tools),
    )


def of_results(folders: Iterable[bytes]) -> tuple[Finding, ...]:
    """Folders of the judge's own in a working tree."""
    return _notes("results", "truelap writes here in this run: no part of the submission", folders)


def set_aside(base: Base, seen: Seen | None = None) -> dict[str, tuple[bytes, ...]]:
    """All that of which the notes name only some, by the reason."""
    ignored, tools = (seen.left_out, seen.of_tools) if seen else ((), ())
    found = {"ignored": ignored, "environment": tools, "build_output": base.carried}
    return {reason: tuple(paths) for reason, paths in found.items() if paths}


def _note(reason: str, message: str, paths: Sequence[bytes]) -> tuple[Finding, ...]:
    some = ", ".join(shown(path) for path in paths[:_SOME])
    if (hidden := len(paths) - _SOME) > 0:
        some += f" and {hidden} more"
    text = f"{len(paths)} {message} ({some})"
    return (Finding(code=f"discarded:{reason}", level="info", message=text),) if paths else ()


def _notes(reason: str, message: str, paths: Iterable[bytes]) -> tuple[Finding, ...]:
    return tuple(
        Finding(code=f"discarded:{reason}", level="info", message=message, path=shown(path)) for path in paths
    )
