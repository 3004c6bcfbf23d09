"""Makes hostile working trees and result folders from a recipe. What is planted is never run here: git is ours, and hardened."""

from __future__ import annotations

import os
import shutil
import zlib
from typing import TYPE_CHECKING

from truelap.errors import WorldError
from truelap.world.git_process import Git

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from truelap.redteam.attack import Planted, Submission

_PERSON = {
    f"GIT_{who}_{what}": value
    for who in ("AUTHOR", "COMMITTER")
    for what, value in (("NAME", "redteam"), ("EMAIL", "redteam@example.org"), ("DATE", "1700000000 +0000"))
}


def working_tree(project: Path, into: Path, submission: Submission, words: Mapping[str, str]) -> str:
    """Copy the sample, commit it, and plant things in it.

    Args:
        project: the sample.
        into: a folder that does not exist yet.
        submission: what to plant, in order.
        words: what `@NAME@` stands for in texts; `BASE` is added.

    Returns:
        Id of the first commit: base.
    """
    shutil.copytree(project, into)
    plant(into, submission.start, words)
    git = _git(into)
    for argv in (("init", "--quiet", "--template=", "-b", "main"), ("add", "-A"), ("commit", "-qm", "base")):
        git.run(*argv)
    base = git.text("rev-parse", "HEAD")
    plant(into, submission.plant, {**words, "BASE": base})
    return base


def plant(folder: Path, recipe: Iterable[Planted], words: Mapping[str, str]) -> None:
    """Do each step of a recipe to a folder."""
    for step in recipe:
        _plant(folder, step, words)


def filled(text: str, words: Mapping[str, str]) -> str:
    """A text with each `@NAME@` replaced."""
    for name, value in words.items():
        text = text.replace(f"@{name}@", value)
    return text


def _git(folder: Path) -> Git:
    return Git(folder / ".git", {"GIT_WORK_TREE": str(folder), **_PERSON}, folder)


def _plant(folder: Path, step: Planted, words: Mapping[str, str]) -> None:
    path, text = folder / filled(step.path, words), filled(step.text, words)
    if step.do == "git":
        _git(folder).run(*(filled(word, words) for word in step.argv), stdin=text.encode())
    elif step.do in {"forge", "forget"}:
        _tamper_with_store(folder, step, text.encode())
    elif step.do == "move":
        (folder / text).parent.mkdir(parents=True, exist_ok=True)
        path.rename(folder / text)
    else:
        path.parent.mkdir(parents=True, exist_ok=True)
        _WAYS[step.do](path, text, step.mode)


def _write(path: Path, text: str, mode: int) -> None:
    path.unlink(missing_ok=True)
    path.write_text(text, "utf-8")
    path.chmod(mode)


def _append(path: Path, text: str, _mode: int) -> None:
    path.write_text(path.read_text("utf-8") + text, "utf-8")


def _rewrite(path: Path, text: str, _mode: int) -> None:
    facts = path.stat()
    path.write_text(text, "utf-8")
    os.utime(path, ns=(facts.st_atime_ns, facts.st_mtime_ns))


def _link(path: Path, text: str, _mode: int) -> None:
    path.unlink(missing_ok=True)
    path.symlink_to(text)


def _remove(path: Path, _text: str, _mode: int) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink()


_WAYS = {
    "write": _write,
    "append": _append,
    "rewrite": _rewrite,
    "link": _link,
    "remove": _remove,
}


def _tamper_with_store(folder: Path, step: Planted, content: bytes) -> None:
    loose = _loose(folder, step.path)
    if step.do == "forget":
        loose.unlink()
        return
    loose.chmod(0o644)
    loose.write_bytes(zlib.compress(b"blob %d\0%s" % (len(content), content)))


def _loose(folder: Path, path: str) -> Path:
    """Where the repository stores a file of base."""
    blob = _git(folder).text("rev-parse", f"HEAD:{path}")
    loose = folder / ".git" / "objects" / blob[:2] / blob[2:]
    if not loose.is_file():
        raise WorldError(f"{loose}: there is no such loose object")
    return loose
