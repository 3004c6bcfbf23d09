"""The judge's hand on one live worker: what is asked of it, and what the kernel says it cost."""

from __future__ import annotations

import secrets
import time
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from truelap.errors import StepFault
from truelap.workers.cases import read_benchmarks
from truelap.workers.origins import read_origins
from truelap.workers.parameters import Values, read_values
from truelap.world.clock import SandboxClock, Waiting

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from truelap.workers.cases import Benchmark
    from truelap.world.sandbox import Session

OWN_CHANGED = 86
"""Exit status of a case's process whose program is no longer what it was; see `probes/run_benchmarks.py`."""

_MOST = 1 << 63
"""No number that a worker tells is larger."""

START_S = 60.0
"""For what costs no work of the tree: the interpreter's start, and the end of a forked child."""

Failure = Literal["failed", "skipped", "late", "lost"]


class Undelivered(Exception):  # noqa: N818 - what it means depends on the side it happened on
    """A worker did not do what it was asked.

    Attributes:
        kind: "failed" and "skipped" leave the worker usable; after "late" and "lost" it must be started anew.
    """

    def __init__(self, kind: Failure, reason: str) -> None:
        super().__init__(reason)
        self.kind = kind
        self.reason = reason


@dataclass(frozen=True)
class Sample:
    """What a number of calls cost, read by the judge around them: CPU of the whole sandbox, and wall.

    `queued_ns` is how long processes of the sandbox stood ready without a core meanwhile, all together. `claimed_ns` is what the
    worker's own clock says: a claim.
    """

    calls: int
    cpu_ns: int
    wall_ns: int
    queued_ns: int = 0
    claimed_ns: int = 0

    @property
    def elapsed_ns(self) -> int:
        """Computing and waiting, without standing in line: not less than what was computed, however many stood there."""
        return max(self.cpu_ns, self.wall_ns - self.queued_ns)

    @property
    def stood_ns(self) -> int:
        """Wall time that this leaves out. Less than what was queued where several processes were, or one stood behind another."""
        return max(0, self.wall_ns - self.elapsed_ns)


class Worker:
    """One sandbox that times benchmarks. It is stopped whenever it is not its turn.

    Args:
        session: the running step; its program has just been started.
        without: defences that the policy switches off.
    """

    def __init__(self, session: Session, without: frozenset[str] = frozenset()) -> None:
        self._without = without
        self._session = session
        self._clock = SandboxClock(session.pids)
        self.in_case = False
        self._slept_at_ns: int | None = None
        self.usable = True
        self.values: Values = ()
        """The parameters of the open case's benchmark, as the worker says."""
        self.elsewhere: str | None = None
        """Modules that the tree has but that were imported from the environment, as the worker says."""
        self.loaded: dict[str, str] = {}
        """Modules of the tree and their files, likewise."""
        self.stray_ns = 0
        self.asleep_ns = 0
        self.queued_ns = 0
        self.awake_s = 0.0
        """Seconds of wall time that were its own turn."""

    def start(self, order: Mapping[str, Any]) -> None:
        """Shake hands: the first word comes before anything of the tree can be imported.

        Raises:
            Undelivered: as from every method here.
        """
        self.receive("hello", START_S)
        self.ask({"type": "start", **order}, "started", START_S)

    def load(self, module: str, limit_s: float) -> str | None:
        """Import a module of the suite; the reason when it cannot be imported."""
        reply = self.ask({"type": "load", "module": module}, "loaded", limit_s)
        self.elsewhere = _text(reply.get("elsewhere") or None)
        try:
            self.loaded |= read_origins(reply.get("modules"))
        except ValueError as error:
            raise self.lost("garbled", str(error)) from error
        return _text(reply.get("error"))

    def discover(self, module: str, limit_s: float) -> tuple[tuple[Benchmark, ...], str | None]:
        """Import a module of the suite and describe its benchmarks; the reason when it cannot be imported."""
        reply = self.ask({"type": "discover", "module": module}, "found", limit_s)
        try:
            return read_benchmarks(reply), _text(reply.get("error"))
        except ValueError as error:
            raise self.lost("garbled", str(error)) from error

    def open(self, order: Mapping[str, Any], limit_s: float) -> int:
        """Fork a process for one case and run its setup.

        Returns:
            The benchmark's own `number` of calls for each setup; 0 when it leaves that to the judge.
        """
        self.stray_ns = self.asleep_ns = self.queued_ns = 0
        self.in_case = True
        reply = self.ask(order, "ready", limit_s)
        try:
            self.values = read_values(reply.get("values"))
        except ValueError as error:
            raise self.lost("garbled", str(error)) from error
        return self._prepared(reply)

    def redo(self, limit_s: float) -> int:
        """Teardown and setup again, in the same process; the wall nanoseconds that took."""
        wall = time.monotonic_ns()
        self._prepared(self.ask({"type": "redo"}, "ready", limit_s))
        return time.monotonic_ns() - wall

    def run(self, calls: int, limit_s: float, *, empty: bool = False) -> Sample:
        """Time a number of calls from outside.

        The answer must repeat a word that did not exist before it was asked, so none can lie ready.

        Args:
            calls: how many; none shakes the worker's heap.
            limit_s: longest wait.
            empty: call a function that does nothing in place of the benchmark's.
        """
        token = secrets.token_hex(8)
        queued = self._clock.queued_ns()
        before, waiting = self._clock.read_ns(), Waiting()
        self._send({"type": "run", "calls": calls, "token": token, "empty": empty})
        waiting.asked()
        reply = self.receive("done", limit_s)
        wall_ns = waiting.elapsed_ns()
        self._clock.settle()
        cpu_ns = self._clock.read_ns() - before
        queued = self._clock.queued_ns() - queued
        if reply.get("token") != token:
            raise self.lost("garbled", "an answer to nothing that was asked")
        claimed_ns = self._whole(reply.get("claimed_ns"), "a time that is none")
        if "outside_clock" in self._without:
            cpu_ns = wall_ns = claimed_ns
        return Sample(calls, cpu_ns, wall_ns, queued, claimed_ns)

    def trial(self, calls: int, limit_s: float) -> int:
        """Nanoseconds that a number of calls last: computing or waiting, but not standing in line for a core.

        A short call on a crowded machine is all standing in line; taken for its own, that would make samples of one call.
        """
        return self.run(calls, limit_s).elapsed_ns

    def close(self, limit_s: float) -> None:
        """Teardown, and the end of the case's process."""
        self._send({"type": "close"})
        status = self._ended(limit_s)
        if status == OWN_CHANGED << 8:
            raise Undelivered("failed", "functions of the judge's own program in the worker were replaced")
        if status != 0:
            raise Undelivered("failed", f"its teardown failed (wait status {status})")

    def pids(self) -> tuple[int, ...]:
        """Its sandbox's processes, as the judge sees them now."""
        return tuple(self._session.pids())

    def cpu_ns(self) -> int:
        """CPU of the whole sandbox so far; only differences mean anything."""
        self._clock.refresh()
        return self._clock.read_ns()

    @contextmanager
    def awake(self) -> Iterator[None]:
        """The worker's own turn, for what is not timed."""
        began = time.monotonic()
        self._session.resume()
        try:
            yield
        finally:
            self.awake_s += time.monotonic() - began
            self.rest()

    @contextmanager
    def turn(self, limit_s: float) -> Iterator[list[Sample]]:
        """The worker's own turn in a measured block; samples put into the list are its own, the rest is stray."""
        before = self.cpu_ns()
        if self._slept_at_ns is not None:
            self.asleep_ns += before - self._slept_at_ns
        samples: list[Sample] = []
        with self.awake():
            # The first word after a stop finds cold caches; it is not a sample.
            self.run(0, limit_s)
            yield samples
            self.queued_ns += sum(sample.queued_ns for sample in samples)
        after = self._slept_at_ns or 0
        self.stray_ns += after - before - sum(sample.cpu_ns for sample in samples)

    def rest(self) -> None:
        """Stop every process of the sandbox; from here on its CPU clock must stand still."""
        if not self.usable or "pause" in self._without:
            return
        try:
            self._session.pause()
        except StepFault as fault:
            raise self.lost("closed", str(fault)) from fault
        self._slept_at_ns = self.cpu_ns()

    def _prepared(self, reply: Mapping[str, Any]) -> int:
        return self._whole(reply.get("number"), "a number of calls that is none")

    def _whole(self, value: Any, otherwise: str) -> int:
        if not isinstance(value, int) or not 0 <= value < _MOST:
            raise self.lost("garbled", otherwise)
        return value

    def ask(self, message: Mapping[str, Any], wanted: str, limit_s: float) -> dict[str, Any]:
        """Send a message, and receive the answer, of this type."""
        self._send(message)
        return self.receive(wanted, limit_s)

    def _send(self, message: Mapping[str, Any]) -> None:
        try:
            self._session.channel.send(message)
        except StepFault as fault:
            raise self.lost(fault.code, str(fault)) from fault

    def receive(self, wanted: str, limit_s: float) -> dict[str, Any]:
        """The next message, of this type."""
        reply = self._next(limit_s)
        kind = reply.get("type")
        if kind == wanted:
            return reply
        if kind == "ended" and self.in_case:
            self.in_case = False
            raise Undelivered("failed", f"its process ended (wait status {reply.get('status')!s:.20})")
        if kind == "skipped" and self.in_case:
            self._ended(limit_s)
            raise Undelivered("skipped", "it says NotImplementedError")
        if kind == "failed" and self.in_case:
            self._ended(limit_s)
            raise Undelivered("failed", _text(reply.get("error")) or "no reason given")
        raise self.lost("garbled", "an answer of another kind than asked for")

    def _ended(self, limit_s: float) -> int:
        reply = self._next(max(limit_s, START_S))
        self.in_case = False
        if reply.get("type") != "ended":
            raise self.lost("garbled", "more words after the last")
        return self._whole(reply.get("status"), "a wait status that is none")

    def _next(self, limit_s: float) -> dict[str, Any]:
        try:
            return self._session.channel.receive(limit_s)
        except StepFault as fault:
            raise self.lost(fault.code, str(fault)) from fault

    def lost(self, code: str, reason: str) -> Undelivered:
        """Give the worker up; what to raise."""
        self.usable = False
        self.in_case = False
        return Undelivered("late" if code == "late" else "lost", reason)


def _text(value: Any) -> str | None:
    return None if value is None else " ".join(str(value).split())[:300]
