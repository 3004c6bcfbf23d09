"""Runs ASV benchmarks at the judge's word, beside the code of a tree. Standard library and asv_runner only; Python >= 3.8.

    PYTHON -s -X pycache_prefix=... run_benchmarks.py FD

The program imports the suite's modules once and forks a child for each case (one benchmark, one parameter index); the
child holds the conversation until it ends. Nothing here measures anything: the judge reads the kernel's clocks from
outside and decides how many calls are made. Replies are claims of a process that shares its memory with the tree's code.

Conversation (frames: 4-byte big-endian length, one JSON object):
    hello                                    before anything of the tree can be imported
    start                  -> started        paths, suite folder, seed, folder of asv_runner
    discover {module}      -> found          import one module and describe its benchmarks
    load {module}          -> loaded         import one module, so that children have it
    case {...}             -> ready|skipped|failed   fork, build the benchmark, run setup at all levels
      run {calls, token}   -> done {token}|skipped|failed   that many calls, nothing else; none: shake the heap
      redo                 -> ready|skipped|failed   teardown and setup again
      close                                  teardown; then the child ends
                           -> ended {status} from the parent, once the child is gone, whatever happened
    end                    -> end            the program ends
"""

import gc
import importlib
import inspect
import json
import math
import os
import pickle
import random
import shutil
import socket
import struct
import sys
import tempfile
from itertools import repeat

HEADER = struct.Struct(">I")
TEXT_LIMIT = 2000


class Wire:
    """The worker's end of the judge's channel."""

    def __init__(self, fd):
        self.end = socket.socket(fileno=fd)

    def send(self, message):
        body = json.dumps(message, allow_nan=False).encode("ascii")
        self.end.sendall(HEADER.pack(len(body)) + body)

    def receive(self):
        (length,) = HEADER.unpack(self.take(HEADER.size))
        return json.loads(self.take(length).decode("utf-8"))

    def take(self, count):
        taken = b""
        while len(taken) < count:
            chunk = self.end.recv(count - len(taken))
            if not chunk:
                os._exit(0)
            taken += chunk
        return taken


def said(error):
    return "{}: {}".format(type(error).__name__, error)[:TEXT_LIMIT]


class Runner:
    """What is taken of asv_runner, imported before anything of a tree can stand in for it."""

    def __init__(self, folder):
        sys.path.insert(0, folder)
        from asv_runner._aux import update_sys_path
        from asv_runner.benchmarks.mark import SkipNotImplemented
        from asv_runner.discovery import _get_benchmark

        sys.path.remove(folder)
        self.add_suite = update_sys_path
        self.skip = SkipNotImplemented
        self.benchmark = _get_benchmark


class Suite:
    """The benchmarks of one folder, module by module: one that cannot be imported costs only its own."""

    def __init__(self, folder, runner):
        self.runner = runner
        runner.add_suite(folder)

    def discover(self, module_name):
        module = importlib.import_module(module_name)
        found = []
        for attr, value in sorted(vars(module).items()):
            if attr.startswith("_"):
                continue
            if inspect.isclass(value) and not inspect.isabstract(value):
                for name, member in inspect.getmembers(value):
                    if inspect.isfunction(member) or inspect.ismethod(member):
                        found += self.describe(module_name, attr, name)
            elif inspect.isfunction(value):
                found += self.describe(module_name, None, attr)
        return found

    def describe(self, module_name, klass, attr):
        where = {"module": module_name, "class": klass, "attr": attr}
        try:
            benchmark = self.build(module_name, klass, attr)
            return [] if benchmark is None else [dict(where, **facts(benchmark))]
        except BaseException as error:
            name = ".".join(part for part in (module_name, klass, attr) if part).split(".", 1)[1]
            return [dict(where, name=name, error=said(error))]

    def build(self, module_name, klass, attr):
        module = importlib.import_module(module_name)
        owner = None if klass is None else getattr(module, klass)
        func = getattr(module if owner is None else owner, attr)
        return self.runner.benchmark(attr, module, owner, func)


def facts(benchmark):
    timeout = benchmark.timeout
    return {
        "name": benchmark.name,
        "error": None,
        # Not its `type`: a suite may set that for track_ benchmarks, and timeraw_ has the same as time_.
        "kind": type(benchmark).__name__.replace("Benchmark", "").lower(),
        "params": benchmark.params,
        "timeout_s": float(timeout) if timeout is not None and math.isfinite(timeout) else None,
        "cache_key": benchmark.setup_cache_key,
    }


class Heap:
    """Moves where the next small objects come to lie.

    Each process has one heap layout, and some are slow: in one process of eight a plain loop over integers took 20 to 70 %
    more CPU, for good, because its objects lay at the edge of an allocator's pool. A shake before each turn makes every
    turn a new draw, so that the median over the turns of one process is no longer the luck of that process.
    """

    POOL = 16384

    def __init__(self):
        self.kept = []
        self.draw = random.SystemRandom()

    def shake(self):
        for size in range(16, 513, 16):
            count = self.draw.randrange(self.POOL // size)
            self.kept.append([bytes(size - 33) if size > 32 else object() for _ in range(count)])
        self.kept.append([1000 + number for number in range(self.draw.randrange(self.POOL // 32))])


class Case:
    """One benchmark with one set of parameters, alive in one process."""

    def __init__(self, suite, order):
        self.heap = Heap()
        self.skip = suite.runner.skip
        benchmark = suite.build(order["module"], order["class"], order["attr"])
        if benchmark is None or benchmark.name != order["name"]:
            raise LookupError("there is no benchmark of this name")
        if [len(axis) for axis in benchmark.params] != order["axes"]:
            raise LookupError("the benchmark's parameters are not those of base")
        if order["param"] is not None:
            benchmark.set_param_idx(order["param"])
        self.benchmark = benchmark
        self.skipped = False
        self.args = ()

    def setup(self, cache):
        self.heap.shake()
        self.benchmark.set_cache(cache)
        self.skipped = self.benchmark.do_setup()
        self.args = tuple(self.benchmark._build_params())

    def again(self):
        gc.enable()
        self.benchmark.do_teardown()
        self.setup(self.benchmark._current_cache)
        gc.disable()

    def run(self, calls):
        if not calls:
            self.heap.shake()
        func, args = self.benchmark.func, self.args
        if args:
            for _ in repeat(None, calls):
                func(*args)
        else:
            for _ in repeat(None, calls):
                func()


class Caches:
    """What `setup_cache` returned, as asv keeps it: made once per key in a process of its own, loaded by each case."""

    def __init__(self):
        self.folders = {}

    def folder(self, suite, order):
        key = order["cache_key"]
        if key is None:
            return None
        if key not in self.folders:
            self.folders[key] = tempfile.mkdtemp(prefix="cache-")
            reap(in_child(lambda: self.make(suite, order)))
        return self.folders[key]

    def make(self, suite, order):
        os.chdir(self.folders[order["cache_key"]])
        seed_all(order["seed"])
        made = Case(suite, order).benchmark.do_setup_cache()
        with open("cache.pickle", "wb") as file:
            pickle.dump(made, file)

    @staticmethod
    def load(folder):
        if folder is None:
            return None
        try:
            with open(os.path.join(folder, "cache.pickle"), "rb") as file:
                return pickle.load(file)
        except (OSError, EOFError) as error:
            raise RuntimeError("setup_cache failed") from error


def in_child(work):
    """Fork; the child does the work and never returns."""
    sys.stdout.flush()
    sys.stderr.flush()
    pid = os.fork()
    if pid:
        return pid
    status = 1
    try:
        work()
        status = 0
    except BaseException as error:
        sys.stderr.write(said(error) + "\n")
    finally:
        try:
            sys.stdout.flush()
            sys.stderr.flush()
        finally:
            os._exit(status)


def reap(pid):
    try:
        return os.waitpid(pid, 0)[1]
    except ChildProcessError:
        # A package that ignores SIGCHLD leaves nothing to wait for.
        return 0


def seed_all(seed):
    """The same random numbers on both sides, for suites that draw their inputs without a seed of their own."""
    random.seed(seed)
    numpy = sys.modules.get("numpy")
    if numpy is not None:
        try:
            numpy.random.seed(seed % 2**32)
        except Exception as error:
            sys.stderr.write(said(error) + "\n")


def answer(case, step, *args):
    """Do one thing and say how it went; as in asv, NotImplementedError in setup is a skip, and so is a special kind of it
    in the benchmark itself."""
    try:
        step(*args)
    except case.skip:
        return {"type": "skipped"}
    except BaseException as error:
        return {"type": "failed", "error": said(error)}
    if case.skipped:
        return {"type": "skipped"}
    return {"type": "ready", "number": int(getattr(case.benchmark, "number", 0) or 0)}


def converse(wire, case):
    """What the judge asks of one case, until it closes it or the case cannot go on."""
    while True:
        asked = wire.receive()
        if asked["type"] == "run":
            reply = answer(case, case.run, asked["calls"])
            if reply["type"] == "ready":
                reply = {"type": "done", "token": asked["token"]}
        elif asked["type"] == "redo":
            reply = answer(case, case.again)
        else:
            return
        wire.send(reply)
        if reply["type"] not in ("done", "ready"):
            return


def serve_case(wire, suite, order, cache_folder):
    """The child's life."""
    own = cache_folder or tempfile.mkdtemp(prefix="case-")
    os.chdir(own)
    seed_all(order["seed"])
    try:
        case = Case(suite, order)
        cache = Caches.load(cache_folder)
    except BaseException as error:
        wire.send({"type": "failed", "error": said(error)})
        return
    reply = answer(case, case.setup, cache)
    # As timeit does: no collection inside a sample.
    gc.disable()
    wire.send(reply)
    if reply["type"] == "ready":
        converse(wire, case)
    if not case.skipped:
        case.benchmark.do_teardown()
    os.chdir("/")
    if own != cache_folder:
        shutil.rmtree(own, ignore_errors=True)


def start(order):
    suite_runner = Runner(order["asv"])
    sys.path[:0] = order["paths"]
    os.environ["PYTHONPATH"] = os.pathsep.join(order["paths"])
    seed_all(order["seed"])
    return Suite(order["suite"], suite_runner)


def discovered(suite, module):
    try:
        return {"type": "found", "error": None, "benchmarks": suite.discover(module)}
    except BaseException as error:
        return {"type": "found", "error": said(error), "benchmarks": []}


def loaded(module):
    try:
        importlib.import_module(module)
    except BaseException as error:
        return {"type": "loaded", "error": said(error)}
    finally:
        # What is loaded stays: a collection in a child would copy its pages.
        gc.freeze()
    return {"type": "loaded", "error": None}


def serve(wire):
    suite, caches = start(wire.receive()), Caches()
    wire.send({"type": "started"})
    while True:
        order = wire.receive()
        if order["type"] == "discover":
            wire.send(discovered(suite, order["module"]))
        elif order["type"] == "load":
            wire.send(loaded(order["module"]))
        elif order["type"] == "case":
            folder = caches.folder(suite, order)
            status = reap(in_child(lambda order=order, folder=folder: serve_case(wire, suite, order, folder)))
            wire.send({"type": "ended", "status": status})
        else:
            return


def main():
    # The probes' own folder: nothing of it is for the tree's code.
    del sys.path[0]
    wire = Wire(int(sys.argv[1]))
    wire.send({"type": "hello"})
    serve(wire)
    wire.send({"type": "end"})


if __name__ == "__main__":
    main()
