"""Which sandbox a run gets: one that has proved itself, or none and an error."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

import pytest

from truelap.errors import UsageError, WorldError
from truelap.world import backends
from truelap.world.backends import open_sandbox, prove
from truelap.world.bubblewrap import Bubblewrap
from truelap.world.channel import Channel
from truelap.world.events import Events
from truelap.world.sandbox import Capability
from truelap.world.selfcheck import capabilities, interrogate
from truelap.world.view import fixed_environment


class Claims:
    name = "claims"
    gives_up = MappingProxyType({"sealed tree": "the manifest finds it"})

    def __init__(self, *lines: Capability) -> None:
        self.lines = lines

    def self_check(self) -> tuple[Capability, ...]:
        return self.lines


def test_auto_is_a_proven_bubblewrap(interpreter, tmp_path):
    path = tmp_path / "events.jsonl"
    with Events(path) as events:
        assert open_sandbox("auto", interpreter, (), events).name == "bubblewrap"
    line = json.loads(path.read_text())
    assert (line["name"], line["network"], line["no capabilities"]) == ("bubblewrap", True, True)


def test_no_sandbox_needs_leave(interpreter):
    with pytest.raises(UsageError, match="--unsafe"):
        open_sandbox("none", interpreter, (), Events())
    assert open_sandbox("none", interpreter, (), Events(), unsafe=True).name == "none"


def test_landlock_by_name_is_proven_too(reachable, tmp_path):
    path = tmp_path / "events.jsonl"
    with Events(path) as events:
        assert open_sandbox("landlock", reachable, (), events).name == "landlock"
    line = json.loads(path.read_text())
    assert (line["name"], line["network"], line["no capabilities"]) == ("landlock", True, True)
    assert "nothing can be mounted" in line["own place"]


class Refused:
    name = "bubblewrap"
    gives_up = MappingProxyType({})

    def __init__(self, *_: object) -> None: ...

    def self_check(self) -> tuple[Capability, ...]:
        raise WorldError("new namespaces: Operation not permitted")


def test_where_namespaces_are_refused_auto_is_a_proven_landlock(reachable, monkeypatch, is_root):
    monkeypatch.setattr(backends, "Bubblewrap", Refused)
    monkeypatch.setattr(backends.namespaces, "refusal", lambda: "new namespaces: Operation not permitted")
    said = []
    if is_root:
        assert open_sandbox("auto", reachable, (), Events(listener=said.append)).name == "landlock"
        assert said == [
            "sandbox: landlock, because bubblewrap cannot be had (new namespaces: Operation not permitted)"
        ]
    else:
        with pytest.raises(WorldError, match="ask for it with --sandbox landlock"):
            open_sandbox("auto", reachable, (), Events())


def test_a_bubblewrap_that_could_be_had_and_does_not_work_is_the_end(reachable, monkeypatch):
    monkeypatch.setattr(backends, "Bubblewrap", Refused)
    assert backends.namespaces.refusal() is None
    with pytest.raises(WorldError, match=r"^new namespaces"):
        open_sandbox("auto", reachable, (), Events())


def test_a_bubblewrap_that_breaks_a_promise_is_the_end(reachable, monkeypatch):
    leaky = Claims(Capability("network", False, "loopback: connected"))
    monkeypatch.setattr(backends, "Bubblewrap", lambda *_: leaky)
    monkeypatch.setattr(backends.namespaces, "refusal", lambda: "everything")
    with pytest.raises(WorldError, match="does not hold here: network"):
        open_sandbox("auto", reachable, (), Events())


def test_neither(reachable, monkeypatch, is_root):
    if not is_root:
        pytest.skip("an ordinary judge is not given the second one")
    monkeypatch.setattr(backends, "Bubblewrap", Refused)
    monkeypatch.setattr(backends, "Landlock", Refused)
    monkeypatch.setattr(backends.namespaces, "refusal", lambda: "refused")
    with pytest.raises(WorldError, match=r"\(refused\), and neither can landlock: new namespaces"):
        open_sandbox("auto", reachable, (), Events())


def test_without_a_filter_bubblewrap_does_not_hold(interpreter):
    with pytest.raises(WorldError, match=r"filter of system calls \(mode 0\); system calls \(io_uring"):
        prove(Bubblewrap(interpreter, seccomp=None), Events())


def test_a_promise_that_does_not_hold_is_the_end():
    with pytest.raises(
        WorldError, match=r"claims does not hold here: network \(loopback: connected\); see `truelap doctor`"
    ):
        prove(Claims(Capability("network", False, "loopback: connected")), Events())


def test_what_is_given_up_in_writing_may_be_missing():
    prove(Claims(Capability("sealed tree", False, "x"), Capability("network", True, "")), Events())
    with pytest.raises(WorldError, match="system calls"):
        prove(Claims(Capability("system calls", False, "y")), Events())


@pytest.fixture(scope="module")
def report(interpreter):
    return interrogate(Bubblewrap(interpreter), interpreter)


def held(report, interpreter) -> dict[str, bool]:
    return {line.name: line.holds for line in capabilities(report, fixed_environment(interpreter))}


def test_everything_needed_holds_here(report, interpreter):
    found = held(report, interpreter)
    assert [name for name, holds in found.items() if not holds and name != "sealed tree"] == []


@pytest.mark.parametrize(
    ("line", "broken"),
    [
        ("unprivileged user", {"host_users": (0, 0, 0, 0)}),
        ("no capabilities", {"facts": {"capabilities": {"CapEff": 1}}}),
        ("no new privileges", {"facts": {"no_new_privileges": 0}}),
        ("filter of system calls", {"facts": {"seccomp": 0}}),
        ("own place", {"facts": {"folder": "tmp/x"}}),
        ("own place", {"facts": {"scratch": "var/tmp"}}),
        ("quota of the kernel", {"facts": {"rooms": [[1 << 40, 100]]}}),
        ("quota of the kernel", {"facts": {"rooms": [[100, 1 << 40]]}}),
        ("names of files", {"attempts": {"judge's file by name": {"through": True, "saw": 11}}}),
        ("system calls", {"attempts": {"io_uring": {"through": True, "saw": "made"}}}),
        ("own loopback", {"attempts": {"honest: own server": {"through": False, "saw": "refused"}}}),
        ("own processes only", {"facts": {"pid": 4711}}),
        ("clean environment", {"facts": {"environment": {"AWS_SECRET": "x"}}}),
        ("nothing inherited", {"facts": {"descriptors": {"7": "/etc/shadow"}}}),
        ("network", {"attempts": {"loopback": {"through": True, "saw": "connected"}}}),
        ("read-only world", {"attempts": {"outside the tree": {"through": True, "saw": "/usr"}}}),
        ("processes of the judge", {"attempts": {"ptrace of judge": {"through": True, "saw": "attached"}}}),
        ("honest programs work", {"attempts": {"honest: scratch": {"through": False, "saw": "full"}}}),
    ],
)
def test_each_line_can_fail(report, interpreter, line, broken):
    values = {
        name: {**getattr(report, name), **value} if isinstance(value, dict) else value
        for name, value in broken.items()
    }
    assert not held(replace(report, **values), interpreter)[line]


def test_the_escape_probe_is_not_run_without_a_sandbox(interpreter):
    from truelap.world.unsandboxed import Unsandboxed

    with pytest.raises(WorldError, match="not run without a sandbox"):
        interrogate(Unsandboxed(interpreter), interpreter)


@pytest.mark.skipif(os.geteuid() != 0, reason="an ordinary process has no capabilities")
def test_a_process_with_capabilities_makes_no_bold_attempt(tmp_path):
    """By itself, whoever starts it: here with two that leave nothing behind even where they are made."""
    import truelap.probes

    ours, theirs = socket.socketpair()
    program = [sys.executable, "-s", Path(truelap.probes.__path__[0], "escape.py"), str(theirs.fileno())]
    channel = Channel(ours, message_bytes=1 << 20, messages=9)
    place = {"TMPDIR": str(tmp_path), "PYTHONDONTWRITEBYTECODE": "1"}
    with subprocess.Popen(program, env=place, pass_fds=[theirs.fileno()]) as process:
        theirs.close()
        assert channel.receive(30)["type"] == "hello"
        channel.send({"only": ["user 0", "io_uring"]})
        attempts = channel.receive(30)["attempts"]
        assert channel.receive(30)["type"] == "end"
    channel.close()
    assert process.returncode == 0
    assert attempts["user 0"]["saw"].startswith("not tried")
    assert not attempts["io_uring"]["saw"].startswith("not tried")


def test_attempts_that_could_change_a_machine_are_marked():
    """Whoever adds one must think of where it gets through: only these are made in a process with capabilities."""
    import re

    import truelap.probes

    source = "".join(path.read_text() for path in Path(truelap.probes.__path__[0]).glob("escape_*.py"))
    bold = re.findall(r'@attempt\("([^"]+)"\)', source)
    assert {name for name in bold if not name.startswith("honest: ")} == {
        "loopback",
        "abstract socket",
        "path socket",
        "outside network",
        "judge's file",
        "judge's file by name",
        "judge's folder",
        "judge's environment",
        "judge in /proc",
        # Doors into the kernel: each makes something of its own, which ends with its process.
        "io_uring",
        "personality",
        "file handle",
        "own memory by call",
        "odd sockets",
        "System V memory",
        "message queue",
        "input of a terminal",
        "x32 call",
        "32-bit call",
        "change of a file of the tree",
        "removal of a file of the tree",
        "mode of a file of the tree",
    }
