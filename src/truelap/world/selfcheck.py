"""Asks a backend what it really gives here: runs the escape probe in a real sandbox and reads its report line by line."""

from __future__ import annotations

import os
import secrets
import socket
import tempfile
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from truelap.errors import StepFault, WorldError
from truelap.policy import Limits
from truelap.world import procfs
from truelap.world.sandbox import MOUNT, PROBES, Capability, Step

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from truelap.world.interpreter import Interpreter
    from truelap.world.sandbox import Sandbox, Session

_ATTEMPTS = {
    "network": ("loopback", "abstract socket", "outside network"),
    "files of the judge": ("judge's file", "path socket"),
    "processes of the judge": (
        "judge in /proc",
        "judge's environment",
        "signal to judge",
        "ptrace of judge",
        "memory of judge",
    ),
    "privileges": (
        "user 0",
        "other group",
        "chroot",
        "mount",
        "remount writable",
        "unmount",
        "host name",
        "clock",
        "priority",
        "real-time scheduling",
        "higher limits",
        "device node",
        "kernel memory",
        "kernel settings",
    ),
    "namespaces": ("user namespace", "mount namespace", "process namespace", "network namespace"),
    "read-only world": ("outside the tree",),
    "sealed tree": (
        "change of a file of the tree",
        "removal of a file of the tree",
        "mode of a file of the tree",
    ),
    "system calls": ("io_uring", "userfaultfd", "add_key", "bpf", "perf"),
}
"""What must not get through, by the line of `truelap doctor` that it belongs to."""

OPTIONAL = frozenset({"sealed tree", "system calls"})
"""Not needed to trust a backend: the manifest check finds what an unsealed tree lets through, and no promise rests on the
filter alone."""

_INHERITED = frozenset({"0", "1", "2", "3"})
_FREE = ("/tmp", "/dev/shm")  # noqa: S108 - inside the sandbox
_ANSWER_S = 60.0
_LIMITS = Limits(
    wall_s=120.0,
    cpu_s=60,
    memory_bytes=4 << 30,
    processes=128,
    file_bytes=1 << 20,
    scratch_bytes=16 << 20,
    output_bytes=1 << 16,
    message_bytes=1 << 20,
    messages=8,
)


@dataclass(frozen=True)
class Report:
    """What the probe says of itself, what it tried, and which users the host sees its process as."""

    facts: Mapping[str, Any]
    attempts: Mapping[str, Mapping[str, Any]]
    host_users: tuple[int, ...]

    def through(self, names: Sequence[str]) -> list[str]:
        """Those of the attempts that got through, with what they saw."""
        return [f"{name}: {self.attempts[name]['saw']}" for name in names if self.attempts[name]["through"]]


def interrogate(sandbox: Sandbox, interpreter: Interpreter, *, thorough: bool = False) -> Report:
    """Run the escape probe.

    Args:
        sandbox: the backend.
        interpreter: runs the probe.
        thorough: try to write into every folder that can be seen, not only into the likely ones.

    Raises:
        WorldError: the probe does not answer, no sandbox starts, or the backend is none at all: the probe is for confined
            processes alone.
    """
    if sandbox.name == "none":
        raise WorldError("the escape probe is not run without a sandbox")
    with tempfile.TemporaryDirectory(prefix="truelap-check-") as name, _judge_at_home(Path(name)) as order:
        tree = Path(name, "tree")
        tree.mkdir()
        (tree / "sealed").write_text("base", encoding="ascii")
        argv = (str(interpreter.executable), "-s", str(PROBES / "escape.py"))
        step = Step("self-check", argv, tree, _LIMITS)
        order |= {"sealed": str(MOUNT / "sealed"), "free": [*_FREE, str(MOUNT)], "thorough": thorough}
        with sandbox.start(step) as session:
            return _asked(session, order)


def _asked(session: Session, order: Mapping[str, Any]) -> Report:
    try:
        session.channel.receive(_ANSWER_S)
        users = procfs.users(session.worker_pid)
        session.channel.send(order)
        answer = session.channel.receive(_ANSWER_S)
        return Report(answer["facts"], answer["attempts"], users)
    except (StepFault, KeyError) as error:
        said = session.kill().output.decode("utf-8", "replace").strip().splitlines()
        raise WorldError(
            f"the self-check of the sandbox failed: {error}; {said[-1] if said else 'it said nothing'}"
        ) from error


@contextmanager
def _judge_at_home(folder: Path) -> Iterator[dict[str, Any]]:
    """Things of the judge that the probe shall try to reach: servers of each kind, and a file."""
    secret = folder / "secret"
    secret.write_text("the judge's", encoding="ascii")
    abstract, path = f"truelap-{secrets.token_hex(8)}", folder / "server"
    command = Path("/proc/self/cmdline").read_bytes().decode("utf-8", "replace")
    with (
        socket.create_server(("127.0.0.1", 0)) as loopback,
        socket.socket(socket.AF_UNIX) as first,
        socket.socket(socket.AF_UNIX) as second,
    ):
        for server, address in ((first, f"\0{abstract}"), (second, str(path))):
            server.bind(address)
            server.listen()
        yield {
            "judge": os.getpid(),
            "command": command,
            "port": loopback.getsockname()[1],
            "abstract": abstract,
            "socket": str(path),
            "secret": str(secret),
        }


def capabilities(report: Report, environment: Mapping[str, str]) -> tuple[Capability, ...]:
    """What a report means, line by line.

    Args:
        report: of the probe.
        environment: the variables that it should have found.
    """
    facts = report.facts
    alien = sorted(set(facts["environment"]) - set(environment) - {"PWD", "LC_CTYPE"})
    inherited = sorted(set(facts["descriptors"]) - _INHERITED)
    found = [
        _line("unprivileged user", 0 not in report.host_users, f"host users {report.host_users}"),
        _line("no capabilities", not any(facts["capabilities"].values()), f"{facts['capabilities']}"),
        _line("no new privileges", facts["no_new_privileges"] == 1, f"{facts['no_new_privileges']}"),
        _line("own processes only", facts["pid"] == 2, f"pid {facts['pid']}"),  # noqa: PLR2004 - after the sandbox's init
        _line("clean environment", not alien, f"variables {alien}"),
        _line("nothing inherited", not inherited, f"descriptors {inherited}"),
    ]
    for name, attempts in _ATTEMPTS.items():
        through = report.through(attempts)
        found.append(_line(name, not through, "; ".join(through)))
    failed = [f"{name}: {tried['saw']}" for name, tried in report.attempts.items() if _is_hurt(name, tried)]
    found.append(_line("honest programs work", not failed, "; ".join(failed)))
    return tuple(found)


def _line(name: str, holds: bool, otherwise: str) -> Capability:
    return Capability(name, holds, "" if holds else otherwise)


def _is_hurt(name: str, tried: Mapping[str, Any]) -> bool:
    return name.startswith("honest:") and not tried["through"]
