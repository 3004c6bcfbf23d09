"""What the kernel says about processes, read from /proc. A process may be gone at any moment: that is never an error here.

That the judge can open no more files is one: what cannot be read then must not pass for nothing.
"""

from __future__ import annotations

import errno
import os
from contextlib import suppress
from pathlib import Path

DEAD = frozenset({"Z", "X"})
_TICKS_PER_S = os.sysconf("SC_CLK_TCK")
_PAGE = os.sysconf("SC_PAGE_SIZE")
_PROC = Path("/proc")
_OURS = frozenset({errno.EMFILE, errno.ENFILE})


def _pass_over(error: OSError) -> None:
    if error.errno in _OURS:
        raise error


def _read(path: str) -> str:
    try:
        with open(path, "rb") as file:  # noqa: PTH123 - read thousands of times while workers are timed
            return file.read().decode("utf-8", "replace")
    except OSError as error:
        _pass_over(error)
        return ""


def all_pids() -> list[int]:
    """Every process that this /proc shows."""
    return [int(name) for name in os.listdir(_PROC) if name.isdigit()]  # noqa: PTH208 - as above


def _fields(stat: str) -> list[str]:
    # The name, in brackets, may hold anything; what follows the last bracket may not.
    return stat.rpartition(")")[2].split()


def _stat(pid: int) -> list[str]:
    return _fields(_read(f"/proc/{pid}/stat"))


def state(pid: int) -> str:
    """One letter (R running, S sleeping, T stopped, Z ended but not waited for ...), "" when there is none.

    Of the first thread alone: that one may have ended while others go on, see `threads_in`.
    """
    return (_stat(pid) or [""])[0]


def threads(pid: int) -> list[int]:
    """The threads of a process, by number."""
    try:
        return [int(name) for name in os.listdir(f"/proc/{pid}/task")]  # noqa: PTH208 - as above
    except OSError as error:
        _pass_over(error)
        return []


def threads_in(pid: int) -> set[str]:
    """The states of all threads of a process, empty when there is none."""
    fields = (_fields(_read(f"/proc/{pid}/task/{task}/stat")) for task in threads(pid))
    return {found[0] for found in fields if found}


def is_alive(pid: int) -> bool:
    """Whether any thread of a process may still run; one that only waits to be waited for is dead."""
    return bool(threads_in(pid) - DEAD)


def queued_ns_of(pid: int) -> int:
    """Nanoseconds that a thread (of a process: its first one) has stood ready without a core, all its life.

    0 where the kernel does not say.
    """
    words = _read(f"/proc/{pid}/schedstat").split()
    return int(words[1]) if len(words) > 1 else 0


def children(pid: int) -> list[int]:
    """Children of a process, eldest first; those of all its threads."""
    tasks = threads(pid)
    if not tasks:
        return []
    if not Path(f"/proc/{pid}/task/{pid}/children").exists():
        return _children_by_scan(pid)
    found = (_read(f"/proc/{pid}/task/{task}/children") for task in tasks)
    return [int(child) for listed in found for child in listed.split()]


def _children_by_scan(pid: int) -> list[int]:
    """For a kernel without CONFIG_PROC_CHILDREN."""
    return sorted(other for other in all_pids() if _stat(other)[1:2] == [str(pid)])


def descendants(pid: int) -> list[int]:
    """Children, their children and so on, without `pid` itself."""
    found: list[int] = []
    waiting = children(pid)
    while waiting:
        found += waiting
        waiting = [grandchild for child in waiting for grandchild in children(child)]
    return found


def name(pid: int) -> str:
    """What the process calls itself (at first: the file that it runs), "" when there is none."""
    return _read(f"/proc/{pid}/comm").strip()


def waited_for_s(pid: int) -> float:
    """CPU seconds of the children that a process has waited for, in steps of a clock tick."""
    return sum(int(field) for field in _stat(pid)[13:15]) / _TICKS_PER_S


def resident_bytes(pid: int) -> int:
    """Memory that a process holds, shared or not; 0 when there is none."""
    words = _read(f"/proc/{pid}/statm").split()
    return int(words[1]) * _PAGE if len(words) > 1 else 0


def peak_bytes(pid: int) -> int:
    """The most memory that a process has held at one time, shared or not; 0 when there is none."""
    for line in _read(f"/proc/{pid}/status").splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) * 1024
    return 0


def proportional_bytes(pid: int) -> int | None:
    """The same, with what is shared divided among those who share it. None when the process may not be asked. Slow."""
    for line in _read(f"/proc/{pid}/smaps_rollup").splitlines():
        if line.startswith("Pss:"):
            return int(line.split()[1]) * 1024
    return None


def open_files(pid: int) -> list[os.stat_result]:
    """What a process has open, as far as it may be asked."""
    found = []
    try:
        names = os.listdir(f"/proc/{pid}/fd")  # noqa: PTH208 - as above
    except OSError as error:
        _pass_over(error)
        return []
    for name in names:
        with suppress(OSError):
            found.append(os.stat(f"/proc/{pid}/fd/{name}"))  # noqa: PTH116 - as above
    return found


def environment(pid: int) -> bytes:
    """The variables that a process was started with, b"" when it may not be asked."""
    try:
        return Path(f"/proc/{pid}/environ").read_bytes()
    except OSError as error:
        _pass_over(error)
        return b""


def pid_namespace(pid: int) -> str | None:
    """Identity of the process namespace that a process is in, None when it is gone or may not be asked."""
    try:
        return str(Path(f"/proc/{pid}/ns/pid").readlink())
    except OSError:
        return None


def in_pid_namespace(identity: str) -> list[int]:
    """Processes of a process namespace (nested ones are not counted)."""
    return [pid for pid in all_pids() if pid_namespace(pid) == identity]


def _uids(pid: int) -> list[str]:
    for line in _read(f"/proc/{pid}/status").splitlines():
        if line.startswith("Uid:"):
            return line.split()[1:]
    return []


def of_user(uid: int) -> list[int]:
    """Processes that have this user in any role (real, effective, saved, file system)."""
    return [pid for pid in all_pids() if str(uid) in _uids(pid)]


def users(pid: int) -> tuple[int, ...]:
    """Real, effective, saved and file system user of a process, () when it is gone."""
    return tuple(map(int, _uids(pid)))
