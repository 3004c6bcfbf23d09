"""Filters of system calls, assembled into the bytes that the kernel takes (`struct sock_filter[]`). Pure: names in, bytes out.

Code in a sandbox has no use for most of what an unprivileged process may ask of the kernel, and flaws are found in just
those calls. What is refused fails with an error that programs know: honest ones go another way. Two kinds of machine are
known; on another there is no filter, and a backend must say so.
"""

from __future__ import annotations

import errno
import struct
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING

from truelap.world.syscalls import NAMELESS, NEWEST, OBSERVED, OF_ONE_MACHINE, OF_PROCESSES, REFUSED

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_LOAD, _EQUAL, _ABOVE, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x25, 0x35, 0x45, 0x06
_NUMBER, _MACHINE, _ARGUMENTS = 0, 4, 16
"""Offsets in `struct seccomp_data`. Of an argument the low word is read: the kernel too ignores the rest of these."""

_KILL, _REFUSE, _ALLOW = 0x80000000, 0x00050000, 0x7FFF0000
_LONGEST_JUMP = 255
_X32 = 0x40000000
_MACHINES: Mapping[str, tuple[int, int]] = MappingProxyType(
    {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}
)
"""Column of the tables, and the kernel's own name for it."""

_NEW_NAMESPACES = 0x7E020080
"""CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET, NEWTIME."""
_TERMINAL_INPUT = (0x5412, 0x541C)
"""TIOCSTI and TIOCLINUX put words into the mouth of whoever sits at a terminal."""
_PLAIN_PERSONALITIES = (0, 0xFFFFFFFF)
"""The usual one, and the question which it is."""

AF_UNIX, AF_INET, AF_INET6, AF_NETLINK = 1, 2, 10, 16
_OWN_PROCESS = 0
_NETLINK_ROUTE = 0
"""The one netlink protocol that programs need: names and addresses of interfaces."""


def is_known(machine: str) -> bool:
    """Whether there is a filter for a kind of machine, as `platform.machine()` names it."""
    return machine in _MACHINES


@dataclass(frozen=True)
class Leave:
    """What a backend lets programs do that not every backend does."""

    families: tuple[int, ...] = ()
    """Kinds of sockets that may be made. Of netlink only the list of interfaces; pairs of local sockets, which lead nowhere
    else, are always allowed."""
    nameless: bool = True
    """Files in memory without a name: only their processes show that they are there."""
    others: bool = True
    """Limits, priorities and cores of other processes: for who has other users' processes beside it, the kernel refuses that."""


def sandbox_filter(machine: str, leave: Leave) -> bytes | None:
    """The filter of a sandbox, None when the machine is of no kind that is known here.

    Args:
        machine: as `platform.machine()` names it.
        leave: what programs may do.
    """
    if not is_known(machine):
        return None
    column, _ = _MACHINES[machine]
    made = _begun(machine)
    made.add(_ABOVE, NEWEST, yes="unknown")
    made.add(_EQUAL, OBSERVED["clone3"][column], yes="unknown")
    if not leave.nameless:
        made.add(_EQUAL, NAMELESS[column], yes="unknown")
    for name in ("clone", "ioctl", "personality", "socket", "socketpair"):
        made.add(_EQUAL, OBSERVED[name][column], yes=name)
    for numbers, index in () if leave.others else OF_PROCESSES.values():
        made.add(_EQUAL, numbers[column], yes=f"process in {index}")
    refused = {numbers[column] for numbers in REFUSED.values()} | set(OF_ONE_MACHINE[machine].values())
    for number in sorted(refused):
        made.add(_EQUAL, number, yes="refuse")
    made.add(_RETURN, _ALLOW)
    _look_at_arguments(made, leave.families)
    for index in () if leave.others else (0, 1):
        _argument(made, index, f"process in {index}")
        made.add(_EQUAL, _OWN_PROCESS, yes="allow", no="refuse")
    made.add(_RETURN, _REFUSE | errno.EPERM, label="refuse")
    made.add(_RETURN, _REFUSE | errno.EACCES, label="no socket")
    made.add(_RETURN, _REFUSE | errno.ENOSYS, label="unknown")
    made.add(_RETURN, _ALLOW, label="allow")
    return made.assembled()


def refusing(machine: str, calls: Iterable[str]) -> bytes:
    """A filter that refuses some calls by name, and every new namespace: what a container imposes on all that is in it."""
    column, _ = _MACHINES[machine]
    made = _begun(machine)
    made.add(_EQUAL, OBSERVED["clone3"][column], yes="unknown")
    made.add(_EQUAL, OBSERVED["clone"][column], yes="clone")
    for name in calls:
        made.add(_EQUAL, REFUSED[name][column], yes="refuse")
    made.add(_RETURN, _ALLOW)
    _look_at_clone(made)
    made.add(_RETURN, _REFUSE | errno.EPERM, label="refuse")
    made.add(_RETURN, _REFUSE | errno.ENOSYS, label="unknown")
    made.add(_RETURN, _ALLOW, label="allow")
    return made.assembled()


class _Program:
    """Instructions that jump to names."""

    def __init__(self) -> None:
        self._lines: list[tuple[int, int, str | None, str | None]] = []
        self._places: dict[str, int] = {}

    def add(
        self,
        code: int,
        operand: int,
        *,
        yes: str | None = None,
        no: str | None = None,
        label: str | None = None,
    ) -> None:
        """Add an instruction; a jump goes to a label that comes later, or just on."""
        if label is not None:
            self._places[label] = len(self._lines)
        self._lines.append((code, operand, yes, no))

    def assembled(self) -> bytes:
        """The program, as the kernel takes it."""
        return b"".join(
            struct.pack("<HBBI", code, self._jump(at, yes), self._jump(at, no), operand)
            for at, (code, operand, yes, no) in enumerate(self._lines)
        )

    def _jump(self, at: int, label: str | None) -> int:
        over = 0 if label is None else self._places[label] - at - 1
        if not 0 <= over <= _LONGEST_JUMP:
            raise ValueError(f"{label} is too far from instruction {at}")
        return over


def _begun(machine: str) -> _Program:
    """Calls made in another way (32-bit code on a 64-bit machine) have other numbers: no table here is about them."""
    made = _Program()
    made.add(_LOAD, _MACHINE)
    made.add(_EQUAL, _MACHINES[machine][1], yes="this machine")
    made.add(_RETURN, _KILL)
    made.add(_LOAD, _NUMBER, label="this machine")
    if machine == "x86_64":
        made.add(_AT_LEAST, _X32, yes="refuse")
    return made


def _argument(made: _Program, index: int, label: str | None = None) -> None:
    made.add(_LOAD, _ARGUMENTS + 8 * index, label=label)


def _look_at_clone(made: _Program) -> None:
    _argument(made, 0, "clone")
    made.add(_ANY_BIT, _NEW_NAMESPACES, yes="refuse", no="allow")


def _look_at_arguments(made: _Program, families: tuple[int, ...]) -> None:
    _look_at_clone(made)
    _argument(made, 1, "ioctl")
    first, second = _TERMINAL_INPUT
    made.add(_EQUAL, first, yes="refuse")
    made.add(_EQUAL, second, yes="refuse", no="allow")
    _argument(made, 0, "personality")
    first, second = _PLAIN_PERSONALITIES
    made.add(_EQUAL, first, yes="allow")
    made.add(_EQUAL, second, yes="allow", no="refuse")
    _argument(made, 0, "socketpair")
    made.add(_EQUAL, AF_UNIX, yes="allow", no="no socket")
    _argument(made, 0, "socket")
    for family in families:
        made.add(_EQUAL, family, yes="netlink" if family == AF_NETLINK else "allow")
    made.add(_RETURN, _REFUSE | errno.EACCES)
    if AF_NETLINK in families:
        _argument(made, 2, "netlink")
        made.add(_EQUAL, _NETLINK_ROUTE, yes="allow", no="no socket")
