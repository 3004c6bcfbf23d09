"""Part of run_benchmarks: one benchmark with one set of parameters, in one process."""

import gc
import os
import pickle
import random
import sys
import tempfile
from itertools import repeat

from bench_suite import said, told_values


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


def nothing():
    """What the cheapest benchmark does."""


class Case:
    """One benchmark with one set of parameters, alive in one process."""

    def __init__(self, suite, order):
        self.heap = Heap()
        self.suite = suite
        self.skip = suite.runner.skip
        benchmark = suite.build(order["module"], order["class"], order["attr"])
        if benchmark is None or benchmark.name != order["name"]:
            raise LookupError("there is no benchmark of this name")
        if [len(axis) for axis in benchmark.params] != order["axes"]:
            raise LookupError("the benchmark's parameters are not those of base")
        # Before anything of the suite can change them.
        self.values = told_values(benchmark)
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

    def live(self, cache, talk):
        """Setup, what the judge asks between, teardown.

        Args:
            cache: what `setup_cache` made.
            talk: is told how setup went, and returns when nothing more is asked.
        """
        talk(answer(self, self.setup, cache))
        self.stop()
        if not self.skipped:
            self.benchmark.do_teardown()

    def again(self):
        gc.enable()
        self.stop()
        self.benchmark.do_teardown()
        self.setup(self.benchmark._current_cache)
        gc.disable()

    def run(self, calls, empty):
        if not calls:
            self.heap.shake()
        func, args = (nothing, ()) if empty else (self.benchmark.func, self.args)
        if args:
            for _ in repeat(None, calls):
                func(*args)
        else:
            for _ in repeat(None, calls):
                func()

    def stop(self):
        """End what `setup` began, besides what the suite's own teardown ends."""

    def value(self):
        """What the benchmark says, of those whose result is no time; with garbage collection, as asv asks for it."""
        gc.enable()
        return self.benchmark.do_run()


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


class Caches:
    """What `setup_cache` returned, as asv keeps it: made once per key in a process of its own, loaded by each case.

    Args:
        charts: a chart of this process, if one is made.
    """

    def __init__(self, charts=()):
        self.folders = {}
        self.charts = charts

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
        for chart in self.charts:
            chart.again()
        made = Case(suite, order).benchmark.do_setup_cache()
        with open("cache.pickle", "wb") as file:
            pickle.dump(made, file)
        for chart in self.charts:
            chart.write(self.folders[order["cache_key"]] + ".chart")

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
