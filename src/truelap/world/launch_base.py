"""What the launchers of all backends have in common: they wait for a plan, take an unprivileged user, and answer.

The judge's socket is standard input. It brings one byte with up to three descriptors: the plan (marshal data, same interpreter
on both sides), where the program's output goes, and the program's end of the channel. Lines go back: `failed TEXT`,
`exit CODE`, `killed SIGNAL`, and what a backend adds. Few imports: a launcher is started for every sandbox, without site
packages, and finds this module by the name that it has in its own folder.
"""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]  # signal loads enum and more
import _socket
import array
import ctypes
import marshal
import os
import resource

TYPE_CHECKING = False
if TYPE_CHECKING:  # typing takes longer to import than all the rest
    from collections.abc import Callable
    from typing import Any

    Launch = Callable[[dict[str, Any], _socket.socket], str]

KILL = 9
PR_SET_PDEATHSIG, PR_CAPBSET_DROP, PR_SET_CHILD_SUBREAPER, PR_SET_NO_NEW_PRIVS = 1, 24, 36, 38
_HIGHEST_CAPABILITY = 63
_CONTROL = 100
CHANNEL = 3
"""Number of the program's end of the channel: the same in every sandbox, for it stands in the program's arguments."""

libc = ctypes.CDLL(None, use_errno=True)
word = ctypes.c_ulong


def must(what: str, result: int) -> int:
    """The result of a call that may not fail.

    Raises:
        OSError: it is negative.
    """
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")
    return result


def prctl(option: int, value: int) -> int:
    """The call of this name."""
    word = ctypes.c_ulong
    result: int = libc.prctl(option, word(value), word(0), word(0), word(0))
    return result


def become(uid: int) -> None:
    """Be another user for good, without groups and without any way back.

    Raises:
        OSError: the kernel did not do it, or only half.
    """
    for capability in range(_HIGHEST_CAPABILITY + 1):
        if prctl(PR_CAPBSET_DROP, capability) != 0:
            break
    os.setgroups([])
    os.setresgid(uid, uid, uid)
    os.setresuid(uid, uid, uid)
    if uid == 0 or os.getresuid() != (uid, uid, uid) or os.getresgid() != (uid, uid, uid):
        raise OSError(1, f"user {uid} was not taken")


def bound(plan: dict[str, Any]) -> None:
    """Take on the plan's limits and cores."""
    for kind, soft, hard in plan["limits"]:
        resource.setrlimit(kind, (soft, hard))
    if plan["cores"]:
        os.sched_setaffinity(0, plan["cores"])


def plain_signals() -> None:
    """Undo what the interpreter did: a program expects to be ended by these."""
    for number in (_signal.SIGPIPE, _signal.SIGXFSZ):
        _signal.signal(number, _signal.SIG_DFL)


def _receive(control: _socket.socket) -> dict[str, Any] | None:
    """Wait for the plan, and put every descriptor where it belongs. None when the judge wants no sandbox any more."""
    size = array.array("i").itemsize
    data, ancillary, _, _ = control.recvmsg(1, _socket.CMSG_SPACE(3 * size), _socket.MSG_CMSG_CLOEXEC)
    if not data:
        return None
    numbers = array.array("i", ancillary[0][2])
    plan_file, output = numbers[:2]
    with os.fdopen(plan_file, "rb") as file:
        plan: dict[str, Any] = marshal.load(file)  # noqa: S302 - written by the judge, in memory that nobody else can reach
    os.dup2(output, 1)
    os.dup2(output, 2)
    os.close(output)
    os.dup2(os.open("/dev/null", os.O_RDONLY | os.O_CLOEXEC), 0)
    plan["channel"] = len(numbers) > 2  # noqa: PLR2004
    if plan["channel"]:
        os.dup2(numbers[2], CHANNEL)
        os.close(numbers[2])
        plan["argv"] = [*plan["argv"], str(CHANNEL)]
    return plan


def hand_over(plan: dict[str, Any], *others: int) -> None:
    """Close what the program has inherited: its own closing must be seen by the judge."""
    for descriptor in (*others, 0, 1, 2, *([CHANNEL] if plan["channel"] else [])):
        os.close(descriptor)


def serve(judge: int, launch: Launch) -> None:
    """Wait for a plan, launch, answer.

    Args:
        judge: pid of the judge; without it there is nothing to do.
        launch: carries a plan out and returns the last line of the answer.
    """
    prctl(PR_SET_PDEATHSIG, KILL)
    if os.getppid() != judge:
        return
    control = _socket.socket(fileno=os.dup2(0, _CONTROL, inheritable=False))
    os.chdir("/")
    os.umask(0o022)
    plan = _receive(control)
    if plan is None:
        return
    try:
        answer = launch(plan, control)
    except OSError as error:
        answer = f"failed {error.args[1]}"
    try:
        control.send(f"{answer}\n".encode())
    except BrokenPipeError:
        # The judge is dead, and nobody wants to know.
        return
