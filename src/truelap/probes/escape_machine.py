"""Attempts on the machine, on other rights, and on the files that a step is shown; see `escape`."""

import ctypes
import errno
import os
import resource
import socket
import sys
import tempfile

from escape_kit import attempt, call, checked, libc

CLONE_NEWNS, CLONE_NEWUSER, CLONE_NEWPID, CLONE_NEWNET = 0x00020000, 0x10000000, 0x20000000, 0x40000000
SIGCHLD = 17
MOUNTS = []
"""Read before anything is tried: the processes in which it is may not be able to."""


@attempt("user 0", timid=True)
def user_zero(_order):
    os.setuid(0)
    return os.getuid()


@attempt("other group", timid=True)
def other_group(_order):
    os.setgroups([0])
    return os.getgroups()


@attempt("chroot", timid=True)
def change_root(_order):
    os.chroot(os.environ["TMPDIR"])
    return "done"


def permitted(result):
    """For a call on a folder that is no mount point: "not permitted" is said first, "invalid" only to who may."""
    if result < 0 and ctypes.get_errno() != errno.EINVAL:
        checked(result)
    return "permitted"


@attempt("mount", timid=True)
def mount(_order):
    with tempfile.TemporaryDirectory() as own:
        checked(libc.mount(b"none", own.encode(), b"tmpfs", ctypes.c_ulong(0), None))
        checked(libc.umount2(own.encode(), 2))
    return "mounted"


@attempt("remount writable", timid=True)
def remount(_order):
    with tempfile.TemporaryDirectory() as own:
        return permitted(libc.mount(None, own.encode(), None, ctypes.c_ulong(32 | 4096), None))


@attempt("unmount", timid=True)
def unmount(_order):
    with tempfile.TemporaryDirectory() as own:
        return permitted(libc.umount2(own.encode(), 2))


def namespace_attempt(name, flag):
    @attempt(name, timid=True)
    def new_namespace(_order):
        checked(libc.unshare(flag))
        return "made"


namespace_attempt("user namespace", CLONE_NEWUSER)
namespace_attempt("mount namespace", CLONE_NEWNS)
namespace_attempt("process namespace", CLONE_NEWPID)
namespace_attempt("network namespace", CLONE_NEWNET)


@attempt("user namespace by clone", timid=True)
def namespace_by_clone(_order):
    child = call((56, 220), CLONE_NEWUSER | SIGCHLD, 0, 0, 0, 0)
    if child == 0:
        os._exit(0)
    return "made"


@attempt("user namespace by clone3", timid=True)
def namespace_by_clone3(_order):
    arguments = (ctypes.c_ulong * 11)(CLONE_NEWUSER, 0, 0, 0, SIGCHLD)
    child = call((435, 435), arguments, ctypes.sizeof(arguments))
    if child == 0:
        os._exit(0)
    return "made"


@attempt("host name", timid=True)
def host_name(_order):
    socket.sethostname(socket.gethostname())
    return socket.gethostname()


@attempt("clock", timid=True)
def set_clock(_order):
    import time

    time.clock_settime(time.CLOCK_REALTIME, time.time())
    return "set"


@attempt("priority", timid=True)
def priority(_order):
    os.setpriority(os.PRIO_PROCESS, 0, -5)
    return os.getpriority(os.PRIO_PROCESS, 0)


@attempt("real-time scheduling", timid=True)
def real_time(_order):
    os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
    return "set"


@attempt("higher limits", timid=True)
def higher_limits(_order):
    for kind in (resource.RLIMIT_NPROC, resource.RLIMIT_FSIZE, resource.RLIMIT_CPU, resource.RLIMIT_CORE):
        soft, hard = resource.getrlimit(kind)
        resource.setrlimit(kind, (soft, hard + 1))
    return "raised"


@attempt("device node", timid=True)
def device_node(_order):
    name = tempfile.mktemp()
    os.mknod(name, 0o600 | 0o020000, os.makedev(1, 3))
    os.unlink(name)
    return "made"


def any_opened(names, flags):
    for name in names:
        try:
            os.close(os.open(name, flags))
            return name
        except OSError as error:
            last = error
    raise last


@attempt("kernel memory", timid=True)
def kernel_memory(_order):
    return any_opened(("/dev/mem", "/dev/kmem", "/proc/kcore", "/dev/kmsg"), os.O_RDONLY)


@attempt("kernel settings", timid=True)
def kernel_settings(_order):
    names = ("kernel/core_pattern", "kernel/randomize_va_space", "vm/overcommit_memory", "kernel/hostname")
    return any_opened(["/proc/sys/" + name for name in names], os.O_WRONLY)


@attempt("outside the tree", timid=True)
def outside_the_tree(order):
    """A file made anywhere but in the tree and the temporary folders."""
    free = tuple(order["free"])
    for folder in [*MOUNTS, *sys.path, *("/" + name for name in order["folders"])]:
        if folder in free or folder.startswith(tuple(name + "/" for name in free)):
            continue
        name = os.path.join(folder, ".escape")
        try:
            with open(name, "x"):
                pass
            os.unlink(name)
            return folder
        except OSError as error:
            last = error
    raise last


def read_mounts():
    with open("/proc/self/mountinfo") as file:
        for line in file:
            target = line.split()[4]
            MOUNTS.append(target if os.path.isdir(target) else os.path.dirname(target))


@attempt("change of a file of the tree")
def change_of_tree(order):
    with open(order["sealed"], "a") as file:
        file.write("x")
    return "changed"


@attempt("removal of a file of the tree")
def removal_from_tree(order):
    os.rename(order["sealed"], order["sealed"] + ".gone")
    os.rename(order["sealed"] + ".gone", order["sealed"])
    return "moved"


@attempt("mode of a file of the tree")
def mode_of_tree(order):
    os.chmod(order["sealed"], 0o600)
    return "changed"
