"""Tries to get out of a sandbox, and to use what honest tests need: `PYTHON -s escape.py FD`.

Every attempt reports whether it got through and what it saw. What that means is for the judge to say: each backend has its own
written expectations. An attempt must not change the machine on which it gets through: it acts on things of its own, in a process
of its own, or asks in a form that fails for another reason once permission is given. In a process with capabilities, which is
not confined, what could change something is not even tried.

The attempts are in escape_judge, escape_machine, escape_calls and escape_honest.
"""

import json
import os
import resource
import socket
import struct
import sys

import escape_calls
import escape_honest
import escape_judge
import escape_machine
from escape_kit import ATTEMPTS, TIMID, libc

PR_GET_NO_NEW_PRIVS = 39
FAMILIES = (escape_judge, escape_machine, escape_calls, escape_honest)
NOT_MADE = {"through": True, "saw": "not tried: this process has capabilities"}


def facts():
    with open("/proc/self/status") as file:
        status = dict(line.rstrip("\n").split(":\t", 1) for line in file if ":\t" in line)
    return {
        "uids": list(os.getresuid()),
        "gids": list(os.getresgid()),
        "groups": os.getgroups(),
        "capabilities": {
            name: int(status[name], 16) for name in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb")
        },
        "no_new_privileges": libc.prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0),
        "seccomp": int(status.get("Seccomp", "0")),
        "pids": visible_processes(),
        "pid": os.getpid(),
        "environment": dict(os.environ),
        "descriptors": descriptors(),
        # Without the slash in front it is no path that anybody translates.
        "folder": os.getcwd()[1:],
        "scratch": os.environ["TMPDIR"][1:],
        "rooms": [room(os.environ["TMPDIR"]), room("/dev/shm")],
        "argv": sys.argv,
        "executable": sys.executable,
        "prefixes": [sys.prefix, sys.base_prefix],
        "first_command_line": first_command_line(),
        "limits": {
            name: resource.getrlimit(getattr(resource, name))
            for name in ("RLIMIT_NPROC", "RLIMIT_AS", "RLIMIT_CORE", "RLIMIT_NICE")
        },
    }


def visible_processes():
    try:
        return sorted(int(name) for name in os.listdir("/proc") if name.isdigit())
    except OSError:
        return []


def room(folder):
    """Bytes and files that fit into the file system of a folder."""
    found = os.statvfs(folder)
    return [found.f_blocks * found.f_frsize, found.f_files]


def descriptors():
    found = {}
    for name in os.listdir("/proc/self/fd"):
        try:
            found[name] = os.readlink("/proc/self/fd/" + name)
        except OSError:
            pass
    return found


def first_command_line():
    try:
        with open("/proc/1/cmdline", "rb") as file:
            return file.read().decode("utf-8", "replace").split("\0")
    except OSError:
        return []


def tried(function, order):
    """Each attempt in a process of its own: one that works must not help the next."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            answer = {"through": True, "saw": function(order)}
        except BaseException as error:
            answer = {"through": False, "saw": "%s: %s" % (type(error).__name__, error)}
        os.write(writer, json.dumps(answer, default=str).encode()[:60000])
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader, "rb") as pipe:
        said = pipe.read()
    os.waitpid(child, 0)
    return json.loads(said) if said else {"through": False, "saw": "killed"}


def main():
    channel = socket.socket(fileno=int(sys.argv[1]))

    def send(message):
        body = json.dumps(message).encode()
        channel.sendall(struct.pack(">I", len(body)) + body)

    send({"type": "hello"})
    size = struct.unpack(">I", channel.recv(4, socket.MSG_WAITALL))[0]
    order = json.loads(channel.recv(size, socket.MSG_WAITALL))
    chosen = order.get("only") or list(ATTEMPTS)
    escape_machine.read_mounts()
    seen = facts()
    held = seen["capabilities"]["CapPrm"] | seen["capabilities"]["CapEff"]
    kept = TIMID if held else ()
    attempts = {name: NOT_MADE if name in kept else tried(ATTEMPTS[name], order) for name in chosen}
    send({"type": "facts", "facts": seen, "attempts": attempts})
    send({"type": "end"})


main()
