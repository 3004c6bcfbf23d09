"""Attempts on doors into the kernel that no test needs; see `escape`. Each makes something of its own, which ends with it."""

import ctypes
import fcntl
import mmap
import os
import socket
import struct

from escape_kit import MACHINE, attempt, call, checked, libc

TIOCSTI = 0x5412
PTRACE_TRACEME = 0
NO_RANDOMIZE = 0x0040000


@attempt("io_uring")
def io_uring(_order):
    os.close(call((425, 425), 1, ctypes.create_string_buffer(120)))
    return "made"


def call_attempt(name, numbers, *arguments):
    @attempt(name)
    def made(_order):
        return "allowed (%d)" % call(numbers, *arguments)


call_attempt("userfaultfd", (323, 282), 0)
call_attempt(
    "bpf",
    (321, 280),
    0,
    ctypes.create_string_buffer(struct.pack("=IIII", 1, 4, 4, 1) + bytes(112)),
    128,
)
call_attempt(
    "perf",
    (298, 241),
    ctypes.create_string_buffer(struct.pack("=IIQ", 1, 128, 1) + bytes(112)),
    0,
    -1,
    -1,
    0,
)
call_attempt("add_key", (248, 217), b"user", b"escape", b"x", 1, -1)
call_attempt("keyctl", (250, 219), 0, -3, 0)
call_attempt("fsopen", (430, 430), b"tmpfs", 0)
call_attempt("open_tree", (428, 428), -100, b"/", 0)
call_attempt("kcmp", (312, 272), os.getpid(), os.getpid(), 0, 0, 1)
call_attempt("ptrace", (101, 117), PTRACE_TRACEME, 0, 0, 0)
call_attempt("log of the kernel", (103, 116), 10, None, 0)
call_attempt("adjtimex", (159, 171), ctypes.create_string_buffer(256))


@attempt("personality")
def personality(_order):
    return checked(libc.personality(ctypes.c_ulong(NO_RANDOMIZE)))


@attempt("file handle")
def file_handle(_order):
    handle = ctypes.create_string_buffer(struct.pack("=Ii", 128, 0) + bytes(128))
    return call((303, 264), -100, b"/", handle, ctypes.byref(ctypes.c_int()), 0)


@attempt("own memory by call")
def own_memory_by_call(_order):
    buffer = ctypes.create_string_buffer(8)
    place = (ctypes.c_ulong * 2)(ctypes.addressof(buffer), 8)
    return call((310, 270), os.getpid(), place, 1, place, 1, 0)


@attempt("odd sockets")
def odd_sockets(_order):
    """crypto, virtual machine, packet, key, Bluetooth; kernel messages of audit, of netfilter."""
    kinds = [(38, 5, 0), (40, 1, 0), (17, 3, 0), (15, 3, 2), (31, 3, 0), (16, 3, 9), (16, 3, 12)]
    for family, kind, protocol in kinds:
        try:
            socket.socket(family, kind, protocol).close()
            return family, protocol
        except OSError as error:
            last = error
    raise last


@attempt("System V memory")
def system_v_memory(_order):
    found = checked(libc.shmget(0, 4096, 0o1600))
    libc.shmctl(found, 0, None)
    return "made"


@attempt("message queue")
def message_queue(_order):
    name = b"/truelap-escape-%d" % os.getpid()
    checked(call((240, 180), name[1:], os.O_CREAT | os.O_RDWR, 0o600, None))
    call((241, 181), name[1:])
    return "made"


@attempt("input of a terminal")
def terminal_input(_order):
    _, terminal = os.openpty()
    fcntl.ioctl(terminal, TIOCSTI, b"x")
    return "typed"


@attempt("x32 call")
def x32_call(_order):
    return checked(libc.syscall(ctypes.c_long(0x40000000 | 39)))


@attempt("32-bit call")
def short_call(_order):
    """getpid by the old gate, whose numbers mean other calls."""
    if MACHINE != "x86_64":
        raise OSError(38, "not tried on this kind of machine")
    code = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    code.write(b"\xb8\x14\x00\x00\x00\xcd\x80\xc3")
    place = ctypes.addressof(ctypes.c_char.from_buffer(code))
    found = ctypes.CFUNCTYPE(ctypes.c_int)(place)()
    if found < 0:
        raise OSError(-found, os.strerror(-found))
    return found
