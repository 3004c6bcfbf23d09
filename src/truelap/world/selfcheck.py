"""Asks a backend what it really gives here: runs the escape probe in a real sandbox and reads its report line by line."""

from __future__ import annotations

import os
import secrets
import socket
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from truelap.errors import StepFault, WorldError
from truelap.policy import Limits
from truelap.world import procfs, view
from truelap.world.promises import ATTEMPTS, SERVER
from truelap.world.sandbox import MOUNT, PROBES, Capability, Step
from truelap.world.workspace import open_workspace

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from truelap.world.interpreter import Interpreter
    from truelap.world.sandbox import Sandbox, Session

_INHERITED = frozenset({"0", "1", "2", "3"})
_SHARED = "/dev/shm"  # noqa: S108 - inside the sandbox
_FILTERED = 2
_ANSWER_S = 60.0
_FOLDERS = (
    "etc",
    "usr",
    "root",
    "home",
    "var",
    "var/tmp",
    "tmp",
    "run",
    "dev",
    "sys",
    "opt",
    "truelap",
    "workspace",
)
_MOST_FOLDERS = 5000
_LIMITS = Limits(
    wall_s=120.0,
    cpu_s=60,
    memory_bytes=4 << 30,
    processes=128,
    file_bytes=1 << 20,
    scratch_bytes=16 << 20,
    files=2000,
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
        thorough: try to write into every folder of the machine near its root, not only into the likely ones.

    Raises:
        WorldError: the probe does not answer, no sandbox starts, or the backend is none at all: the probe is for confined
            processes alone.
    """
    if sandbox.name == "none":
        raise WorldError("the escape probe is not run without a sandbox")
    with open_workspace() as workspace, _judge_at_home(workspace.folder("judge")) as order:
        tree = workspace.folder("tree")
        (tree / "sealed").write_text("base", encoding="ascii")
        argv = (str(interpreter.executable), "-s", str(PROBES / "escape.py"))
        step = Step("self-check", argv, tree, _LIMITS)
        order |= {
            "sealed": str(MOUNT / "sealed"),
            "free": [str(view.SCRATCH), _SHARED, str(MOUNT)],
            "folders": _near_root() if thorough else _FOLDERS,
        }
        with sandbox.start(step) as session:
            return _asked(session, order)


def _near_root() -> list[str]:
    """Folders of the machine, without the leading slash: these names mean the same everywhere, and are not translated."""
    found = []
    for place, below, _ in os.walk("/"):
        if place.count("/") > 1 or place in {"/proc", "/sys"}:
            below.clear()
        found += [place[1:], *(f"{place.rstrip('/')}/{name}"[1:] for name in below)]
    # By their real names: another one for a folder that a step may write is no way out.
    real = (os.path.realpath(f"/{name}")[1:] for name in (*_FOLDERS, *found))
    return list(dict.fromkeys(real))[:_MOST_FOLDERS]


def _asked(session: Session, order: Mapping[str, Any]) -> Report:
    try:
        session.channel.receive(_ANSWER_S)
        users = procfs.users(session.worker_pid)
        if 0 in users:
            raise WorldError("the program of a sandbox runs as root: it is not asked to try anything")
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
    """Things of the judge that the probe shall try to reach: servers of each kind, and a file. Their modes let everybody."""
    folder.chmod(0o755)
    secret, path = folder / "secret", folder / "server"
    secret.write_text("the judge's", encoding="ascii")
    secret.chmod(0o644)
    abstract = f"truelap-{secrets.token_hex(8)}"
    command = Path("/proc/self/cmdline").read_bytes().decode("utf-8", "replace")
    with (
        socket.create_server(("127.0.0.1", 0)) as loopback,
        socket.socket(socket.AF_UNIX) as first,
        socket.socket(socket.AF_UNIX) as second,
    ):
        for server, address in ((first, f"\0{abstract}"), (second, str(path))):
            server.bind(address)
            server.listen()
        path.chmod(0o777)
        yield {
            "judge": os.getpid(),
            "processes": procfs.pid_namespace(os.getpid()),
            "command": command,
            "port": loopback.getsockname()[1],
            "abstract": abstract,
            # Without the slash in front: a backend that translates paths must not translate these.
            "socket": str(path)[1:],
            "secret": str(secret)[1:],
        }


def capabilities(
    report: Report, environment: Mapping[str, str], gives_up: Mapping[str, str] | None = None
) -> tuple[Capability, ...]:
    """What a report means, line by line.

    Args:
        report: of the probe.
        environment: the variables that it should have found.
        gives_up: what the backend does not promise, and what that means.
    """
    found = [*_of_facts(report, environment), *_of_attempts(report)]
    told = gives_up or {}
    return tuple(
        Capability(name, not otherwise, told.get(name, otherwise) if otherwise else "")
        for name, otherwise in found
    )


def _of_facts(report: Report, environment: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Lines, each with what speaks against it."""
    facts = report.facts
    alien = sorted(set(facts["environment"]) - set(environment) - {"PWD", "LC_CTYPE"})
    inherited = sorted(set(facts["descriptors"]) - _INHERITED)
    # What new programs could be given counts for nothing: they are given nothing new.
    held = {name: bits for name, bits in facts["capabilities"].items() if bits and name != "CapBnd"}
    place = (f"/{facts['folder']}", f"/{facts['scratch']}")
    wide = [room for room in facts["rooms"] if room[0] > _LIMITS.scratch_bytes or room[1] > _LIMITS.files]
    yield "unprivileged user", f"host users {report.host_users}" if 0 in report.host_users else ""
    yield "no capabilities", f"{held}" if held else ""
    yield "no new privileges", "" if facts["no_new_privileges"] == 1 else f"{facts['no_new_privileges']}"
    yield "filter of system calls", "" if facts["seccomp"] == _FILTERED else f"mode {facts['seccomp']}"
    # The first is the sandbox's init.
    yield "own processes only", "" if facts["pid"] == 2 else f"pid {facts['pid']}"  # noqa: PLR2004
    yield "own place", "" if place == (str(MOUNT), str(view.SCRATCH)) else " and ".join(place)
    yield "clean environment", f"variables {alien}" if alien else ""
    yield "nothing inherited", f"descriptors {inherited}" if inherited else ""
    yield "quota of the kernel", f"room for {wide}" if wide else ""


def _of_attempts(report: Report) -> Iterator[tuple[str, str]]:
    for name, attempts in ATTEMPTS.items():
        yield name, "; ".join(report.through(attempts))
    hurt = {
        name: f"{name}: {tried['saw']}"
        for name, tried in report.attempts.items()
        if name.startswith("honest:") and not tried["through"]
    }
    yield "own loopback", hurt.pop(SERVER, "")
    yield "honest programs work", "; ".join(hurt.values())
