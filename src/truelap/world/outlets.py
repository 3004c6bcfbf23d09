"""What a program inherits from the judge: where its output goes, and its end of the channel."""

from __future__ import annotations

import socket
from typing import TYPE_CHECKING

from truelap.world.channel import Channel
from truelap.world.drain import Drain
from truelap.world.translation import TranslatingChannel

if TYPE_CHECKING:
    from truelap.world.sandbox import Step
    from truelap.world.translation import Paths


class Outlets:
    """Both, made for one step.

    Args:
        step: says whether there is a channel, and its bounds.
        paths: what is where, for a backend that has no mounts.
    """

    def __init__(self, step: Step, paths: Paths | None = None) -> None:
        self.drain = Drain(step.limits.output_bytes)
        self.channel: Channel | None = None
        self._theirs: socket.socket | None = None
        if step.channel:
            ours, self._theirs = socket.socketpair()
            bounds = {"message_bytes": step.limits.message_bytes, "messages": step.limits.messages}
            strict = "strict_json" not in step.without
            if paths is None:
                self.channel = Channel(ours, **bounds, strict=strict)
            else:
                self.channel = TranslatingChannel(ours, **bounds, strict=strict, paths=paths)

    @property
    def inherited(self) -> list[int]:
        """Descriptors for the program: of the output and, if there is one, of the channel."""
        return [self.drain.write_end, *([self._theirs.fileno()] if self._theirs else [])]

    def handed_on(self) -> None:
        """Close them here: the program has inherited them by now. May be called again."""
        self.drain.handed_on()
        if self._theirs is not None:
            self._theirs.close()
            self._theirs = None

    def close(self) -> None:
        """Close everything. Nothing writes any more."""
        self.handed_on()
        self.drain.finish()
        if self.channel is not None:
            self.channel.close()
