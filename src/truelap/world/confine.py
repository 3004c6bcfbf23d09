"""The two ways in which a process without privileges gives up what it could do: a Landlock domain, and a filter of system calls.

Imported by launchers, by the name that it has in its own folder: few imports.
"""

from __future__ import annotations

import ctypes
import os
import stat

TYPE_CHECKING = False
if TYPE_CHECKING:
    from truelap.world import launch_base as base
else:
    import launch_base as base

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_PATH_BENEATH = 1
_OF_FILES = 0xC007
"""Rights that mean something for a file: execute, write, read, truncate, device control."""

_PR_SET_SECCOMP, _FILTER = 22, 2
_INSTRUCTION_BYTES = 8


def restrict(handled: tuple[int, ...], rules: list[tuple[int, int]]) -> None:
    """Enter a new domain, within the one of the caller.

    Args:
        handled: rights to files, rights to the network, scopes; as many of these as the kernel knows.
        rules: descriptors of files and folders, and the rights that are given back below them.
    """
    attributes = b"".join(number.to_bytes(8, "little") for number in handled)
    size, none = base.word(len(attributes)), base.word(0)
    ruleset = base.must("landlock", base.libc.syscall(_CREATE_RULESET, attributes, size, none))
    for descriptor, access in rules:
        folder = stat.S_ISDIR(os.fstat(descriptor).st_mode)
        allowed = access & handled[0] & (-1 if folder else _OF_FILES)
        rule = allowed.to_bytes(8, "little") + descriptor.to_bytes(4, "little")
        result = base.libc.syscall(_ADD_RULE, ruleset, base.word(_PATH_BENEATH), rule, none)
        base.must("rule of landlock", result)
    base.must("landlock", base.libc.syscall(_RESTRICT_SELF, ruleset, none))
    os.close(ruleset)


def install(program: bytes) -> None:
    """Install a filter of system calls; see `seccomp`."""
    kept = ctypes.create_string_buffer(program, len(program))
    count = len(program) // _INSTRUCTION_BYTES
    head = count.to_bytes(8, "little") + ctypes.addressof(kept).to_bytes(8, "little")
    result = base.libc.prctl(_PR_SET_SECCOMP, base.word(_FILTER), head, base.word(0), base.word(0))
    base.must("filter of system calls", result)
