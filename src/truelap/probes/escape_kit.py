"""How an attempt to get out of a sandbox is written down; see `escape`."""

import ctypes
import os
import platform

ATTEMPTS = {}
TIMID = set()
MACHINE = platform.machine()
COLUMN = {"x86_64": 0, "aarch64": 1}.get(MACHINE)

libc = ctypes.CDLL(None, use_errno=True)


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


def call(numbers, *arguments):
    """A system call by its numbers on x86_64 and aarch64. Integers are passed as whole words."""
    if COLUMN is None:
        raise OSError(38, "not tried on this kind of machine")
    words = [ctypes.c_long(value) if isinstance(value, int) else value for value in arguments]
    return checked(libc.syscall(ctypes.c_long(numbers[COLUMN]), *words))
