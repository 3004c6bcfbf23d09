"""The result folder: whole files or none, verdict.json last; nobody's link is followed, no older result is left to be mistaken."""

from __future__ import annotations

import errno
import os
import secrets
import stat
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Self

from truelap.errors import UsageError, WorldError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

VERDICT = "verdict.json"
RESULTS = (VERDICT, "reward.json", "reward.txt", "reward-details.json")
"""What a trainer or grader may take for the answer."""

RESULT_FILES = (
    *RESULTS,
    "ctrf.json",
    "patch.diff",
    "patch_info.json",
    "set_aside.json",
    "agent_tree.txt",
    "tree_diff_refused.txt",
    "protected_restore.json",
    "test_edits.json",
    "rebuild.log",
    "tests.json",
    "timing.json",
    "outputs.json",
    "report.html",
    "report.txt",
    "events.jsonl",
    "formulacode/lsv/lsv_results.json",
    "formulacode/test_results.json",
    "formulacode/reward.json",
    "formulacode/test_timings.json",
    "formulacode/setup_status.json",
)
"""Every name that a run may write: what an earlier run left under one of them goes before a new run starts."""

_DIARY = "events.jsonl"
_EVERYDAY = ("patch.diff", "report.html", "report.txt")
"""Result names that a folder of the user's own may hold. A run writes its diary before any of them."""

_TEMPORARY = ".truelap-"
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_NEW_FILE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


class Output:
    """An open result folder. All work goes through its descriptor, so a folder swapped meanwhile changes nothing.

    Args:
        folder: made when it is not there; a link, or a link below it under a result's name, is refused.
        without: defences that the policy switches off.

    Raises:
        UsageError: the folder cannot be used.
    """

    def __init__(self, folder: Path, without: frozenset[str] = frozenset()) -> None:
        self._shown, self._without = folder, without
        self._made = [part for part in (folder, *folder.parents) if not os.path.lexists(part)]
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._fd = os.open(folder, _FOLDER)
        except OSError as error:
            raise UsageError(_unusable(folder, error)) from error
        try:
            self._refuse_strangers()
            if "plain_output" not in without:
                self._refuse_links()
        except BaseException:
            self.close()
            raise

    def clear(self) -> None:
        """Remove what earlier runs left, verdict.json first.

        Raises:
            WorldError: something cannot be removed.
        """
        if "clean_output" in self._without:
            return
        try:
            self._remove((*RESULT_FILES, *self._unfinished()))
        except OSError as error:
            raise WorldError(
                f"--out {self._shown}: cannot remove an older result: {error.strerror}"
            ) from error

    def write(self, files: Mapping[str, bytes]) -> None:
        """Write all files, or none.

        Raises:
            WorldError: the disk is full or the folder cannot be written; nothing of this run is left in it.
        """
        if "atomic_output" in self._without:
            for name, content in files.items():
                (self._shown / name).write_bytes(content)
            return
        names = sorted(files, key=lambda name: (name == VERDICT, name))
        waiting: dict[str, str] = {}
        try:
            for name in names:
                waiting[name] = self._write_aside(files[name])
            for name in names:
                self._put(waiting[name], name)
            os.fsync(self._fd)
        except OSError as error:
            self._abandon(names)
            raise WorldError(
                f"--out {self._shown}: {error.strerror}; no result was written, make room or name another folder"
            ) from error
        except BaseException:
            self._abandon(names)
            raise

    def close(self) -> None:
        """Close the folder; one that was made for nothing goes again."""
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1
            with suppress(OSError):
                for folder in self._made:
                    folder.rmdir()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _refuse_strangers(self) -> None:
        """What is removed and overwritten here must be an earlier run's, not the user's own."""
        there = set(os.listdir(self._fd))  # noqa: PTH208 - by its descriptor
        own = there.intersection(_EVERYDAY) if _DIARY not in there else set()
        strange = sorted(name for name in own if self._is_plain(name))
        if strange:
            raise UsageError(
                f"--out {self._shown}: {strange[0]} is there and no run of truelap wrote it; name another folder"
            )

    def _is_plain(self, name: str) -> bool:
        return stat.S_ISREG(os.stat(name, dir_fd=self._fd, follow_symlinks=False).st_mode)

    def _refuse_links(self) -> None:
        for name in RESULT_FILES:
            with self._folder_of(name, make=False) as (folder, file):
                if folder is not None and not _is_free(file, folder):
                    raise UsageError(
                        f"--out {self._shown}: {name} is there and is not a regular file; remove it or name another folder"
                    )

    @contextmanager
    def _folder_of(self, name: str, *, make: bool) -> Iterator[tuple[int | None, str]]:
        """Descriptor of the folder that a file lies in (None: it is not there), and the file's own name."""
        *folders, file = name.split("/")
        opened = [self._fd]
        try:
            for folder in folders:
                if make:
                    with suppress(FileExistsError):
                        os.mkdir(folder, dir_fd=opened[-1])
                opened.append(os.open(folder, _FOLDER, dir_fd=opened[-1]))
        except FileNotFoundError:
            yield None, file
        except OSError as error:
            raise UsageError(_unusable(self._shown / name, error)) from error
        else:
            yield opened[-1], file
        finally:
            for fd in opened[1:]:
                os.close(fd)

    def _put(self, waiting: str, name: str) -> None:
        with self._folder_of(name, make=True) as (folder, file):
            os.rename(waiting, file, src_dir_fd=self._fd, dst_dir_fd=folder)

    def _write_aside(self, content: bytes) -> str:
        name = f"{_TEMPORARY}{secrets.token_hex(8)}"
        fd = os.open(name, _NEW_FILE, 0o644, dir_fd=self._fd)
        try:
            view = memoryview(content)
            while view:
                view = view[os.write(fd, view) :]
            os.fsync(fd)
        finally:
            os.close(fd)
        return name

    def _abandon(self, names: Iterable[str]) -> None:
        with suppress(OSError):
            self._remove((VERDICT, *names))
            self._remove(self._unfinished())

    def _unfinished(self) -> list[str]:
        names = os.listdir(self._fd)  # noqa: PTH208 - by descriptor, which pathlib cannot
        return [name for name in names if name.startswith(_TEMPORARY)]

    def _remove(self, names: Iterable[str]) -> None:
        for name in names:
            with self._folder_of(name, make=False) as (folder, file), suppress(FileNotFoundError):
                if folder is not None:
                    os.unlink(file, dir_fd=folder)


def _is_free(name: str, folder: int) -> bool:
    try:
        return stat.S_ISREG(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode)
    except FileNotFoundError:
        return True


def _unusable(folder: Path, error: OSError) -> str:
    if error.errno in {errno.ELOOP, errno.ENOTDIR, errno.EEXIST}:
        return f"--out {folder}: is a link or not a folder; name a folder itself"
    return f"--out {folder}: {error.strerror}; name a folder that can be written"


def write_file(path: Path, content: bytes) -> None:
    """Write one file whole or not at all. What stands there, a link too, is replaced and not followed.

    Raises:
        UsageError: its folder is not there or cannot be written.
        WorldError: the disk is full.
    """
    waiting = path.with_name(f"{_TEMPORARY}{secrets.token_hex(8)}")
    try:
        fd = os.open(waiting, _NEW_FILE, 0o644)
    except OSError as error:
        raise UsageError(
            f"--out {path}: {error.strerror}; name a file in a folder that can be written"
        ) from error
    try:
        with os.fdopen(fd, "wb") as stream:
            stream.write(content)
            stream.flush()
            os.fsync(fd)
        waiting.replace(path)
    except OSError as error:
        raise WorldError(f"--out {path}: {error.strerror}; nothing was written") from error
    finally:
        waiting.unlink(missing_ok=True)
