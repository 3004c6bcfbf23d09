"""The judge's end of the one descriptor that a sandboxed program inherits: length-prefixed JSON, nothing else.

A frame is a 4-byte big-endian length and that many bytes of UTF-8 JSON holding one object. Everything received is a
claim of hostile code: sizes, depth, numbers and keys are bounded before anything is believed.
"""

from __future__ import annotations

import json
import select
import struct
import time
from typing import TYPE_CHECKING, Any

from truelap.errors import StepFault

if TYPE_CHECKING:
    import socket
    from collections.abc import Mapping

_HEADER = struct.Struct(">I")
_CHUNK = 1 << 16

DEEPEST = 300
"""Levels of nesting in a message: more than what any probe encodes, and few enough for whatever walks it."""

_LONGEST_S = 1e6
"""The kernel takes no longer time to wait."""


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key stands twice")
    return found


def parse_object(body: bytes, *, strict: bool = True) -> dict[str, Any]:
    """Read one JSON object strictly: UTF-8, no NaN or Infinity, no duplicate keys, at most `DEEPEST` levels.

    Args:
        body: the bytes.
        strict: False reads whatever Python's reader takes (the defence `strict_json` is off).

    Raises:
        ValueError: anything else.
    """
    if not strict:
        return dict(json.loads(body))
    try:
        value = json.loads(body.decode("utf-8"), parse_constant=_no_constant, object_pairs_hook=_unique)
    except RecursionError as error:
        raise ValueError("nested too deeply") from error
    if not isinstance(value, dict):
        raise ValueError("not an object")
    if body.count(b"[") + body.count(b"{") > DEEPEST and _is_too_deep(value):
        raise ValueError("nested too deeply")
    return value


def _is_too_deep(value: Any) -> bool:
    level = [value]
    for _ in range(DEEPEST):
        inner = (one.values() if isinstance(one, dict) else one for one in level)
        level = [part for parts in inner for part in parts if isinstance(part, dict | list)]
        if not level:
            return False
    return True


class Channel:
    """Frames over a connected stream socket, with a size limit per message and a limit on their number.

    Args:
        end: the judge's socket; the channel owns and closes it.
        message_bytes: longest message accepted.
        messages: how many messages are accepted in all.
        strict: see `parse_object`.
    """

    def __init__(self, end: socket.socket, *, message_bytes: int, messages: int, strict: bool = True) -> None:
        self._end = end
        self._strict = strict
        self._message_bytes = message_bytes
        self._messages_left = messages
        self._buffer = bytearray()
        end.setblocking(False)

    def send(self, message: Mapping[str, Any], *, timeout_s: float = 30.0) -> None:
        """Send one message.

        Raises:
            StepFault: "closed" when the other end is gone, "late" when it does not read for `timeout_s`.
        """
        body = json.dumps(message, allow_nan=False, ensure_ascii=True).encode()
        view = memoryview(_HEADER.pack(len(body)) + body)
        deadline = time.monotonic() + timeout_s
        while view:
            self._wait(deadline, write=True)
            try:
                view = view[self._end.send(view) :]
            except BlockingIOError:
                continue
            except OSError as error:
                raise StepFault("closed", f"the worker closed its channel: {error.strerror}") from error

    def receive(self, timeout_s: float) -> dict[str, Any]:
        """The next message.

        Raises:
            StepFault: "late" after `timeout_s`, "closed" at the end of the stream, "oversized" over a limit,
                "garbled" for anything that is not one strict JSON object.
        """
        deadline = time.monotonic() + timeout_s
        if self._messages_left <= 0:
            raise StepFault("oversized", "the worker sent more messages than the policy allows")
        (length,) = _HEADER.unpack(self._take(_HEADER.size, deadline))
        if length > self._message_bytes:
            raise StepFault("oversized", f"the worker announced a message of {length} bytes")
        body = self._take(length, deadline)
        self._messages_left -= 1
        try:
            return parse_object(body, strict=self._strict)
        except ValueError as error:
            raise StepFault("garbled", f"the worker sent no valid message: {error}") from error

    def close(self) -> None:
        """Close the judge's end."""
        self._end.close()

    def _take(self, count: int, deadline: float) -> bytes:
        while len(self._buffer) < count:
            self._wait(deadline, write=False)
            try:
                chunk = self._end.recv(_CHUNK)
            except BlockingIOError:
                continue
            except OSError as error:
                raise StepFault("closed", f"the worker closed its channel: {error.strerror}") from error
            if not chunk:
                raise StepFault("closed", "the worker closed its channel before it had finished")
            self._buffer += chunk
        taken = bytes(self._buffer[:count])
        del self._buffer[:count]
        return taken

    def _wait(self, deadline: float, *, write: bool) -> None:
        left = deadline - time.monotonic()
        ready = select.poll()
        ready.register(self._end, select.POLLOUT if write else select.POLLIN)
        if left <= 0 or not ready.poll(min(left, _LONGEST_S) * 1000):
            raise StepFault("late", "the worker did not answer in time")
