"""What was measured at base, kept on disk for the next submission to the same task.

The folder is the judge's alone and no sandbox shows it: whoever could write there would decide what base computes. What is
kept stands under the digest of everything that it depends on, so nothing in it is ever out of date, and all of it can be
removed at any time.
"""

from __future__ import annotations

import hashlib
import os
import re
import secrets
import stat
import zlib
from contextlib import suppress
from functools import cached_property
from typing import TYPE_CHECKING

from truelap.errors import UsageError, WorldError

if TYPE_CHECKING:
    from pathlib import Path

_MODE = 0o700
_SEED = "seed"
_DIGEST_BYTES = 32
_OURS = re.compile(r"seed|\.[0-9a-f]{16}|[0-9a-f]{2}")
"""Names at the top of such a folder."""
_FOREIGN = stat.S_IWGRP | stat.S_IWOTH


class Keep:
    """A folder of values by key.

    Args:
        folder: made when it is not there.

    Raises:
        UsageError: it is no folder, or others than the judge may write there.
        WorldError: it cannot be made.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder.absolute()
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
        strange = sorted(path.name for path in self.folder.iterdir() if not _OURS.fullmatch(path.name))
        if strange and not (self.folder / _SEED).exists():
            raise UsageError(
                f"--keep {folder}: holds {strange[0]}, which is not truelap's; name a new or an empty folder"
            )
        self._claim(made)

    def _claim(self, made: bool) -> None:
        """Draw the seed now: where nothing can be written, the user learns it before anything has run."""
        try:
            _ = self.seed
        except WorldError:
            if made:
                with suppress(OSError):
                    self.folder.rmdir()
            raise

    @cached_property
    def seed(self) -> int:
        """Drawn once for the folder: what base did under other hash seeds says nothing about this one.

        Raises:
            WorldError: it can be neither read nor written.
        """
        path = self.folder / _SEED
        try:
            if not path.exists():
                self._write(path, str(secrets.randbits(32)).encode())
            return int(path.read_bytes())
        except OSError as error:
            raise WorldError(
                f"--keep {self.folder}: {error.strerror}; make room or name another folder"
            ) from error
        except ValueError as error:
            raise WorldError(f"--keep {self.folder}: {path.name} is damaged; remove it") from error

    def get(self, key: str) -> bytes | None:
        """The value of a key; None when it is not there or damaged: then it has to be measured."""
        try:
            content = self._place(key).read_bytes()
            digest, packed = content[:_DIGEST_BYTES], content[_DIGEST_BYTES:]
            return zlib.decompress(packed) if hashlib.sha256(packed).digest() == digest else None
        except (OSError, zlib.error):
            return None

    def put(self, key: str, value: bytes) -> None:
        """Keep a value. A full disk keeps nothing, and is no fault of the run's."""
        packed = zlib.compress(value, 1)
        try:
            self._place(key).parent.mkdir(mode=_MODE, exist_ok=True)
            self._write(self._place(key), hashlib.sha256(packed).digest() + packed)
        except OSError:
            return

    def _place(self, key: str) -> Path:
        return self.folder / key[:2] / key

    def _write(self, path: Path, content: bytes) -> None:
        """Whole or not at all, for any number of judges at a time."""
        made = path.with_name(f".{secrets.token_hex(8)}")
        try:
            made.write_bytes(content)
            made.replace(path)
        finally:
            made.unlink(missing_ok=True)
