"""Takes a fresh identity, private mounts and a process namespace, then becomes bubblewrap. A program of its own, started early.

Bubblewrap that root starts is no drop of privileges, so the unprivileged user is taken here, before it. Sources that this
user could not reach (an interpreter below a home of mode 0700) are bound to a stage in a private mount namespace, which
ends with the last process; temporary folders with a quota of bytes and of files are mounted there too, because bubblewrap
knows only the first. Everything runs in a process namespace whose first process is bubblewrap itself: whoever dies,
the judge, this launcher or bubblewrap, at whatever moment, the kernel ends all of it at once.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:  # typing takes longer to import than all the rest
    import _socket
    from typing import Any, NoReturn

    from truelap.world import launch_base as base
else:
    import launch_base as base

_CLONE_NEWNS, _CLONE_NEWUSER, _CLONE_NEWPID = 0x00020000, 0x10000000, 0x20000000
_MS_NOSUID, _MS_NODEV, _MS_NOEXEC, _MS_BIND, _MS_REC, _MS_PRIVATE = 2, 4, 8, 4096, 16384, 1 << 18
_REPORT_BYTES = 65536
_NOBODY = 65534


def _mount(source: str, target: str, kind: str | None, flags: int, options: str | None = None) -> None:
    texts = [None if text is None else os.fsencode(text) for text in (source, target, kind, options)]
    result = base.libc.mount(texts[0], texts[1], texts[2], base.word(flags), texts[3])
    base.must(f"mount {target}", result)


def _write(path: str, text: str) -> None:
    descriptor = os.open(path, os.O_WRONLY)
    try:
        os.write(descriptor, text.encode())
    finally:
        os.close(descriptor)


def _namespaces(plan: dict[str, Any]) -> None:
    uid, gid = os.getuid(), os.getgid()
    own_user = _CLONE_NEWUSER if plan["user_namespace"] else 0
    base.must("new namespaces", base.libc.unshare(own_user | _CLONE_NEWNS | _CLONE_NEWPID))
    if own_user:
        _write("/proc/self/setgroups", "deny")
        _write("/proc/self/uid_map", f"{uid} {uid} 1")
        _write("/proc/self/gid_map", f"{gid} {gid} 1")
    _mount("none", "/", None, _MS_REC | _MS_PRIVATE)


def _stage(sources: list[str], root: str, rooms: dict[str, str]) -> None:
    """Bind each source to `root`/N, and mount each room at its name there.

    The sources are opened first, because the stage hides whatever lies below it.
    """
    opened = [os.open(source, os.O_PATH | os.O_CLOEXEC) for source in sources]
    _mount("truelap", root, "tmpfs", _MS_NOSUID | _MS_NODEV, "mode=0755,size=1m")
    for name, options in rooms.items():
        os.mkdir(f"{root}/{name}")  # noqa: PTH102
        _mount("truelap", f"{root}/{name}", "tmpfs", _MS_NOSUID | _MS_NODEV, options)
    for number, descriptor in enumerate(opened):
        target = f"{root}/{number}"
        if os.path.isdir(f"/proc/self/fd/{descriptor}"):  # noqa: PTH112 - pathlib is too slow to import here
            os.mkdir(target, 0o755)  # noqa: PTH102
        else:
            os.close(os.open(target, os.O_CREAT | os.O_EXCL, 0o644))
        _mount(f"/proc/self/fd/{descriptor}", target, None, _MS_BIND | _MS_REC)
        os.close(descriptor)


def _become(plan: dict[str, Any], alive: int, report: int) -> NoReturn:
    """In the child, the first process of the new process namespace: become bubblewrap."""
    # Of the new process namespace: bubblewrap looks itself up in it.
    _mount("proc", "/proc", "proc", _MS_NOSUID | _MS_NODEV | _MS_NOEXEC)
    if plan["uid"] is not None:
        base.become(plan["uid"])
    base.bound(plan)
    base.must("no new privileges", base.prctl(base.PR_SET_NO_NEW_PRIVS, 1))
    # After the change of user, which clears it. Should the launcher have died just before, its end of the pipe is closed.
    base.must("death signal", base.prctl(base.PR_SET_PDEATHSIG, base.KILL))
    os.set_blocking(alive, False)
    try:
        os.read(alive, 1)
        os._exit(1)
    except BlockingIOError:
        pass
    base.plain_signals()
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
    _stage(plan["stage"], plan["stage_root"], plan["rooms"])
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
    base.hand_over(plan, alive, report_end)
    return _outcome(child, report)


def try_out() -> None:
    """Do all that takes leave to make namespaces, as it is done for a sandbox, and print what is refused."""
    root = os.geteuid() == 0
    try:
        _namespaces({"user_namespace": not root})
        _stage([], "/tmp", {})  # noqa: S108 - in the new mount namespace
        child = os.fork()
        if child == 0:
            _try_inside(root)
        _, status = os.waitpid(child, 0)
        if status != 0:
            os.write(1, b"a new process namespace: refused\n")
    except OSError as error:
        os.write(1, f"{error.args[1]}\n".encode())


def _try_inside(root: bool) -> NoReturn:
    try:
        _mount("proc", "/proc", "proc", _MS_NOSUID | _MS_NODEV | _MS_NOEXEC)
        if root:
            base.become(_NOBODY)
        base.must("a user namespace of an ordinary user", base.libc.unshare(_CLONE_NEWUSER))
    except OSError as error:
        os.write(1, f"{error.args[1]}\n".encode())
    finally:
        os._exit(0)


def main(judge: int) -> None:
    """See `launch_base.serve`."""
    base.serve(judge, _launch)
