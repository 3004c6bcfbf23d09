"""What the escape probe tries, by the line of the self-check that it belongs to."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

ATTEMPTS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "network": ("loopback", "abstract socket", "outside network", "path socket"),
        "files of the judge": ("judge's file", "judge's folder"),
        "names of files": ("judge's file by name",),
        "modes of files": ("mode of judge's file",),
        "processes of the judge": (
            "judge in /proc",
            "judge's environment",
            "signal to judge",
            "ptrace of judge",
            "memory of judge",
            "memory of judge by call",
            "descriptor of judge",
            "limits of judge",
            "cores of judge",
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
        "namespaces": (
            "user namespace",
            "user namespace by clone",
            "user namespace by clone3",
            "mount namespace",
            "process namespace",
            "network namespace",
        ),
        "read-only world": ("outside the tree",),
        "sealed tree": (
            "change of a file of the tree",
            "removal of a file of the tree",
            "mode of a file of the tree",
        ),
        "system calls": (
            "io_uring",
            "userfaultfd",
            "add_key",
            "keyctl",
            "bpf",
            "perf",
            "fsopen",
            "open_tree",
            "kcmp",
            "ptrace",
            "own memory by call",
            "log of the kernel",
            "adjtimex",
            "personality",
            "file handle",
            "odd sockets",
            "System V memory",
            "message queue",
            "input of a terminal",
            "x32 call",
            "32-bit call",
        ),
    }
)
"""What must not get through. A backend that promises less says so in its table `GIVES_UP`."""

SERVER = "honest: own server"
"""An honest attempt with a line of its own: a backend may be of use without it."""
