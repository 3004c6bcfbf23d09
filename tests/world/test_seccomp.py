"""The filter, evaluated as the kernel would: what each call gets, on both machines, and that honest ones get through."""

from __future__ import annotations

import errno
import re
import struct
import subprocess
from pathlib import Path

import pytest

from truelap.world.seccomp import (
    AF_INET,
    AF_INET6,
    AF_NETLINK,
    AF_UNIX,
    Leave,
    is_known,
    refusing,
    sandbox_filter,
)
from truelap.world.syscalls import NAMELESS, NEWEST, OBSERVED, OF_ONE_MACHINE, OF_PROCESSES, REFUSED

MACHINES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}
NETWORK = Leave((AF_UNIX, AF_INET, AF_INET6, AF_NETLINK))
ALLOWED, KILLED = 0x7FFF0000, 0x80000000
HEADERS = {
    "x86_64": Path("/usr/include/x86_64-linux-gnu/asm/unistd_64.h"),
    "aarch64": Path("/usr/include/asm-generic/unistd.h"),
}
HONEST = {  # Some that programs live on.
    "x86_64": [
        0,
        1,
        2,
        9,
        10,
        11,
        13,
        14,
        39,
        59,
        60,
        61,
        202,
        231,
        257,
        262,
        293,
        302,
        318,
        332,
        334,
        436,
        441,
    ],
    "aarch64": [
        56,
        57,
        63,
        64,
        93,
        94,
        98,
        129,
        172,
        214,
        215,
        221,
        222,
        226,
        260,
        261,
        278,
        291,
        293,
        436,
        441,
    ],
}


def evaluated(program: bytes, number: int, *arguments: int, machine: str = "x86_64") -> int:
    """What the filter says of a call. As in the kernel: no jump back, no way past the end."""
    lines = [struct.unpack_from("<HBBI", program, at) for at in range(0, len(program), 8)]
    padded = [*arguments, *[0] * (6 - len(arguments))]
    data = struct.pack(
        "<IIQ6Q", number, MACHINES[machine][1], 0, *(value & (1 << 64) - 1 for value in padded)
    )
    loaded, at = 0, 0
    while True:
        code, yes, no, operand = lines[at]
        at += 1
        if code == 0x20:
            (loaded,) = struct.unpack_from("<I", data, operand)
        elif code == 0x06:
            return operand
        else:
            holds = {
                0x15: loaded == operand,
                0x25: loaded > operand,
                0x35: loaded >= operand,
                0x45: bool(loaded & operand),
            }[code]
            at += yes if holds else no


def says(number: int) -> int:
    return 0x00050000 | number


@pytest.fixture(params=sorted(MACHINES))
def machine(request):
    return request.param


@pytest.fixture
def asked(machine):
    def ask(name: str, *arguments: int, leave: Leave = NETWORK) -> int:
        table = {**REFUSED, **OBSERVED, "memfd_create": NAMELESS}
        table |= {known: numbers for known, (numbers, _) in OF_PROCESSES.items()}
        number = table[name][MACHINES[machine][0]]
        return evaluated(sandbox_filter(machine, leave), number, *arguments, machine=machine)

    return ask


@pytest.mark.parametrize("name", sorted(REFUSED))
def test_what_is_refused(asked, name):
    assert asked(name) == says(errno.EPERM)


def test_what_exists_on_one_machine_only(machine):
    made = sandbox_filter(machine, NETWORK)
    for number in OF_ONE_MACHINE[machine].values():
        assert evaluated(made, number, machine=machine) == says(errno.EPERM)


def test_honest_calls(machine):
    made = sandbox_filter(machine, Leave())
    for number in HONEST[machine]:
        assert evaluated(made, number, machine=machine) == ALLOWED


@pytest.mark.parametrize("other", [0x40000003, 0xC0000028, 0xC00000B7, 0xC000003E, 0])
def test_calls_of_another_machine_kill(machine, other):
    made = sandbox_filter(machine, NETWORK)
    if other == MACHINES[machine][1]:
        pytest.skip("its own")
    lines = [struct.unpack_from("<HBBI", made, at) for at in range(0, 24, 8)]
    assert lines == [(0x20, 0, 0, 4), (0x15, 1, 0, MACHINES[machine][1]), (0x06, 0, 0, KILLED)]


def test_x32_calls():
    assert evaluated(sandbox_filter("x86_64", NETWORK), 0x40000000 | 39) == says(errno.EPERM)


def test_calls_of_a_later_kernel_do_not_exist(machine):
    made = sandbox_filter(machine, NETWORK)
    assert evaluated(made, NEWEST + 1, machine=machine) == says(errno.ENOSYS)
    assert evaluated(made, NEWEST, machine=machine) == ALLOWED


@pytest.mark.parametrize("flag", [7, 17, 25, 26, 27, 28, 29, 30])
def test_new_namespaces(asked, flag):
    assert asked("clone", 1 << flag | 17) == says(errno.EPERM)
    assert asked("clone3") == says(errno.ENOSYS)


@pytest.mark.parametrize("flags", [17, 0x003D0F00, 0x01200011, 0x4111])
def test_new_processes_and_threads(asked, flags):
    assert asked("clone", flags) == ALLOWED


@pytest.mark.parametrize("high", [0, 1 << 32, 0xFFFFFFFF << 32])
def test_only_what_the_kernel_reads_of_an_argument_counts(asked, high):
    assert asked("ioctl", 0, 0x5412 | high) == says(errno.EPERM)
    assert asked("ioctl", 0, 0x541C | high) == says(errno.EPERM)
    assert asked("ioctl", 0, 0x5401 | high) == ALLOWED
    assert asked("socket", 38 | high) == says(errno.EACCES)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((AF_UNIX, 1, 0), ALLOWED),
        ((AF_INET, 1, 0), ALLOWED),
        ((AF_INET6, 2, 0), ALLOWED),
        ((AF_NETLINK, 3, 0), ALLOWED),
        ((AF_NETLINK, 3, 9), says(errno.EACCES)),
        ((17, 3, 0), says(errno.EACCES)),
        ((40, 1, 0), says(errno.EACCES)),
    ],
)
def test_sockets(asked, arguments, said):
    assert asked("socket", *arguments) == said
    assert asked("socket", *arguments, leave=Leave()) == says(errno.EACCES)


def test_pairs_of_sockets(asked):
    for leave in (NETWORK, Leave()):
        assert asked("socketpair", AF_UNIX, 1, 0, leave=leave) == ALLOWED
        assert asked("socketpair", 30, 1, 0, leave=leave) == says(errno.EACCES)


@pytest.mark.parametrize(
    ("persona", "said"), [(0, ALLOWED), (0xFFFFFFFF, ALLOWED), (0x40000, says(errno.EPERM))]
)
def test_personality(asked, persona, said):
    assert asked("personality", persona) == said


def test_files_without_a_name(asked):
    assert asked("memfd_create") == ALLOWED
    assert asked("memfd_create", leave=Leave(nameless=False)) == says(errno.ENOSYS)


@pytest.mark.parametrize("name", sorted(OF_PROCESSES))
def test_other_processes_of_the_same_user(asked, name):
    _, index = OF_PROCESSES[name]
    own, other = [0, 0], [0, 0]
    other[index] = 4711
    assert asked(name, *other) == ALLOWED
    assert asked(name, *own, leave=Leave(others=False)) == ALLOWED
    assert asked(name, *other, leave=Leave(others=False)) == says(errno.EPERM)


def test_what_a_container_refuses(machine):
    column, _ = MACHINES[machine]
    made = refusing(machine, ["ptrace", "mount"])
    for name, said in (("ptrace", says(errno.EPERM)), ("mount", says(errno.EPERM)), ("bpf", ALLOWED)):
        assert evaluated(made, REFUSED[name][column], machine=machine) == said
    assert evaluated(made, OBSERVED["clone"][column], 1 << 28, machine=machine) == says(errno.EPERM)
    assert evaluated(made, OBSERVED["clone"][column], 17, machine=machine) == ALLOWED


def test_another_kind_of_machine_has_no_filter():
    assert not is_known("riscv64")
    assert sandbox_filter("riscv64", NETWORK) is None


def test_numbers_are_those_of_the_kernels_headers(machine):
    """As far as the headers here know the calls; on this machine and, by its generic table, on the other."""
    header = HEADERS[machine]
    if not header.exists():
        pytest.skip("no headers of the kernel")
    argv = ["cc", "-E", "-dM", "-include", str(header), "-x", "c", "/dev/null"]
    try:
        said = subprocess.run(argv, capture_output=True, text=True, check=True).stdout
    except (FileNotFoundError, subprocess.CalledProcessError):
        pytest.skip("no compiler")
    numbers = {name: int(number) for name, number in re.findall(r"#define __NR_(\w+) (\d+)", said)}
    column, _ = MACHINES[machine]
    written = {
        name: found[column] for name, found in {**REFUSED, **OBSERVED, "memfd_create": NAMELESS}.items()
    }
    written |= {name: found[column] for name, (found, _) in OF_PROCESSES.items()} | dict(
        OF_ONE_MACHINE[machine]
    )
    assert {name: number for name, number in written.items() if numbers.get(name, number) != number} == {}
    assert len(written.keys() & numbers.keys()) > 60
