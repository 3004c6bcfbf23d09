"""Takes a fresh identity, private mounts and a process namespace, then becomes bubblewrap. A program of its own, started early.

Bubblewrap that root starts is no drop of privileges, so the unprivileged user is taken here, before it. Sources that this
user could not reach (an interpreter below a home of mode 0700) are bound to a stage in a private mount namespace, which
ends with the last process. Everything runs in a process namespace whose first process is bubblewrap itself: whoever dies,
the judge, this launcher or bubblewrap, at whatever moment, the kernel ends all of it at once.

The judge's socket is standard input. It brings one byte with up to three descriptors: the plan (marshal data, same interpreter
on both sides), where the program's output goes, and the program's end of the channel. One line goes back: `failed TEXT`,
`exit CODE` or `killed SIGNAL`. Few imports: a launcher is started for every sandbox.
"""

from __future__ import annotations

import _socket
import array
import ctypes
import marshal
import os
import resource

TYPE_CHECKING = False
if TYPE_CHECKING:  # typing takes longer to import than all the rest
    from typing import Any, NoReturn

_KILL = 9
_PR_SET_PDEATHSIG, _PR_CAPBSET_DROP, _PR_SET_NO_NEW_PRIVS = 1, 24, 38
_CLONE_NEWNS, _CLONE_NEWUSER, _CLONE_NEWPID = 0x00020000, 0x10000000, 0x20000000
_MS_NOSUID, _MS_NODEV, _MS_NOEXEC, _MS_BIND, _MS_REC, _MS_PRIVATE = 2, 4, 8, 4096, 16384, 1 << 18
_HIGHEST_CAPABILITY = 63
_REPORT_BYTES = 65536
_CONTROL = 100
CHANNEL = 3
"""Number of the program's end of the channel: the same in every sandbox, for it stands in the program's arguments."""

_libc = ctypes.CDLL(None, use_errno=True)


def _must(what: str, result: int) -> None:
    if result != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")


def _prctl(option: int, value: int) -> int:
    word = ctypes.c_ulong
    result: int = _libc.prctl(option, word(value), word(0), word(0), word(0))
    return result


def _mount(source: str, target: str, kind: str | None, flags: int, options: str | None = None) -> None:
    texts = [None if text is None else os.fsencode(text) for text in (source, target, kind, options)]
    result = _libc.mount(texts[0], texts[1], texts[2], ctypes.c_ulong(flags), texts[3])
    _must(f"mount {target}", result)


def _write(path: str, text: str) -> None:
    descriptor = os.open(path, os.O_WRONLY)
    try:
        os.write(descriptor, text.encode())
    finally:
        os.close(descriptor)


def _namespaces(plan: dict[str, Any]) -> None:
    uid, gid = os.getuid(), os.getgid()
    own_user = _CLONE_NEWUSER if plan["user_namespace"] else 0
    _must("new namespaces", _libc.unshare(own_user | _CLONE_NEWNS | _CLONE_NEWPID))
    if own_user:
        _write("/proc/self/setgroups", "deny")
        _write("/proc/self/uid_map", f"{uid} {uid} 1")
        _write("/proc/self/gid_map", f"{gid} {gid} 1")
    _mount("none", "/", None, _MS_REC | _MS_PRIVATE)


def _stage(sources: list[str], root: str) -> None:
    """Bind each source to `root`/N. Opened first, because the stage hides whatever lies below it."""
    opened = [os.open(source, os.O_PATH | os.O_CLOEXEC) for source in sources]
    _mount("truelap", root, "tmpfs", _MS_NOSUID | _MS_NODEV, "mode=0755,size=1m")
    for number, descriptor in enumerate(opened):
        target = f"{root}/{number}"
        if os.path.isdir(f"/proc/self/fd/{descriptor}"):  # noqa: PTH112 - pathlib is too slow to import here
            os.mkdir(target, 0o755)  # noqa: PTH102
        else:
            os.close(os.open(target, os.O_CREAT | os.O_EXCL, 0o644))
        _mount(f"/proc/self/fd/{descriptor}", target, None, _MS_BIND | _MS_REC)
        os.close(descriptor)


def _drop(uid: int, gid: int) -> None:
    for capability in range(_HIGHEST_CAPABILITY + 1):
        if _prctl(_PR_CAPBSET_DROP, capability) != 0:
            break
    os.setgroups([])
    os.setresgid(gid, gid, gid)
    os.setresuid(uid, uid, uid)


def _become(plan: dict[str, Any], alive: int, report: int) -> NoReturn:
    """In the child, the first process of the new process namespace: become bubblewrap."""
    # Of the new process namespace: bubblewrap looks itself up in it.
    _mount("proc", "/proc", "proc", _MS_NOSUID | _MS_NODEV | _MS_NOEXEC)
    if plan["uid"] is not None:
        _drop(plan["uid"], plan["gid"])
    for kind, soft, hard in plan["limits"]:
        resource.setrlimit(kind, (soft, hard))
    if plan["cores"]:
        os.sched_setaffinity(0, plan["cores"])
    _must("no new privileges", _prctl(_PR_SET_NO_NEW_PRIVS, 1))
    # After the change of user, which clears it. Should the launcher have died just before, its end of the pipe is closed.
    _must("death signal", _prctl(_PR_SET_PDEATHSIG, _KILL))
    os.set_blocking(alive, False)
    try:
        os.read(alive, 1)
        os._exit(1)
    except BlockingIOError:
        pass
    argv = plan["argv"]
    os.set_inheritable(report, True)
    told = ["--json-status-fd", str(report), "--args", _file("\0".join(plan["options"]).encode())]
    if plan["filter"] is not None:
        told += ["--seccomp", _file(plan["filter"])]
    os.execve(argv[0], [argv[0], *told, "--", *argv[1:]], {})  # noqa: S606


def _file(content: bytes) -> str:
    """Number of an open file for bubblewrap. The options go there too: the program can read /proc/1/cmdline."""
    file = os.memfd_create("truelap")
    os.write(file, content)
    os.lseek(file, 0, os.SEEK_SET)
    os.set_inheritable(file, True)
    return str(file)


def _exit_code(report: bytes) -> int | None:
    """Bubblewrap's own word that the program was started and has ended; it is silent when it could not start it."""
    _, found, rest = report.partition(b'"exit-code":')
    return int(rest.split(b"}")[0]) if found else None


def _outcome(child: int, report: int) -> str:
    _, status = os.waitpid(child, 0)
    os.set_blocking(report, False)
    try:
        code = _exit_code(os.read(report, _REPORT_BYTES))
    except BlockingIOError:
        code = None
    if code is not None:
        return f"exit {code}"
    if os.WIFSIGNALED(status):
        return f"killed {os.WTERMSIG(status)}"
    return f"failed bubblewrap could not set the sandbox up (exit {os.WEXITSTATUS(status)})"


def _launch(plan: dict[str, Any], control: _socket.socket) -> str:
    _namespaces(plan)
    if plan["stage"]:
        _stage(plan["stage"], plan["stage_root"])
    alive, held = os.pipe()
    report, report_end = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(held)
        try:
            _become(plan, alive, report_end)
        except OSError as error:
            control.send(f"failed {error.args[1]}\n".encode())
            os._exit(1)
    # What the program inherits must not stay open here: its closing has to be seen by the judge.
    for descriptor in (alive, report_end, 0, 1, 2, *([CHANNEL] if plan["channel"] else [])):
        os.close(descriptor)
    return _outcome(child, report)


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


def main(judge: int) -> None:
    """Wait for a plan, launch, wait for the end, answer.

    Args:
        judge: pid of the judge; without it there is nothing to do.
    """
    _prctl(_PR_SET_PDEATHSIG, _KILL)
    if os.getppid() != judge:
        return
    control = _socket.socket(fileno=os.dup2(0, _CONTROL, inheritable=False))
    os.chdir("/")
    os.umask(0o022)
    plan = _receive(control)
    if plan is None:
        return
    try:
        answer = _launch(plan, control)
    except OSError as error:
        answer = f"failed {error.args[1]}"
    control.send(f"{answer}\n".encode())
