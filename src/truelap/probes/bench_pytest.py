"""Part of run_benchmarks: benchmarks that are tests of pytest-benchmark, by pytest's ids.

The test itself is the setup, up to the point where it calls its fixture `benchmark`: there the judge is spoken to, and calls
of what was handed over are what is timed. Then the fixture makes one call more and returns what it gives, and the test goes
on. The fixture is the judge's own; pytest-benchmark need not be installed. What follows in the test decides nothing here.
"""

import gc
import os
import sys

from bench_case import Case, Heap, answer
from bench_fixture import Watch, made_plugin
from bench_suite import Suite, bounded, kind_of

UNUSABLE = (2, 3, 4)
"""Exit codes of pytest: interrupted, an error of its own, wrong usage."""
OPTIONS = (
    # pytest's settings are none that a tree has; what base's conftest.py does counts.
    *("-c", os.devnull, "-q", "--capture=no", "--assert=plain"),
    *("-p", "no:cacheprovider", "-p", "no:faulthandler", "-p", "no:timeout", "-p", "no:xdist"),
    *("-p", "no:benchmark", "-p", "no:codspeed"),
)
"""The last two bring the fixture themselves."""


class TestSuite(Suite):
    """Files of tests, by their paths."""

    __test__ = False

    def begin(self, order, around):
        self.pytest = around.pytest
        self.files = {}

    def load(self, module):
        if module not in self.files:
            watch = Watch(None)
            self.session(module, watch, "--collect-only")
            if watch.error is not None:
                raise ImportError(watch.error)
            self.files[module] = watch.items
        return self.files[module]

    def session(self, what, watch, *more):
        """One run of pytest on a file or a test."""
        if self.pytest is None:
            raise ImportError("pytest cannot be imported")
        where = os.path.join(self.mount, what)
        argv = [where, "--rootdir=" + self.mount, *OPTIONS, *more]
        status = int(self.pytest.main(argv, plugins=[made_plugin(self.pytest, watch)]))
        if status in UNUSABLE:
            watch.failed("pytest itself failed: exit code {}".format(status))

    def owns(self, module):
        file = getattr(sys.modules.get(module), "__file__", None)
        return isinstance(file, str) and any(file == self.mount + path for path in self.files)

    def discover(self, module_name):
        plain = {"module": module_name, "class": None, "attr": "", "error": None, "kind": "time"}
        return [
            dict(plain, name=item.nodeid, values=told_parameters(item))
            for item in self.load(module_name)
            if "benchmark" in item.fixturenames
        ]


class TestCase(Case):
    """One test, alive in one process."""

    __test__ = False

    def __init__(self, suite, order, recorder):
        self.heap = Heap()
        self.suite = suite
        self.skip = suite.runner.skip
        self.name, self.module = order["name"], order["module"]
        self.recorder = recorder
        self.skipped = False
        self.values = []
        self.args = ()

    def live(self, cache, talk):
        told = []

        def called(item, call):
            told.append(True)
            self.begin(item, call)
            reply = answer(self, self.setup, cache)
            talk(reply)
            gc.enable()
            if reply["type"] == "ready":
                call.do_teardown()

        watch, temporary = Watch(called), "--basetemp=" + os.path.join(os.getcwd(), "tmp")
        os.chdir(self.suite.mount)
        self.suite.session(self.name, watch, temporary)
        if not told and watch.skipped:
            talk({"type": "skipped"})
        elif not told:
            talk(
                {
                    "type": "failed",
                    "error": watch.error or "there is no such test, or it does not call benchmark",
                }
            )

    def begin(self, item, call):
        """From here on the test's call is what is asked of."""
        if item.nodeid != self.name:
            raise LookupError("another test than the one asked for")
        self.values = told_parameters(item)
        call.recorder = self.recorder
        self.benchmark = call

    def setup(self, cache):
        self.heap.shake()
        self.benchmark.do_setup()
        self.args = self.benchmark.args

    def again(self):
        gc.enable()
        self.benchmark.do_teardown()
        self.setup(None)
        gc.disable()


def told_parameters(item):
    """Parameters of a test by their names, as `told_values` has them."""
    given = getattr(getattr(item, "callspec", None), "params", {})
    return [
        [[kind_of(value), "" if callable(value) else bounded(repr(value))]]
        for _, value in sorted(given.items())
    ]
