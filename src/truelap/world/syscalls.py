"""Numbers of system calls that a sandbox's filter has to do with, each on x86_64 and on aarch64."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

Numbers = tuple[int, int]
"""On x86_64, and on aarch64."""

REFUSED: Mapping[str, Numbers] = MappingProxyType(
    {
        # memory and descriptors of other processes
        "ptrace": (101, 117),
        "process_vm_readv": (310, 270),
        "process_vm_writev": (311, 271),
        "process_madvise": (440, 440),
        "pidfd_getfd": (438, 438),
        "kcmp": (312, 272),
        # mounts and roots
        "mount": (165, 40),
        "umount2": (166, 39),
        "pivot_root": (155, 41),
        "chroot": (161, 51),
        "fsopen": (430, 430),
        "fsconfig": (431, 431),
        "fsmount": (432, 432),
        "fspick": (433, 433),
        "move_mount": (429, 429),
        "open_tree": (428, 428),
        "mount_setattr": (442, 442),
        "open_by_handle_at": (304, 265),
        "name_to_handle_at": (303, 264),
        # namespaces (the flags of clone are looked at below)
        "unshare": (272, 97),
        "setns": (308, 268),
        # wide doors into the kernel
        "bpf": (321, 280),
        "perf_event_open": (298, 241),
        "io_uring_setup": (425, 425),
        "io_uring_enter": (426, 426),
        "io_uring_register": (427, 427),
        "userfaultfd": (323, 282),
        "fanotify_init": (300, 262),
        "lookup_dcookie": (212, 18),
        "add_key": (248, 217),
        "request_key": (249, 218),
        "keyctl": (250, 219),
        # the machine
        "acct": (163, 89),
        "adjtimex": (159, 171),
        "clock_adjtime": (305, 266),
        "clock_settime": (227, 112),
        "settimeofday": (164, 170),
        "init_module": (175, 105),
        "finit_module": (313, 273),
        "delete_module": (176, 106),
        "kexec_load": (246, 104),
        "kexec_file_load": (320, 294),
        "nfsservctl": (180, 42),
        "quotactl": (179, 60),
        "quotactl_fd": (443, 443),
        "reboot": (169, 142),
        "setdomainname": (171, 162),
        "sethostname": (170, 161),
        "swapon": (167, 224),
        "swapoff": (168, 225),
        "syslog": (103, 116),
        "vhangup": (153, 58),
        # objects that outlive their processes, and memory that no process seems to hold
        "mq_open": (240, 180),
        "mq_unlink": (241, 181),
        "msgctl": (71, 187),
        "msgget": (68, 186),
        "msgrcv": (70, 188),
        "msgsnd": (69, 189),
        "semctl": (66, 191),
        "semget": (64, 190),
        "semop": (65, 193),
        "semtimedop": (220, 192),
        "shmat": (30, 196),
        "shmctl": (31, 195),
        "shmdt": (67, 197),
        "shmget": (29, 194),
    }
)
"""Fails with EPERM, as it would for want of privileges. Numbers on x86_64 and aarch64."""

OF_ONE_MACHINE: Mapping[str, Mapping[str, int]] = MappingProxyType(
    {
        "x86_64": {"ioperm": 173, "iopl": 172, "modify_ldt": 154, "sysfs": 139, "uselib": 134, "ustat": 136},
        "aarch64": {},
    }
)
"""Refused likewise, where they exist."""

OBSERVED: Mapping[str, Numbers] = MappingProxyType(
    {
        "clone": (56, 220),
        "clone3": (435, 435),
        "ioctl": (16, 29),
        "personality": (135, 92),
        "socket": (41, 198),
        "socketpair": (53, 199),
    }
)
"""Allowed or refused by their arguments. clone3 keeps them where a filter cannot look: it does not exist, and C libraries then
use clone."""

OF_PROCESSES: Mapping[str, tuple[Numbers, int]] = MappingProxyType(
    {
        "prlimit64": ((302, 261), 0),
        "sched_setaffinity": ((203, 122), 0),
        "sched_setattr": ((314, 274), 0),
        "sched_setparam": ((142, 118), 0),
        "sched_setscheduler": ((144, 119), 0),
        "ioprio_set": ((251, 30), 1),
        "setpriority": ((141, 140), 1),
    }
)
"""Change something of the process that an argument names, 0 for the caller; and which argument."""

NAMELESS: Numbers = (319, 279)
"""memfd_create."""

NEWEST = 466
"""Last call that is known here, the same on both machines; what came later does not exist for a sandbox."""
