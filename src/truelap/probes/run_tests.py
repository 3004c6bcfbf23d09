"""Part of worker: runs the project's own pytest once, beside the code of a tree. Standard library and pytest only; Python >= 3.8.

Conversation, after the worker's hello:
    start         ->            mount, args, options (forced on pytest's), chunk_bytes,
                                values (the recorder's name, soft, test_s, idle_s; or null),
                                skip and only (ids), integrity, doctests and opened (below)
                  <- plugins    what pytest registered, as it happens
                  <- collector  one file, class or folder was collected
                  <- collected  the complete list of ids, in parts
                  <- phase      one phase of one test
                  <- values     what rewritten tests compared (attest.py)
                  <- doctest, opened, integrity: what the tree has, reads and changes (the programs of these names)
                  <- end        pytest returned; the process ends at once

Every reply is a claim of a process that shares its memory with the tree's code: the judge believes none alone.
"""

import json
import os
import signal
import struct
import sys
import tempfile
import threading
import traceback
from hashlib import sha256

import integrity_plugin
import record_tests

HEADER = struct.Struct(">I")
TEXT_CHARS = 4000
ID_CHARS = 4096
WHENS = ("setup", "call", "teardown")
OUTCOMES = ("passed", "failed", "skipped", "rerun")


def plain(text):
    """Text that survives JSON and files anywhere: what is not UTF-8 is shown escaped, the same way on both sides."""
    return str(text).encode("utf-8", "backslashreplace").decode("utf-8")


def node_name(text):
    name = plain(text)
    if len(name) <= ID_CHARS:
        return name
    return name[: ID_CHARS - 70] + "..." + sha256(name.encode("utf-8")).hexdigest()


def tail(text):
    return plain(text)[-TEXT_CHARS:]


class Wire:
    """The worker's end of the judge's channel. Tests patch and fork: what it needs is bound before they run."""

    def __init__(self, end):
        self._end = end
        self._encode = json.JSONEncoder(allow_nan=False).encode
        self._pid = os.getpid()
        self._getpid = os.getpid
        self._pack = HEADER.pack
        self._lock = threading.Lock()
        self._mask = signal.pthread_sigmask
        self._signals = set(signal.valid_signals()) if hasattr(signal, "valid_signals") else {signal.SIGALRM}

    def send(self, message):
        # A test that forks and returns twice must not report twice.
        if self._getpid() != self._pid:
            return
        body = self._encode(message).encode("ascii")
        frame = self._pack(len(body)) + body
        # A time-out plugin's alarm must not cut a frame in two.
        before = self._mask(signal.SIG_BLOCK, self._signals)
        try:
            with self._lock:
                self._end.sendall(frame)
        finally:
            self._mask(signal.SIG_SETMASK, before)

    def receive(self):
        return json.loads(self._take(HEADER.unpack(self._take(HEADER.size))[0]).decode("utf-8"))

    def _take(self, count):
        taken = b""
        while len(taken) < count:
            chunk = self._end.recv(count - len(taken))
            if not chunk:
                os._exit(1)
            taken += chunk
        return taken


class Reporter:
    """The judge's plugin: passes on what pytest reports, and forces the few options that the judge decides."""

    def __init__(self, wire, start):
        self._wire = wire
        self.plugins = [self]
        self._mount = os.path.join(os.path.realpath(start["mount"]), "")
        self._options = start["options"]
        self._chunk_bytes = start["chunk_bytes"]
        self._skip = frozenset(start["skip"])
        self._only = frozenset(start["only"])
        self._manager = None
        self._unsent = []
        self.warnings = 0
        self.internal = ""

    def pytest_plugin_registered(self, plugin, manager):
        self._manager = manager
        if not any(plugin is ours for ours in self.plugins):
            self._unsent.append((manager.get_name(plugin), plugin))

    def pytest_warning_recorded(self):
        self.warnings += 1

    def pytest_internalerror(self, excrepr):
        self.internal = tail(excrepr)

    def pytest_collectreport(self, report):
        text = "" if report.outcome == "passed" else self._text(report)
        outcome = report.outcome if report.outcome in OUTCOMES[:3] else "failed"
        name = node_name(report.nodeid)
        self._wire.send({"type": "collector", "id": name, "outcome": outcome, "text": text})

    def pytest_collection_modifyitems(self, items):
        named = [(node_name(item.nodeid), item) for item in items]
        items[:] = [
            item for name, item in named if name not in self._skip and name in (self._only or (name,))
        ]

    def pytest_collection_finish(self, session):
        self.flush_plugins()
        part, size = [], 0
        for item in session.items:
            name = node_name(item.nodeid)
            # Twelve bytes hold the longest JSON escape of one character.
            if part and size + 12 * len(name) > self._chunk_bytes:
                self._wire.send({"type": "collected", "ids": part, "last": False})
                part, size = [], 0
            part.append(name)
            size += 12 * len(name) + 4
        self._wire.send({"type": "collected", "ids": part, "last": True})

    def pytest_runtest_logreport(self, report):
        if report.when not in WHENS:
            return
        self._wire.send(
            {
                "type": "phase",
                "id": node_name(report.nodeid),
                "when": report.when,
                "outcome": report.outcome if report.outcome in OUTCOMES else "failed",
                "xfail": hasattr(report, "wasxfail"),
                "sub": type(report).__name__.lower() == "subtestreport",
                "seconds": max(0.0, float(report.duration)),
                "text": "" if report.outcome == "passed" else self._text(report),
            }
        )

    def pytest_configure(self, config):
        for name, value in self._options.items():
            if hasattr(config.option, name):
                setattr(config.option, name, value)
        self.flush_plugins()

    def flush_plugins(self):
        if not self._unsent:
            return
        found, self._unsent = self._unsent, []
        dists = {id(plugin): dist for plugin, dist in self._manager.list_plugin_distinfo()}
        plugins = [self._described(name, plugin, dists.get(id(plugin))) for name, plugin in found]
        self._wire.send({"type": "plugins", "plugins": plugins})

    def _described(self, name, plugin, dist):
        kind = type(plugin)
        if name is None or name.isdigit():
            # A plugin without a name is registered under its address, which differs from run to run.
            name = getattr(plugin, "__name__", "object:{}.{}".format(kind.__module__, kind.__qualname__))
        module = plugin if hasattr(plugin, "__file__") else sys.modules.get(kind.__module__)
        file = os.path.realpath(str(getattr(module, "__file__", None) or "/"))
        return {
            "name": plain(name)[:1000],
            "dist": "" if dist is None else plain(getattr(dist, "project_name", dist))[:1000],
            "in_tree": file.startswith(self._mount),
        }

    def _text(self, report):
        try:
            text = report.longreprtext
            if not text and report.longrepr is not None:
                text = str(report.longrepr)
        except Exception as error:
            text = "the report cannot be shown: {}".format(type(error).__name__)
        return tail(text)


def run(wire, start, reporter, pytest):
    # First in line: plugins that distribute or repeat tests look at the options in their own pytest_configure.
    pytest.hookimpl(tryfirst=True)(Reporter.pytest_configure)
    args = list(start["args"])
    if start["cache"]:
        args[:0] = ["-o", "cache_dir=" + os.path.join(tempfile.gettempdir(), "pytest-cache")]
    try:
        code = int(pytest.main(args, plugins=list(reporter.plugins)))
    except SystemExit as error:
        code = error.code if isinstance(error.code, int) else 3
    except BaseException:
        code, reporter.internal = 3, tail(traceback.format_exc())
    reporter.flush_plugins()
    wire.send({"type": "end", "exit": code, "warnings": reporter.warnings, "text": reporter.internal})


def work(end, start, around):
    """The life of a worker that runs tests; `end` is its end of the channel."""
    wire = Wire(end)
    pytest = around.pytest or __import__("pytest")
    reporter = Reporter(wire, start)
    reporter.plugins += record_tests.prepare(wire.send, plain, node_name, start, around.numpy, pytest)
    reporter.plugins += integrity_plugin.prepare(wire, reporter.plugins, start["integrity"], pytest)
    around.settle("tests", start["roots"], start["apart"])
    status = 1
    try:
        run(wire, start, reporter, pytest)
        status = 0
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        # Threads and exit handlers of the tree's code have no say after the end.
        os._exit(status)
