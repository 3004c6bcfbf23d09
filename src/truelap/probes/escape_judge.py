"""Attempts on what is the judge's: its servers, files and processes; see `escape`."""

import ctypes
import errno
import os
import socket

from escape_kit import attempt, call, checked, libc

PTRACE_SEIZE = 0x4206


def connect(family, address, kind=socket.SOCK_STREAM):
    with socket.socket(family, kind) as client:
        client.settimeout(2)
        client.connect(address)
        if kind == socket.SOCK_STREAM:
            return "connected"
        client.send(b"x")
        return client.getsockname()[0]


@attempt("loopback")
def loopback(order):
    return connect(socket.AF_INET, ("127.0.0.1", order["port"]))


@attempt("abstract socket")
def abstract_socket(order):
    return connect(socket.AF_UNIX, "\0" + order["abstract"])


@attempt("path socket")
def path_socket(order):
    return connect(socket.AF_UNIX, "/" + order["socket"])


@attempt("outside network")
def outside_network(_order):
    # Documentation addresses: nobody is there.
    return connect(socket.AF_INET, ("192.0.2.1", 9), socket.SOCK_DGRAM)


@attempt("judge's file")
def judges_file(order):
    with open("/" + order["secret"]) as file:
        return file.read()


@attempt("judge's folder")
def judges_folder(order):
    return os.listdir(os.path.dirname("/" + order["secret"]))


@attempt("judge's file by name")
def judges_file_by_name(order):
    return os.stat("/" + order["secret"]).st_size


@attempt("mode of judge's file", timid=True)
def mode_of_judges_file(order):
    os.chmod("/" + order["secret"], os.stat("/" + order["secret"]).st_mode & 0o7777)
    return "set"


def same_numbers(order):
    """Whether the judge's number is the judge's here as well."""
    if os.readlink("/proc/self/ns/pid") != order["processes"]:
        raise ProcessLookupError("numbers of processes mean something else here")


@attempt("judge in /proc")
def judge_in_proc(order):
    with open("/proc/%d/cmdline" % order["judge"], "rb") as file:
        if file.read().decode("utf-8", "replace") != order["command"]:
            raise FileNotFoundError("another process has this number here")
    return "visible"


@attempt("judge's environment")
def judges_environment(order):
    same_numbers(order)
    with open("/proc/%d/environ" % order["judge"], "rb") as file:
        return len(file.read())


@attempt("memory of judge", timid=True)
def memory_of_judge(order):
    same_numbers(order)
    with open("/proc/%d/mem" % order["judge"], "rb"):
        return "open"


@attempt("memory of judge by call", timid=True)
def memory_of_judge_by_call(order):
    same_numbers(order)
    buffer = ctypes.create_string_buffer(8)
    ours = (ctypes.c_ulong * 2)(ctypes.addressof(buffer), 8)
    theirs = (ctypes.c_ulong * 2)(1, 8)
    try:
        call((310, 270), order["judge"], ours, 1, theirs, 1, 0)
    except OSError as error:
        # Nothing can be at that address; permission is asked for first.
        if error.errno != errno.EFAULT:
            raise
    return "allowed"


@attempt("signal to judge", timid=True)
def signal_to_judge(order):
    same_numbers(order)
    os.kill(order["judge"], 0)
    return "allowed"


@attempt("ptrace of judge", timid=True)
def ptrace_of_judge(order):
    same_numbers(order)
    # Seizing does not stop it, and ends with this process.
    checked(libc.ptrace(PTRACE_SEIZE, order["judge"], None, None))
    return "attached"


@attempt("descriptor of judge", timid=True)
def descriptor_of_judge(order):
    same_numbers(order)
    return call((438, 438), os.pidfd_open(order["judge"]), 0, 0)


@attempt("limits of judge", timid=True)
def limits_of_judge(order):
    import resource

    same_numbers(order)
    return resource.prlimit(order["judge"], resource.RLIMIT_CORE)


@attempt("cores of judge", timid=True)
def cores_of_judge(order):
    same_numbers(order)
    cores = os.sched_getaffinity(order["judge"])
    os.sched_setaffinity(order["judge"], cores)
    return sorted(cores)
