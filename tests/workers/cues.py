"""A package that writes down what it can see of the process that imports it, and of the one that calls it.

Put into a tree as `tiny/__init__.py`, so it is complete in itself. Each process leaves one file per moment in the tree.
"""
# ruff: noqa: E402, PTH110, PTH123, PTH208, UP031, C416

import sys

_MODULES = sorted(sys.modules)
_FRAMES = []
_frame = sys._getframe()
while _frame is not None:
    _FRAMES.append(_frame.f_code.co_filename)
    _frame = _frame.f_back

import atexit
import builtins
import faulthandler
import gc
import hashlib
import json
import logging
import os
import resource
import signal
import stat
import threading
import warnings


def _kind(value):
    return f"{type(value).__module__}.{type(value).__qualname__}"


def _descriptors():
    found = {}
    for number in range(64):
        try:
            mode = os.fstat(number).st_mode
            found[number] = [stat.S_IFMT(mode), os.get_inheritable(number)]
        except OSError:
            continue
    return found


def _digest(path):
    try:
        with open(path, "rb") as file:
            return hashlib.sha256(file.read()).hexdigest()
    except OSError:
        return "missing"


def _text(path):
    with open(path, "rb") as file:
        return file.read().decode("utf-8", "replace")


def _streams():
    return [[_kind(one), one.isatty()] for one in (sys.stdin, sys.stdout, sys.stderr)]


def _handlers():
    return {int(number): str(signal.getsignal(number)) for number in signal.valid_signals()}


def _probe_objects():
    kinds = {_kind(one) for one in gc.get_objects()}
    ours = (
        "run_",
        "bench_",
        "record_",
        "surroundings",
        "attest",
        "encode",
        "opened",
        "integrity",
        "doctest_calls",
    )
    return sorted(kind for kind in kinds if kind.startswith(ours))


def _mask():
    old = os.umask(0)
    os.umask(old)
    return old


CUES = {
    "arguments": lambda: sys.argv,
    "command line": lambda: _text("/proc/self/cmdline"),
    "first arguments": lambda: getattr(sys, "orig_argv", None),
    "environment": lambda: dict(os.environ),
    "working folder": os.getcwd,
    "search path": lambda: sys.path,
    "flags": lambda: [str(sys.flags), sys._xoptions, sys.pycache_prefix, sys.dont_write_bytecode],
    "main file": lambda: sys.modules["__main__"].__file__,
    "main names": lambda: sorted(vars(sys.modules["__main__"])),
    "modules": lambda: _MODULES,
    # The word alone is a reason to have it ready.
    "arrays": lambda: "numpy" in sys.modules,
    "finders": lambda: [_kind(one) for one in sys.meta_path] + [_kind(one) for one in sys.path_hooks],
    "descriptors": _descriptors,
    "limits": lambda: {
        n: getattr(resource, n) and resource.getrlimit(getattr(resource, n))
        for n in dir(resource)
        if n.startswith("RLIMIT_")
    },
    "temporary files": lambda: [sorted(os.listdir(folder)) for folder in ("/tmp", "/tmp/home", "/dev/shm")],
    "folders": lambda: {folder: sorted(os.listdir(folder)) for folder in ("/", "/truelap", "/etc", "/dev")},
    "tree": lambda: sorted(name for name in os.listdir("/workspace/repo") if not name.startswith("cues-")),
    "suite": lambda: _digest("/workspace/repo/benchmarks/bench.py"),
    "tests": lambda: _digest("/workspace/repo/tests/test_total.py"),
    "identity": lambda: [
        os.getuid(),
        os.geteuid(),
        os.getgid(),
        os.getgroups(),
        os.getpriority(os.PRIO_PROCESS, 0),
    ],
    "process": lambda: [os.getpid(), os.getppid(), os.getpgid(0), os.getsid(0)],
    "threads": lambda: [[one.name for one in threading.enumerate()], len(os.listdir("/proc/self/task"))],
    "mask of files": _mask,
    "signals": _handlers,
    "blocked signals": lambda: sorted(map(int, signal.pthread_sigmask(signal.SIG_BLOCK, []))),
    "collector": lambda: [gc.isenabled(), gc.get_threshold(), gc.get_debug(), len(gc.callbacks)],
    "frozen objects": lambda: gc.get_freeze_count() > 0,
    "frames": lambda: _FRAMES,
    "streams": _streams,
    "warnings": lambda: [len(warnings.filters), str(warnings.showwarning.__qualname__)],
    "logging": lambda: [_kind(one) for one in logging.root.handlers] + [logging.root.level],
    "hooks": lambda: (
        [getattr(sys, n).__module__ for n in ("excepthook", "unraisablehook", "displayhook")]
        + [threading.excepthook.__module__]
    ),
    "tracing": lambda: [
        sys.gettrace() is None,
        sys.getprofile() is None,
        sys.getrecursionlimit(),
        sys.getswitchinterval(),
    ],
    "cores": lambda: len(os.sched_getaffinity(0)),
    "exit handlers": atexit._ncallbacks,
    "fault handler": faulthandler.is_enabled,
    "builtins": lambda: sorted(vars(builtins)),
    "mounts": lambda: sorted(line.split()[4] for line in _text("/proc/self/mountinfo").splitlines()),
    "objects of the worker": _probe_objects,
}


def _note(moment):
    name = "/workspace/repo/cues-%s-%d.json" % (moment, os.getpid())
    if not os.path.exists(name):
        seen = {cue: look() for cue, look in CUES.items()}
        with open(name, "w") as file:
            json.dump(seen, file)


_note("imported")
_told = []


def total(n):
    if not _told:
        _told.append(1)
        _note("called")
    return sum([i for i in range(n)])
