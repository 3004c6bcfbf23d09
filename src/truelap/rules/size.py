"""A submission of enormous size makes a parser give up, a log be cut or a disk run full, and the fault looks like ours.

The same goes for one enormous file, for a path longer than a file system can hold or nested deeper than anybody walks, and for
a small diff that unpacks to an enormous tree.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from truelap.rules import Ruling, is_file

if TYPE_CHECKING:
    from truelap.rules import Change, Scene

_LONGEST_NAME = 255  # bytes in one component: what Linux file systems hold
_DEEPEST = 100  # folders above a file; every walk of ours goes deeper


def judge(change: Change, scene: Scene) -> Ruling | None:
    """Refuse what exceeds the policy's limits; the submission as a whole is refused once."""
    limits = scene.policy.refuse
    if scene.files > limits.max_files:
        return Ruling("refuse", f"{scene.files} files; the limit is {limits.max_files}", whole=True)
    if scene.diff_bytes > limits.max_diff_bytes:
        return Ruling(
            "refuse", f"a diff of {scene.diff_bytes} bytes; the limit is {limits.max_diff_bytes}", whole=True
        )
    if scene.unpacked_bytes > limits.max_unpacked_bytes:
        return Ruling(
            "refuse", f"changed files of more than {limits.max_unpacked_bytes} bytes together", whole=True
        )
    if _too_large(change):
        return Ruling("refuse", f"a file of more than {limits.max_file_bytes} bytes")
    if change.path in scene.base_modes:
        return None
    return _of_path(change, limits.max_path_bytes)


def _too_large(change: Change) -> bool:
    has_blob = change.entry.new_blob.strip("0") != ""
    return is_file(change) and has_blob and change.content is None and not change.keeps_content


def _of_path(change: Change, limit: int) -> Ruling | None:
    if len(change.path) > limit or any(len(part) > _LONGEST_NAME for part in change.parts):
        return Ruling("refuse", f"a path of more than {limit} bytes, or a name of more than {_LONGEST_NAME}")
    if len(change.parts) - 1 > _DEEPEST:
        return Ruling("refuse", f"a path below more than {_DEEPEST} folders")
    return None
