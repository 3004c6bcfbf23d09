"""Reading a folder that others wrote: regular files only, no link followed, bounded sizes, JSON without tricks."""

from __future__ import annotations

import json
import math
import os
import stat
from typing import TYPE_CHECKING, Any, Self, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from truelap.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

_MAX_BYTES = 256 * 1024 * 1024
_MAX_JSON_BYTES = 64 * 1024 * 1024
TOP, INNER = "", "artifacts/"
_DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK  # a pipe must not hold us up


class BrokenError(Exception):
    """A file is there and cannot be believed: a link, too large, not JSON, a wrong type."""


class Lenient(BaseModel):
    """Base of others' formats: unknown keys are theirs, known ones have exactly their types."""

    model_config = ConfigDict(frozen=True, extra="ignore", strict=True, allow_inf_nan=False)


Read = TypeVar("Read", bound=BaseModel)


class Folder:
    """An open folder. A file is looked for at the top, then in its `artifacts` folder (as Harbor mounts it).

    Raises:
        UsageError: it is not a folder, or cannot be read.
    """

    def __init__(self, root: Path) -> None:
        self.name = root.resolve().name
        self._places: tuple[str, ...] = (TOP, INNER)
        try:
            self._fd = os.open(root, _DIRECTORY)
        except OSError as error:
            raise UsageError(f"{root}: {error.strerror}; name a folder of artifacts") from error

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._fd)

    def keep_to(self, *places: str) -> None:
        """From now on look for files in these places only, so that no file of another result makes up for a missing one."""
        self._places = places

    def holds(self, name: str, *places: str) -> bool:
        """Whether there is anything of that name in these places, readable or not."""
        try:
            return self._found(name, places) is not None
        except BrokenError:
            return True

    def read(self, name: str) -> bytes | None:
        """A file's bytes, None when there is no such file.

        Raises:
            BrokenError: there is something of that name that is not a regular file of sensible size.
        """
        return self._found(name, self._places)

    def text(self, name: str) -> str | None:
        """A file's text without white space around it."""
        content = self.read(name)
        return None if content is None else content.decode("utf-8", "replace").strip()

    def json(self, name: str, model: type[Read]) -> Read | None:
        """A JSON file as a model, None when there is no such file.

        Raises:
            BrokenError: not JSON, a number that is not finite, a key twice, a wrong type.
        """
        content = self.read(name)
        if content is None:
            return None
        try:
            if len(content) > _MAX_JSON_BYTES:
                raise BrokenError(f"{name}: more than {_MAX_JSON_BYTES} bytes")
            check_json(content)
            return model.model_validate_json(content)
        except ValidationError as error:
            first = error.errors()[0]
            place = ".".join(str(part) for part in first["loc"])
            raise BrokenError(f"{name}: {place}: {first['msg']}") from error
        except (ValueError, RecursionError) as error:
            raise BrokenError(f"{name}: {error}") from error

    def names(self, start: str, end: str) -> tuple[str, ...]:
        """File names at the top or in `artifacts` that start and end so."""
        found: set[str] = set()
        for place in self._places:
            try:
                inner = os.open(place.rstrip("/") or ".", _DIRECTORY | os.O_NOFOLLOW, dir_fd=self._fd)
            except OSError:
                continue
            found |= set(os.listdir(inner))  # noqa: PTH208 - by descriptor, which pathlib cannot
            os.close(inner)
        return tuple(sorted(name for name in found if name.startswith(start) and name.endswith(end)))

    def _found(self, name: str, places: Sequence[str]) -> bytes | None:
        for place in places:
            path = f"{place}{name}"
            try:
                return self._read(path.split("/"))
            except (FileNotFoundError, NotADirectoryError):
                continue
            except OSError as error:
                raise BrokenError(f"{path}: {error.strerror}") from error
        return None

    def _read(self, parts: Sequence[str]) -> bytes:
        at = os.dup(self._fd)
        try:
            for part in parts[:-1]:
                inner = os.open(part, _DIRECTORY | os.O_NOFOLLOW, dir_fd=at)
                os.close(at)
                at = inner
            with os.fdopen(os.open(parts[-1], _FILE, dir_fd=at), "rb") as file:
                found = os.fstat(file.fileno())
                if not stat.S_ISREG(found.st_mode) or found.st_size > _MAX_BYTES:
                    raise BrokenError(f"{'/'.join(parts)}: not a regular file of at most {_MAX_BYTES} bytes")
                return file.read(_MAX_BYTES)
        finally:
            os.close(at)


def check_json(content: bytes) -> Any:
    """The value of strict JSON.

    Raises:
        ValueError: not UTF-8, not JSON, NaN or infinite, or an object with a key twice.
    """
    return json.loads(
        content.decode("utf-8"), parse_constant=_not_finite, parse_float=_finite, object_pairs_hook=_unique
    )


def _not_finite(text: str) -> Any:
    raise ValueError(f"{text} is not a number of JSON")


def _finite(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(f"{text} is too large")
    return value


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("an object holds a key twice")
    return found
