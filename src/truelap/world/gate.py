"""The measure gate: a semaphore over HTTP for hosts whose judges share no files. Asked by the judge alone; no sandbox has a network.

`POST /acquire?sid=...` answers, maybe after a long time, `{"acquired": true}`; `POST /release?sid=...` answers
`{"released": true}` if the lease was held until then. A gate takes a lease back after a time of its own, so one is kept
for minutes only, and what was measured under one that was gone before it was given back does not count.
"""

from __future__ import annotations

import http.client
import json
import secrets
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode, urlsplit

from truelap.errors import UsageError, WorldError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

CONNECT_S = 5.0
HOLD_S = 240.0
"""So long a lease is kept before the next one is asked for. Gates take theirs back after 900 s unless told otherwise."""

_REPLY_BYTES = 1 << 16


class GateError(WorldError):
    """The gate gives no lease, or no answer that can be relied on: nothing may be measured."""


class Gate:
    """A gate's address.

    Args:
        url: `http://host:port` or https, maybe with a path.
        token: shown with every request; None for none.

    Raises:
        UsageError: the address is none.
    """

    def __init__(self, url: str, token: str | None = None) -> None:
        try:
            parts = urlsplit(url)
            self._port = parts.port
        except ValueError as error:
            raise UsageError(f"--gate {url}: {error}") from error
        if parts.scheme not in {"http", "https"} or not parts.hostname or parts.query or parts.username:
            raise UsageError(f"--gate {url}: give an address like http://127.0.0.1:8266")
        self._connect = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
        self._host = parts.hostname
        self._path = parts.path.rstrip("/")
        self._token = token

    def acquire(self, wait_s: float) -> str:
        """A lease's name.

        Args:
            wait_s: longest wait, in seconds.

        Raises:
            GateError: there is none in that time, or no proper answer.
        """
        deadline = time.monotonic() + wait_s
        while (left := deadline - time.monotonic()) > 0:
            name = f"truelap-{secrets.token_hex(8)}"
            try:
                if self._ask("acquire", name, left).get("acquired") is True:
                    return name
            except GateError:
                # It may have granted what nobody took notice of.
                with suppress(GateError):
                    self._ask("release", name, CONNECT_S)
                raise
            # It stopped waiting before we do.
            time.sleep(min(1.0, max(0.0, deadline - time.monotonic())))
        raise GateError(
            f"the measure gate gave no lease within {wait_s:g} s, and nothing is measured without"
        )

    def release(self, name: str) -> bool:
        """Give a lease back; whether it was held until now.

        Raises:
            GateError: no proper answer.
        """
        return self._ask("release", name, CONNECT_S).get("released") is True

    def _ask(self, action: str, name: str, wait_s: float) -> Mapping[str, Any]:
        asked = {"sid": name} | ({"token": self._token} if self._token else {})
        connection = self._connect(self._host, self._port, timeout=CONNECT_S)
        try:
            connection.connect()
            connection.sock.settimeout(wait_s)
            connection.request("POST", f"{self._path}/{action}?{urlencode(asked)}")
            reply = connection.getresponse()
            body = reply.read(_REPLY_BYTES)
        except (OSError, http.client.HTTPException) as error:
            said = str(error) or type(error).__name__
            raise GateError(
                f"the measure gate does not answer ({said}), and nothing is measured without"
            ) from error
        finally:
            connection.close()
        return _read(reply.status, body)


def _read(status: int, body: bytes) -> Mapping[str, Any]:
    if status != http.HTTPStatus.OK:
        raise GateError(f"the measure gate answers with status {status}, and nothing is measured without")
    try:
        found = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise GateError("the measure gate's answer is no JSON, and nothing is measured without") from error
    if not isinstance(found, dict):
        raise GateError("the measure gate's answer is no JSON object, and nothing is measured without")
    return found


class Leases:
    """One lease after the other, with an account of them.

    Args:
        gate: gives them.
        wait_s: longest wait for one, in seconds.
        told: called before a wait.
    """

    def __init__(self, gate: Gate, wait_s: float, told: Callable[[str], None]) -> None:
        self._gate = gate
        self._wait_s = wait_s
        self._told = told
        self._name: str | None = None
        self._since = 0.0
        self._seen = self._spent = (0.0, 0.0)
        self.taken = 0
        self.overrun = 0
        self.waited_s = 0.0

    def begin(self) -> None:
        """Wait for a lease.

        Raises:
            GateError: there is none.
        """
        self._told("waiting for the measure gate")
        began = time.monotonic()
        self._name = self._gate.acquire(self._wait_s)
        self._since = time.monotonic()
        self._spent = (0.0, 0.0)
        self.waited_s += self._since - began
        self.taken += 1

    def keep(self, base_s: float, candidate_s: float) -> None:
        """Between two pieces of work: take the next lease if this one is old.

        Args:
            base_s: seconds that base has taken so far, see `_account`.
            candidate_s: likewise.

        Raises:
            GateError: the lease was lost, or there is no other.
        """
        self._account(base_s, candidate_s)
        if time.monotonic() - self._since > HOLD_S:
            self.end()
            self.begin()

    def end(self) -> None:
        """Give the lease back.

        Raises:
            GateError: it was lost before, and what was measured under it does not count.
        """
        name, self._name = self._name, None
        if name is None or self._gate.release(name):
            return
        base_s, candidate_s = self._spent
        if candidate_s > 2 * base_s + HOLD_S:
            # The candidate alone took what the lease allows: no neighbour explains that, and it must not buy an inconclusive end.
            self.overrun += 1
            return
        held = time.monotonic() - self._since
        raise GateError(
            f"the measure gate took its lease back within {held:.0f} s, while something was measured: that does not count"
        )

    def drop(self) -> None:
        """Give the lease back where nothing is made of what was measured."""
        with suppress(GateError):
            if self._name is not None:
                self._gate.release(self._name)

    def _account(self, base_s: float, candidate_s: float) -> None:
        """Add what each side took since the last time; one that took less than then has begun a new account."""
        now = (base_s, candidate_s)
        grown = (new - old if new >= old else new for new, old in zip(now, self._seen, strict=True))
        base, candidate = (sum(both) for both in zip(self._spent, grown, strict=True))
        self._seen, self._spent = now, (base, candidate)
