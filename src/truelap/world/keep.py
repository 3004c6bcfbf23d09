"""What was measured at base, kept on disk for the next submission to the same task.

The folder is the judge's alone and no sandbox shows it: whoever could write there would decide what base computes. What is
kept stands under the digest of everything that it depends on, so nothing in it is ever out of date, and all of it can be
removed at any time.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import secrets
import stat
import time
import zlib
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from truelap.errors import UsageError, WorldError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

Kind = Literal["tests", "benchmarks", "outputs", "habits", "impact", "draws"]

MOST_BYTES = 2 << 30
"""What a folder may hold; what was used longest ago goes first."""
_MOST_VALUE = 64 << 20
"""Bytes of one value before packing; a longer one is not kept."""
_MODE = 0o700
_TAG = "CACHEDIR.TAG"
_TAG_TEXT = b"Signature: 8a477f597d28d172789f06886806bc55\n# truelap: what was measured at base.\n"
_DIGEST_BYTES = 32
_OURS = re.compile(r"CACHEDIR\.TAG|seed|\.[0-9a-f]{16}|[0-9a-f]{2}")
"""Names at the top of such a folder."""
_FOREIGN = stat.S_IWGRP | stat.S_IWOTH
_HEAD = 4096
_STALE_S = 3600.0
"""A file that another judge began to write so long ago is nobody's."""


class Entry(NamedTuple):
    """One kept value: what it is, whose task it was measured for, what it takes and when it was last used (seconds)."""

    path: Path
    kind: str
    task: str
    bytes: int
    used: float


def default_folder(environment: Mapping[str, str]) -> Path | None:
    """Where a judge keeps things when nobody names a folder, by the XDG base directories; None where there is no home.

    >>> default_folder({"XDG_CACHE_HOME": "/c", "HOME": "/h"}), default_folder({"HOME": "/h"}), default_folder({})
    (PosixPath('/c/truelap'), PosixPath('/h/.cache/truelap'), None)
    """
    cache, home = Path(environment.get("XDG_CACHE_HOME", "")), Path(environment.get("HOME", ""))
    if cache.is_absolute():
        return cache / "truelap"
    return home / ".cache" / "truelap" if home.is_absolute() else None


class Keep:
    """A folder of values by kind and key.

    Args:
        folder: made when it is not there.
        most: bytes that it may hold; what is too much is removed at once.

    Attributes:
        task: whose values are put, for whoever lists them.
        damaged: what was found damaged, in words; it is measured anew.

    Raises:
        UsageError: it is no folder, or others than the judge may write there.
        WorldError: it cannot be made.
    """

    def __init__(self, folder: Path, most: int = MOST_BYTES) -> None:
        self.folder = folder.absolute()
        self.task = ""
        self.damaged: list[str] = []
        made = not self.folder.exists()
        try:
            self.folder.mkdir(mode=_MODE, parents=True, exist_ok=True)
            about = self.folder.stat()
        except FileExistsError as error:
            raise UsageError(f"--keep {folder}: is not a folder") from error
        except OSError as error:
            raise WorldError(f"--keep {folder}: {error.strerror}") from error
        if about.st_uid != os.geteuid() or about.st_mode & _FOREIGN:
            raise UsageError(
                f"--keep {folder}: others may write there, and would decide what base computes; "
                f"name a folder of your own (chmod 700)"
            )
        names = sorted(path.name for path in self.folder.iterdir())
        strange = [name for name in names if not _OURS.fullmatch(name)]
        if strange and not {_TAG, "seed"} & {*names}:
            raise UsageError(
                f"--keep {folder}: holds {strange[0]}, which is not truelap's; name a new or an empty folder"
            )
        self._claim(made)
        self.prune(most)

    def _claim(self, made: bool) -> None:
        """Write the mark now: where nothing can be written, the user learns it before anything has run."""
        try:
            self._write(self.folder / _TAG, _TAG_TEXT)
        except OSError as error:
            if made:
                with suppress(OSError):
                    self.folder.rmdir()
            raise WorldError(
                f"--keep {self.folder}: {error.strerror}; make room or name another folder"
            ) from error

    def get(self, kind: Kind, key: str) -> bytes | None:
        """The value of a key; None when it is not there or damaged: then it has to be measured."""
        place = self._place(kind, key)
        try:
            content = place.read_bytes()
        except OSError:
            return None
        value = _unpacked(content)
        if value is None:
            self.damaged.append(f"{kind} {key[:12]}")
            return None
        with suppress(OSError):
            os.utime(place)
        return value

    def put(self, kind: Kind, key: str, value: bytes) -> None:
        """Keep a value. A full disk keeps nothing, and is no fault of the run's."""
        if len(value) > _MOST_VALUE:
            return
        head = json.dumps({"kind": kind, "task": self.task[:200]}).encode()
        body = head + b"\n" + zlib.compress(value, 1)
        place = self._place(kind, key)
        try:
            place.parent.mkdir(mode=_MODE, exist_ok=True)
            self._write(place, hashlib.sha256(body).digest() + body)
        except OSError:
            return

    def entries(self) -> tuple[Entry, ...]:
        """All that is kept, what was used longest ago first."""
        return tuple(sorted(map(_entry, self._files()), key=lambda entry: entry.used))

    def prune(self, most: int) -> tuple[int, int]:
        """Remove what was used longest ago until no more than so many bytes are left; how many values, and bytes, went."""
        if sum(map(_size, self._files())) <= most:
            self._tidy()
            return 0, 0
        found = self.entries()
        total, gone = sum(entry.bytes for entry in found), 0
        before = total
        for entry in found:
            if total <= most:
                break
            with suppress(OSError):
                entry.path.unlink()
                total, gone = total - entry.bytes, gone + 1
        self._tidy()
        return gone, before - total

    def _tidy(self) -> None:
        """Remove folders that hold nothing; another judge that puts there makes its folder anew."""
        for folder in self.folder.iterdir():
            if folder.is_dir() and _OURS.fullmatch(folder.name):
                with suppress(OSError):
                    folder.rmdir()

    def _files(self) -> Iterator[Path]:
        for folder in self.folder.iterdir():
            if folder.is_dir() and _OURS.fullmatch(folder.name):
                with suppress(FileNotFoundError):  # Another judge may have tidied it away by now.
                    yield from _settled(list(folder.iterdir()))

    def _place(self, kind: str, key: str) -> Path:
        return self.folder / key[:2] / f"{key}.{kind}"

    def _write(self, path: Path, content: bytes) -> None:
        """Whole or not at all, for any number of judges at a time."""
        made = path.with_name(f".{secrets.token_hex(8)}")
        try:
            made.write_bytes(content)
            made.replace(path)
        finally:
            made.unlink(missing_ok=True)


def _unpacked(content: bytes) -> bytes | None:
    digest, body = content[:_DIGEST_BYTES], content[_DIGEST_BYTES:]
    try:
        whole = hashlib.sha256(body).digest() == digest
        return zlib.decompress(body.partition(b"\n")[2]) if whole else None
    except zlib.error:
        return None


def _settled(paths: Iterable[Path]) -> Iterator[Path]:
    """Without what another judge is writing just now; what one left when it was killed goes."""
    for path in paths:
        with suppress(OSError):
            if not path.name.startswith("."):
                yield path
            elif time.time() - path.stat().st_mtime > _STALE_S:
                path.unlink()


def _size(path: Path) -> int:
    with suppress(OSError):
        return path.stat().st_size
    return 0


def _entry(path: Path) -> Entry:
    said: Any = {}
    with suppress(OSError, ValueError), path.open("rb") as file:
        said = json.loads(file.read(_HEAD)[_DIGEST_BYTES:].partition(b"\n")[0])
    said = said if isinstance(said, dict) else {}
    try:
        about = path.stat()
        size, used = about.st_size, about.st_mtime
    except OSError:
        size, used = 0, 0.0
    return Entry(path, str(said.get("kind", "?")), str(said.get("task", "?")), size, used)
