"""Running trusted programs of the host (git, an interpreter): one place, with a time limit and a size limit."""

from __future__ import annotations

import contextlib
import os
import selectors
import signal
import subprocess
import time
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING

from truelap.errors import WorldError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

_CHUNK = 1 << 16


@dataclass(frozen=True)
class Completed:
    """How a program ended. `code` is negative when a signal ended it."""

    code: int
    stdout: bytes
    stderr: bytes

    @property
    def complaint(self) -> str:
        """The last line on stderr that says something, as text."""
        lines = [line for line in self.stderr.decode("utf-8", "replace").splitlines() if line.strip()]
        return lines[-1].strip() if lines else f"exit status {self.code}"


def run(
    argv: Sequence[str | bytes | Path],
    *,
    env: Mapping[str, str],
    cwd: Path | None = None,
    stdin: bytes = b"",
    timeout_s: float = 60.0,
    output_bytes: int = 1 << 28,
) -> Completed:
    """Run a program in its own session to its end.

    Args:
        argv: the program and its arguments.
        env: the whole environment.
        cwd: working folder.
        stdin: what it reads.
        timeout_s: wall seconds; then it and its session are killed.
        output_bytes: bound of stdout and of stderr.

    Raises:
        WorldError: it cannot be started, is late, or writes more than `output_bytes`.
    """
    name = os.fsdecode(argv[0])
    with _started(argv, env, cwd, name) as process:
        try:
            found = _exchange(process, stdin, time.monotonic() + timeout_s, output_bytes)
            code = process.wait(timeout=timeout_s)
        except (TimeoutError, subprocess.TimeoutExpired) as error:
            raise WorldError(f"{name} did not end within {timeout_s:g} s") from error
        except OverflowError as error:
            raise WorldError(f"{name} wrote more than {output_bytes} bytes") from error
        finally:
            _end(process)
    return Completed(code, found[0], found[1])


def _started(
    argv: Sequence[str | bytes | Path], env: Mapping[str, str], cwd: Path | None, name: str
) -> subprocess.Popen[bytes]:
    pipe = subprocess.PIPE
    try:
        return subprocess.Popen(
            argv, env=dict(env), cwd=cwd, stdin=pipe, stdout=pipe, stderr=pipe, start_new_session=True
        )
    except OSError as error:
        raise WorldError(f"{name} cannot be started: {error.strerror}") from error


def _end(process: subprocess.Popen[bytes]) -> None:
    """Kill the session of a program that has not ended. One that has been waited for no longer owns its number."""
    if process.returncode is None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def _exchange(
    process: subprocess.Popen[bytes], stdin: bytes, deadline: float, limit: int
) -> tuple[bytes, bytes]:
    """Feed stdin and collect both outputs without ever blocking on one of them."""
    if process.stdin is None or process.stdout is None or process.stderr is None:
        raise AssertionError("the pipes are always asked for")
    out, err = process.stdout.fileno(), process.stderr.fileno()
    buffers = {out: bytearray(), err: bytearray()}
    left = memoryview(stdin)
    os.set_blocking(process.stdin.fileno(), False)
    with selectors.DefaultSelector() as selector:
        selector.register(out, selectors.EVENT_READ)
        selector.register(err, selectors.EVENT_READ)
        selector.register(process.stdin, selectors.EVENT_WRITE)
        while selector.get_map():
            ready = selector.select(max(0.0, deadline - time.monotonic()))
            if not ready:
                raise TimeoutError
            for key, _ in ready:
                if key.fd in buffers:
                    _collect(selector, key.fd, buffers[key.fd], limit)
                else:
                    left = _feed(selector, process.stdin, left)
    return bytes(buffers[out]), bytes(buffers[err])


def _feed(selector: selectors.BaseSelector, pipe: IO[bytes], left: memoryview) -> memoryview:
    try:
        left = left[os.write(pipe.fileno(), left[:_CHUNK]) :] if left else left
    except BlockingIOError:
        return left
    except BrokenPipeError:  # it does not want more: its business
        left = left[:0]
    if not left:
        selector.unregister(pipe)
        pipe.close()
    return left


def _collect(selector: selectors.BaseSelector, pipe: int, buffer: bytearray, limit: int) -> None:
    chunk = os.read(pipe, _CHUNK)
    if not chunk:
        selector.unregister(pipe)
    buffer += chunk
    if len(buffer) > limit:
        raise OverflowError
