"""Becomes what a process of root is in a stock container, then a program: `PYTHON stock_container.py PROGRAM ARGUMENT...`.

Docker's fourteen default capabilities, and a filter that refuses new namespaces, mounts, ptrace and what else its default profile
refuses. It is an experiment, not Docker: there is no AppArmor, and no part of /proc is covered.
"""

from __future__ import annotations

import importlib.util
import os
import platform
import sys
from pathlib import Path

CAPABILITIES = 0xA80425FB
REFUSED = (
    *("mount", "umount2", "pivot_root", "fsopen", "fsconfig", "fsmount", "fspick", "move_mount", "open_tree"),
    *("mount_setattr", "open_by_handle_at", "unshare", "setns", "bpf", "perf_event_open", "userfaultfd"),
    *("io_uring_setup", "io_uring_enter", "io_uring_register", "add_key", "request_key", "keyctl", "kcmp"),
    *("ptrace", "process_vm_readv", "process_vm_writev", "clock_settime", "settimeofday", "syslog", "reboot"),
    *("init_module", "finit_module", "delete_module", "kexec_load", "swapon", "swapoff", "acct", "quotactl"),
)


def main() -> None:
    from truelap.world.seccomp import refusing

    sys.path.append(str(Path(importlib.util.find_spec("truelap.world").origin).parent))
    import confine
    import launch_base

    for capability in range(64):
        if not CAPABILITIES >> capability & 1 and launch_base.prctl(launch_base.PR_CAPBSET_DROP, capability):
            break
    confine.install(refusing(platform.machine(), REFUSED))
    os.execv(sys.argv[1], sys.argv[1:])


if __name__ == "__main__":
    main()
