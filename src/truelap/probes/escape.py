"""Tries to get out of a sandbox, and to use what honest tests need: `PYTHON -s escape.py FD`.

Every attempt reports whether it got through and what it saw. What that means is for the judge to say: each backend has its own
written expectations. An attempt must not change the machine on which it gets through: it acts on things of its own, in a process
of its own, or asks in a form that fails for another reason once permission is given. In a process with capabilities, which is
not confined, what could change something is not even tried.
"""

import ctypes
import errno
import json
import os
import platform
import resource
import socket
import struct
import sys
import tempfile
import threading

CLONE_NEWNS, CLONE_NEWUSER, CLONE_NEWPID, CLONE_NEWNET = 0x00020000, 0x10000000, 0x20000000, 0x40000000
PTRACE_SEIZE = 0x4206
PR_GET_NO_NEW_PRIVS = 39
CALLS = {
    "x86_64": {"perf": 298, "bpf": 321, "userfaultfd": 323, "add_key": 248},
    "aarch64": {"perf": 241, "bpf": 280, "userfaultfd": 282, "add_key": 217},
}.get(platform.machine(), {})
IO_URING_SETUP = 425

libc = ctypes.CDLL(None, use_errno=True)
ATTEMPTS = {}
TIMID = set()


def attempt(name, timid=False):
    """Keep an attempt under its name. A timid one is not made in a process that has capabilities."""

    def keep(function):
        ATTEMPTS[name] = function
        if timid:
            TIMID.add(name)
        return function

    return keep


def checked(result):
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return result


def connect(family, address):
    with socket.socket(family, socket.SOCK_STREAM) as client:
        client.settimeout(2)
        client.connect(address)
    return "connected"


@attempt("loopback")
def loopback(order):
    return connect(socket.AF_INET, ("127.0.0.1", order["port"]))


@attempt("abstract socket")
def abstract_socket(order):
    return connect(socket.AF_UNIX, "\0" + order["abstract"])


@attempt("path socket")
def path_socket(order):
    return connect(socket.AF_UNIX, order["socket"])


@attempt("outside network")
def outside_network(_order):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as client:
        client.connect(("192.0.2.1", 9))
        return client.getsockname()[0]


@attempt("judge's file")
def judges_file(order):
    with open(order["secret"]) as file:
        return file.read()


@attempt("judge's environment")
def judges_environment(order):
    judge_in_proc(order)
    with open("/proc/%d/environ" % order["judge"], "rb") as file:
        return len(file.read())


@attempt("judge in /proc")
def judge_in_proc(order):
    with open("/proc/%d/cmdline" % order["judge"], "rb") as file:
        if file.read().decode("utf-8", "replace") != order["command"]:
            raise FileNotFoundError("another process has this number here")
    return "visible"


@attempt("signal to judge", timid=True)
def signal_to_judge(order):
    judge_in_proc(order)
    os.kill(order["judge"], 0)
    return "allowed"


@attempt("ptrace of judge", timid=True)
def ptrace_of_judge(order):
    judge_in_proc(order)
    # Seizing does not stop it, and ends with this process.
    checked(libc.ptrace(PTRACE_SEIZE, order["judge"], None, None))
    return "attached"


@attempt("memory of judge", timid=True)
def memory_of_judge(order):
    judge_in_proc(order)
    with open("/proc/%d/mem" % order["judge"], "rb"):
        return "open"


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
    os.chroot("/tmp")
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


@attempt("kernel memory", timid=True)
def kernel_memory(_order):
    for name in ("/dev/mem", "/dev/kmem", "/proc/kcore", "/dev/kmsg"):
        try:
            with open(name, "rb") as file:
                file.read(1)
            return name
        except OSError as error:
            last = error
    raise last


@attempt("kernel settings", timid=True)
def kernel_settings(_order):
    for name in (
        "kernel/core_pattern",
        "kernel/randomize_va_space",
        "vm/overcommit_memory",
        "kernel/hostname",
    ):
        try:
            os.close(os.open("/proc/sys/" + name, os.O_WRONLY))
            return name
        except OSError as error:
            last = error
    raise last


@attempt("io_uring")
def io_uring(_order):
    parameters = ctypes.create_string_buffer(120)
    os.close(checked(libc.syscall(IO_URING_SETUP, 1, parameters)))
    return "made"


def call_attempt(name, *arguments):
    @attempt(name)
    def call(_order):
        if name not in CALLS:
            raise OSError(errno.ENOSYS, "not tried on this kind of machine")
        found = checked(libc.syscall(CALLS[name], *arguments))
        return "allowed (%d)" % found


call_attempt("userfaultfd", 0)
call_attempt("bpf", 0, ctypes.create_string_buffer(struct.pack("=IIII", 1, 4, 4, 1) + bytes(112)), 128)
call_attempt("perf", ctypes.create_string_buffer(struct.pack("=IIQ", 1, 128, 1) + bytes(112)), 0, -1, -1, 0)
call_attempt("add_key", b"user", b"escape", b"x", 1, -1)


@attempt("outside the tree", timid=True)
def outside_the_tree(order):
    """A file made anywhere but in the tree, /tmp and /dev/shm."""
    free = tuple(order["free"])
    for folder in folders(order["thorough"]):
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


def folders(thorough):
    yield from mount_points()
    yield from (
        "/",
        "/etc",
        "/usr",
        "/usr/bin",
        "/root",
        "/home",
        "/var",
        "/var/tmp",
        "/run",
        "/dev",
        "/sys",
        "/opt",
        "/truelap",
        "/workspace",
    )
    yield from sys.path
    if thorough:
        for place, below, _ in os.walk("/"):
            if place.count("/") > 2 or place.startswith("/proc"):
                below.clear()
            yield place


def mount_points():
    with open("/proc/self/mountinfo") as file:
        for line in file:
            target = line.split()[4]
            yield target if os.path.isdir(target) else os.path.dirname(target)


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


# What honest programs need.


@attempt("honest: new file in the tree")
def new_file(_order):
    with open("made-by-the-step", "x") as file:
        file.write("x")
    return os.path.abspath("made-by-the-step")


@attempt("honest: scratch")
def scratch(_order):
    for folder in ("/tmp", "/dev/shm", os.environ["HOME"], os.environ["TMPDIR"]):
        name = os.path.join(folder, "scratch")
        with open(name, "w") as file:
            file.write("x")
        os.unlink(name)
    return sorted(os.listdir(os.environ["HOME"]))


@attempt("honest: own server")
def own_server(_order):
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen(1)
        return connect(socket.AF_INET, server.getsockname())


@attempt("honest: processes")
def own_processes(_order):
    status = os.spawnv(os.P_WAIT, sys.executable, [sys.executable, "-I", "-S", "-c", "raise SystemExit(7)"])
    if status != 7:
        raise OSError("a program that was started ended with %d" % status)
    return status


@attempt("honest: threads")
def own_threads(_order):
    threads = [threading.Thread(target=int) for _ in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return len(threads)


@attempt("honest: semaphores")
def semaphores(_order):
    import multiprocessing

    with multiprocessing.Lock():
        return "taken"


@attempt("honest: names")
def names(_order):
    import getpass

    return [getpass.getuser(), os.path.expanduser("~"), socket.gethostbyname("localhost")]


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
        "pids": sorted(int(name) for name in os.listdir("/proc") if name.isdigit()),
        "pid": os.getpid(),
        "environment": dict(os.environ),
        "descriptors": descriptors(),
        "folder": os.getcwd(),
        "argv": sys.argv,
        "executable": sys.executable,
        "prefixes": [sys.prefix, sys.base_prefix],
        "first_command_line": first_command_line(),
        "limits": {
            name: resource.getrlimit(getattr(resource, name))
            for name in ("RLIMIT_NPROC", "RLIMIT_AS", "RLIMIT_CORE")
        },
    }


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


NOT_MADE = {"through": True, "saw": "not tried: this process has capabilities"}


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
    seen = facts()
    held = seen["capabilities"]["CapPrm"] | seen["capabilities"]["CapEff"]
    kept = TIMID if held else ()
    attempts = {name: NOT_MADE if name in kept else tried(ATTEMPTS[name], order) for name in chosen}
    send({"type": "facts", "facts": seen, "attempts": attempts})
    send({"type": "end"})


main()
