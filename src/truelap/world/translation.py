"""Puts real paths in place of the sandbox's where a backend has no mounts, so that the rest of truelap need not know."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from truelap.errors import StepFault
from truelap.world.channel import Channel

if TYPE_CHECKING:
    import socket
    from collections.abc import Mapping
    from pathlib import Path, PurePosixPath


class Paths:
    """Where things of a sandbox really are.

    Args:
        places: real places by the paths that the sandbox's contract gives them. Whatever lies below moves with them;
            a path to itself keeps what lies below from moving.
    """

    def __init__(self, places: Mapping[PurePosixPath, Path]) -> None:
        self._outside = _Table({str(inside): str(outside) for inside, outside in places.items()})
        self._inside = _Table({str(outside): str(inside) for inside, outside in places.items()})

    def outside(self, value: Any) -> Any:
        """Replace paths of the sandbox by real ones, in strings at any depth."""
        return self._outside.applied(value)

    def inside(self, value: Any) -> Any:
        """The reverse."""
        return self._inside.applied(value)


class _Table:
    def __init__(self, names: Mapping[str, str]) -> None:
        self._names = names
        # Longest first: one may lie in another. Whole components only: /tmp is neither in /var/tmp nor in /tmp2.
        ordered = sorted(names, key=lambda name: -len(name))
        self._moved = tuple(name for name in ordered if names[name] != name)
        self._pattern = re.compile(
            rf"(?<![\w.-])(?<![\w.]/)(?:{'|'.join(map(re.escape, ordered))})(?![\w-]|\.\w)"
        )

    def applied(self, value: Any) -> Any:
        if isinstance(value, str):
            if not any(name in value for name in self._moved):
                return value
            return self._pattern.sub(lambda found: self._names[found[0]], value)
        if isinstance(value, list | tuple):
            return [self.applied(item) for item in value]
        if isinstance(value, dict):
            return {self.applied(key): self.applied(item) for key, item in value.items()}
        return value


class TranslatingChannel(Channel):
    """A channel on which each side sees its own paths.

    Args:
        end: see `Channel`.
        message_bytes: likewise.
        messages: likewise.
        strict: likewise.
        paths: what is where.
    """

    def __init__(
        self, end: socket.socket, *, message_bytes: int, messages: int, strict: bool = True, paths: Paths
    ) -> None:
        super().__init__(end, message_bytes=message_bytes, messages=messages, strict=strict)
        self._paths = paths

    def send(self, message: Mapping[str, Any], *, timeout_s: float = 30.0) -> None:
        """See `Channel`."""
        super().send(self._paths.outside(dict(message)), timeout_s=timeout_s)

    def receive(self, timeout_s: float) -> dict[str, Any]:
        """See `Channel`."""
        received = super().receive(timeout_s)
        try:
            translated: dict[str, Any] = self._paths.inside(received)
        except RecursionError as error:
            raise StepFault("garbled", "the worker sent no valid message: nested too deeply") from error
        return translated
