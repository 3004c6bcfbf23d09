"""Runs git on a directory of ours and on nothing else: no user, system or tree configuration, hooks, filters or network.

Refused: the caller's environment, and every setting that a repository or an attribute file could bring.
"""

from __future__ import annotations

import re
import resource
import shutil
import subprocess
from contextlib import contextmanager, suppress
from functools import lru_cache
from tempfile import TemporaryFile
from threading import Timer
from types import MappingProxyType
from typing import IO, TYPE_CHECKING, NamedTuple

from truelap.errors import WorldError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

_TIMEOUT_S = 900.0
_BOUNDED_S = 300.0
_NO_MEMORY = re.compile(rb"[Oo]ut of memory")
MEMORY_BYTES = 2 << 30
"""What git may take where it reads what a submission's author wrote: many times what the largest admitted one needs."""
_FULL = re.compile(rb"No space left on device|Out of diskspace|Disk quota exceeded")
_LITTLE_ROOM = 256 << 20
_ENVIRONMENT = MappingProxyType(
    {
        "GIT_ATTR_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": "/dev/null",
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_NO_REPLACE_OBJECTS": "1",
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_TERMINAL_PROMPT": "0",
        "HOME": "/nonexistent",
        "LC_ALL": "C",
        "PATH": "/usr/bin:/bin",
    }
)
_SETTINGS = (
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "core.attributesFile=/dev/null",
    "core.excludesFile=/dev/null",
    "safe.bareRepository=explicit",
    "protocol.allow=never",
    # Nothing of ours is ever checked out by git, so names that are odd on other systems may be stored: the rules judge them.
    "core.protectHFS=false",
    "core.protectNTFS=false",
    # Files beside the objects that claim to know better than the objects.
    "core.commitGraph=false",
    "core.multiPackIndex=false",
    "pack.useBitmaps=false",
    # The store is thrown away, so neither upkeep nor durability nor size is worth time.
    "gc.auto=0",
    "core.fsync=none",
    "core.looseCompression=0",
    "pack.compression=0",
)


class GitError(WorldError):
    """A git command ended with an error; `reason` is what git said, in one line."""

    def __init__(self, command: str, reason: str) -> None:
        super().__init__(f"git {command}: {reason}")
        self.reason = reason


class GitLimitError(GitError):
    """Git took more memory or time than it may where it reads what a submission's author wrote."""


class Pipes(NamedTuple):
    """Both ends of a running git command."""

    stdin: IO[bytes]
    stdout: IO[bytes]


@lru_cache(maxsize=1)
def git_binary() -> str:
    """Absolute path of git, found on truelap's own PATH.

    Raises:
        WorldError: there is none.
    """
    found = shutil.which("git")
    if found is None:
        raise WorldError("git is not installed, or not on PATH; truelap needs git 2.30 or newer")
    return found


class Git:
    """One git directory, and the only way that truelap runs git.

    Args:
        git_dir: a directory that only truelap writes.
        env: more variables; they win over the fixed ones.
        cwd: where git runs; the git directory itself unless a private work tree is meant.
        memory: bytes of data that a command may hold, and with it a shorter time; None for no bound.
    """

    def __init__(
        self,
        git_dir: Path,
        env: Mapping[str, str] | None = None,
        cwd: Path | None = None,
        memory: int | None = None,
    ) -> None:
        self.git_dir = git_dir
        self._env = {**_ENVIRONMENT, "GIT_DIR": str(git_dir), **(env or {})}
        self._cwd = cwd or git_dir
        self._memory = memory
        self._within_s = _TIMEOUT_S if memory is None else _BOUNDED_S

    def having(self, *, cwd: Path | None = None, **env: str) -> Git:
        """The same directory with more variables."""
        return Git(self.git_dir, {**self._env, **env}, cwd or self._cwd, self._memory)

    def bounded(self, memory: int = MEMORY_BYTES) -> Git:
        """The same, for reading what a submission's author wrote: it ends with an error rather than take all memory."""
        return Git(self.git_dir, self._env, self._cwd, memory)

    def run(
        self,
        *argv: str,
        stdin: bytes | IO[bytes] = b"",
        accept: tuple[int, ...] = (0,),
        warnings: bool = True,
    ) -> bytes:
        """Run one command to its end and return its output.

        Args:
            argv: the command, without `git`.
            stdin: what it reads.
            accept: exit statuses that are no error.
            warnings: whether it may warn; False makes an error of every warning.

        Raises:
            GitError: an exit status outside `accept`, or no end within 15 minutes (`GitLimitError` and 5, where it is bounded).
        """
        given = stdin if isinstance(stdin, bytes) else None
        source = subprocess.PIPE if isinstance(stdin, bytes) else stdin
        with self._start(argv, source, subprocess.PIPE) as process:
            try:
                said, stderr = process.communicate(given, self._within_s)
            except subprocess.TimeoutExpired as error:
                kind = GitError if self._memory is None else GitLimitError
                raise kind(argv[0], f"no answer within {self._within_s:.0f} s") from error
        if process.returncode not in accept or (stderr and not warnings):
            raise self._failure(argv[0], stderr, f"exit status {process.returncode}")
        return said

    def text(self, *argv: str, stdin: bytes = b"") -> str:
        """Run a command whose output is one short line of ASCII."""
        return self.run(*argv, stdin=stdin).decode("ascii", "replace").strip()

    @contextmanager
    def talk(self, *argv: str, within_s: float = _TIMEOUT_S) -> Iterator[Pipes]:
        """Run a command that is written to and read from in turn; it must end well once its input is closed.

        Args:
            argv: the command, without `git`.
            within_s: seconds until it is ended, whatever it is doing.

        Raises:
            GitError: it ended with an error.
        """
        with TemporaryFile() as said:
            try:
                with self._start(argv, subprocess.PIPE, said) as process:
                    timer = Timer(within_s, process.kill)
                    timer.start()
                    try:
                        # Both pipes are there: `_start` was asked for them.
                        yield Pipes(process.stdin, process.stdout)  # type: ignore[arg-type]
                        process.communicate(timeout=_TIMEOUT_S)
                    finally:
                        timer.cancel()
            except (BrokenPipeError, subprocess.TimeoutExpired) as error:
                raise self._failure(argv[0], _all(said), "ended early") from error
            if process.returncode != 0:
                raise self._failure(argv[0], _all(said), f"exit status {process.returncode}")

    @contextmanager
    def _start(
        self, argv: tuple[str, ...], stdin: int | IO[bytes], stderr: int | IO[bytes]
    ) -> Iterator[subprocess.Popen[bytes]]:
        with subprocess.Popen(
            self._argv(argv),
            stdin=stdin,
            stdout=subprocess.PIPE,
            stderr=stderr,
            env=self._env,
            cwd=self._cwd,
        ) as process:
            if self._memory is not None:
                # It may have ended by now.
                with suppress(ProcessLookupError):
                    resource.prlimit(process.pid, resource.RLIMIT_DATA, (self._memory, self._memory))
            try:
                yield process
            finally:
                process.kill()
                if process.stdin is not None:
                    # What was not sent any more must not hide why.
                    with suppress(BrokenPipeError):
                        process.stdin.close()

    def _failure(self, command: str, stderr: bytes, otherwise: str) -> WorldError:
        """What went wrong; a full disk is no `GitError`: it must never look like the fault of a submission.

        The words alone do not count, since a path of the submission may hold them.
        """
        if _FULL.search(stderr) and shutil.disk_usage(self.git_dir).free < _LITTLE_ROOM:
            return WorldError(
                f"git {command}: No space left on device under {self.git_dir}; make room or name another folder with --work"
            )
        short = self._memory is not None and _NO_MEMORY.search(stderr)
        return (GitLimitError if short else GitError)(command, _one_line(stderr) or otherwise)

    def _argv(self, argv: tuple[str, ...]) -> list[str]:
        settings = [part for setting in _SETTINGS for part in ("-c", setting)]
        return [git_binary(), *settings, *argv]


def _all(stream: IO[bytes]) -> bytes:
    stream.seek(0)
    return stream.read()


def _one_line(stderr: bytes) -> str:
    lines = stderr.decode("utf-8", "backslashreplace").split("\n")
    said = [line.strip() for line in lines if line.strip() and not line.startswith(("hint:", "warning:"))]
    return "; ".join(said[:3])[:400]
